import Glibc
import SoundTrigger

/// Feeds whether anything is at a path, as `test -e` does: a file, a folder, a socket, or whatever a link leads to.
///
/// If a folder on the way may not be searched, that is a problem and the last answer counts.
final class ExistsSource: ValueFeeder {
  /// What was found at the path.
  enum Answer: Equatable {
    case present
    case absent
    /// It cannot be decided, because of this error.
    case unknown(Int32)

    /// From the result of stat: 0 or an error number.
    init(code: Int32) {
      switch code {
      case 0: self = .present
      // Also for a link that leads nowhere, and for a file where a folder should be.
      case ENOENT, ENOTDIR: self = .absent
      default: self = .unknown(code)
      }
    }
  }

  private let path: String
  private unowned let receiver: any ContentReceiver
  private var watch: PathWatch?
  private var isStopped = false

  /// Prepares to check `path`; for `poll` see `PathWatch`. `receiver` has to outlive the source.
  init(path: String, poll: Duration?, watcher: FolderWatcher, on loop: EventLoop, receiver: any ContentReceiver) {
    self.path = path
    self.receiver = receiver
    watch = PathWatch(path, .presence, poll: poll, watcher: watcher, on: loop) { [unowned self] _ in read() }
  }

  deinit { stop() }

  var watchProblem: String? { watch?.problem }

  func start() {
    watch?.start()
    read()
  }

  func stop() {
    isStopped = true
    watch?.stop()
  }

  private func read() {
    if isStopped { return }
    var status = stat()
    switch Answer(code: stat(path, &status) == 0 ? 0 : errno) {
    case .present: send("true")
    case .absent: send("false")
    case .unknown(let code): watch?.report("\(path): \(SystemError.text(code))", to: receiver)
    }
  }

  private func send(_ answer: String) {
    watch?.report(nil, to: receiver)
    let text = Array(answer.utf8)
    receiver.receive(content: text.span, isAgain: true)
  }
}
