/// Who feeds a value.
///
/// A value has one source, so that there is one truth.
package enum ValueSource: Hashable, Sendable, CustomStringConvertible {
  /// Whoever sets it through the socket or standard input.
  case client
  /// The file (or folder or pipe) at this path.
  case file(path: String)

  package var description: String {
    switch self {
    case .client: "clients"
    case .file(let path): "the file '\(path)'"
    }
  }
}
