/// The way to a key from the top of the configuration, as error messages write it.
struct ConfigurationPath: Equatable, Sendable, CustomStringConvertible {
  /// The document itself.
  static let top = ConfigurationPath(description: "")

  let description: String

  /// A key in the table at this path.
  func key(_ key: String) -> ConfigurationPath {
    let part = QuotedText.keyPart(key)
    return ConfigurationPath(description: description.isEmpty ? part : "\(description).\(part)")
  }

  /// An item of the array at this path; `index` counts from 0, the text from 1.
  func item(_ index: Int) -> ConfigurationPath {
    ConfigurationPath(description: "\(description)[\(index + 1)]")
  }
}
