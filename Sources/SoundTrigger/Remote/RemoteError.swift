/// Why a value of a running daemon could not be read or set, grouped by what you can do about it.
public enum RemoteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is no name of a value: use another.
  case invalidName(String)
  /// No daemon answers: start it, or try again later. The text says why.
  case unavailable(String)
  /// The daemon refused, and nothing has changed.
  ///
  /// The text says why, for people. `code` says it for programs, in a word that never changes: `refused` if the content does not fit
  /// the value's type, `owned` if a file or another value feeds it, `limit` if there are too many values. Later daemons may
  /// have other words.
  case refused(String, code: String)

  /// What went wrong, for people: one line.
  public var description: String {
    switch self {
    case .invalidName(let name):
      "\(Excerpt.quoting(name)) is not a name: letters, digits and '_', then also '.', '/', ':', '-' and escapes "
        + "such as '%20', at most \(ValueName.maximumLength) bytes"
    case .unavailable(let reason), .refused(let reason, _): reason
    }
  }

  init(_ problem: DaemonConnection.Problem) {
    // The commands' advice names an option that other programs do not have.
    self =
      if case .noDaemon(let path, let reason) = problem {
        .unavailable("no soundd is running on \(path) (\(reason))")
      } else {
        .unavailable(problem.description)
      }
  }

  init(_ refusal: DaemonRefusal) { self = .refused(refusal.text, code: refusal.code.rawValue) }

  init(_ problem: SocketPath.Problem) {
    self =
      switch problem {
      // The commands' advice names an option that other programs do not have.
      case .noFolder(let folder):
        .unavailable("\(SocketPath.Problem.noFolder(folder)): name a path, or set SOUNDD_SOCKET")
      case .empty: .unavailable("the path of the socket is empty")
      case .abstract, .tooLong: .unavailable(problem.description)
      }
  }
}
