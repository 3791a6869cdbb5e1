/// Who feeds a value.
///
/// A value has one source, so that there is one truth.
package enum ValueSource: Hashable, Sendable, CustomStringConvertible {
  /// Whoever sets it through the socket or standard input.
  case client
  /// The file (or folder or pipe) at this path.
  case file(path: String)
  /// Another value: this one follows from it.
  case derived(from: ValueName)

  var isDerived: Bool {
    if case .derived = self { true } else { false }
  }

  package var description: String {
    switch self {
    case .client: "clients"
    case .file(let path): "the file '\(path)'"
    case .derived(let base): "the value '\(base)'"
    }
  }
}
