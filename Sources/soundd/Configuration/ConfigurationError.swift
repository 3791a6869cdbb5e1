/// One thing that is wrong in a configuration, as `FILE:LINE:COLUMN: KEY: what is wrong`.
struct ConfigurationError: Equatable, Sendable, CustomStringConvertible {
  var file: String
  var place: TOMLPlace
  /// The key with the way to it, such as `value.build.type`; `nil` if the file is not even TOML.
  ///
  /// Items of arrays are counted from 1: the second trigger's first `to` is `trigger[2].to[1]`.
  var key: String?
  var message: String
  /// What may have been meant.
  var suggestion: String?

  var description: String {
    let subject = key.map { "\($0): " } ?? ""
    let question = suggestion.map { " (did you mean '\($0)'?)" } ?? ""
    return "\(file):\(place): \(subject)\(message)\(question)"
  }
}

/// Everything that is wrong in a configuration, in the order of the file.
struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
  /// Never empty.
  let errors: [ConfigurationError]

  /// One line for each error.
  var description: String { errors.map(\.description).joined(separator: "\n") }
}
