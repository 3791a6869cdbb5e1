/// Who feeds a value.
///
/// A value has one source, so that there is one truth.
package enum ValueSource: Hashable, Sendable, CustomStringConvertible {
  /// Whoever sets it through the socket or standard input.
  case client
  /// The file (or folder or pipe) at this path.
  case file(path: String, aspect: FileAspect = .content)
  /// Another value: this one follows from it.
  case derived(from: ValueName)

  var isDerived: Bool {
    if case .derived = self { true } else { false }
  }

  /// Whether all that it gives has just happened, the first of it too.
  ///
  /// What is found in a file may be as old as that.
  var bringsNews: Bool {
    switch self {
    case .client, .file(_, .fifo): true
    case .file, .derived: false
    }
  }

  package var description: String {
    switch self {
    case .client: "clients"
    case .file(let path, .content): "the file '\(path)'"
    case .file(let path, .lines): "the lines of '\(path)'"
    case .file(let path, .count): "the number of entries of '\(path)'"
    case .file(let path, .exists): "whether '\(path)' exists"
    case .file(let path, .fifo): "the named pipe '\(path)'"
    case .derived(let base): "the value '\(base)'"
    }
  }
}
