import SoundTrigger

/// One error or warning about a configuration, as `FILE:LINE:COLUMN: KEY: what is wrong`.
struct ConfigurationMessage: Equatable, Sendable, CustomStringConvertible {
  var file: String
  var location: TOMLLocation
  /// The path of the key, such as `value.build.type`; `nil` if the file is not TOML.
  ///
  /// Items of arrays are counted from 1: the second trigger's first `to` is `trigger[2].to[1]`.
  var key: String?
  var message: String
  /// What the user may have meant.
  var suggestion: String?

  /// `file` is the configuration; a location in a part of it names the part.
  init(file: String, location: TOMLLocation, key: String? = nil, message: String, suggestion: String? = nil) {
    self.file = location.file ?? file
    (self.location, self.key, self.message, self.suggestion) = (location, key, message, suggestion)
  }

  var description: String {
    let subject = key.map { "\($0): " } ?? ""
    return "\(file):\(location): \(subject)\(message)\(Suggestion.question(suggestion))"
  }
}

/// The path of a key from the top of the configuration, as error messages write it.
struct ConfigurationPath: Equatable, Sendable, CustomStringConvertible {
  /// The document itself.
  static let top = ConfigurationPath(description: "")

  let description: String

  /// A key in the table at this path.
  func key(_ key: String) -> ConfigurationPath {
    let part = Self.part(key)
    return ConfigurationPath(description: description.isEmpty ? part : "\(description).\(part)")
  }

  /// A key as TOML would write it: in double quotes if it needs them.
  static func part(_ key: String) -> String {
    let shown = Excerpt.quoting(key).dropFirst().dropLast()
    return !key.isEmpty && key.utf8.allSatisfy(TOMLKey.isBare) ? String(shown) : "\"\(shown)\""
  }

  /// An item of the array at this path; `index` counts from 0, the text from 1.
  func item(_ index: Int) -> ConfigurationPath {
    ConfigurationPath(description: "\(description)[\(index + 1)]")
  }
}
