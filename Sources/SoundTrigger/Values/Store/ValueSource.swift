/// Where the contents of a value come from.
///
/// A value has one source, so that there is one truth.
package enum ValueSource: Hashable, Sendable, CustomStringConvertible {
  /// Clients of the socket, and standard input.
  case client
  /// The file (or folder or pipe) at this path.
  case file(path: String, aspect: FileAspect = .content)
  /// What a command prints: again and again (`isPolled`), or a line at a time.
  case command(String, isPolled: Bool)
  /// The lines of the feed of this name.
  case feed(String)
  /// Another value, from which this one is computed.
  case derived(from: ValueName)

  var isDerived: Bool {
    if case .derived = self { true } else { false }
  }

  /// Whether the source holds a content that soundd can look at. Others hold none: they report news.
  var canBeRead: Bool {
    switch self {
    case .client, .file(_, .fifo), .command(_, isPolled: false), .feed: false
    case .file, .derived, .command: true
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
    case .command(let line, _): "the command '\(line)'"
    case .feed(let name): "the feed '\(name)'"
    case .derived(let base): "the value '\(base)'"
    }
  }
}
/// The way in which a value reads the file, folder or pipe at its path.
///
/// The raw value is the configuration's key.
package enum FileAspect: String, CaseIterable, Sendable {
  /// The content of the file.
  case content = "file"
  /// Each line that is appended to the file.
  case lines
  /// The number of entries in the folder.
  case count
  /// Whether anything is at the path.
  case exists
  /// Each line that is written to the named pipe.
  case fifo
}
