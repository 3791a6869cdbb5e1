import Glibc
import SoundTrigger

/// Whether there is anything at a path, as `test -e` tells it: a file, a folder, a socket, whatever a link leads to.
///
/// Where that cannot be told, because a folder on the way may not be searched, the last answer counts.
final class ExistsSource: ValueFeeder {
  /// What a look tells.
  enum Answer: Equatable {
    case present
    case absent
    /// It cannot be told, and why.
    case unknown(Int32)

    /// From what stat returned: 0 or an error number.
    init(code: Int32) {
      switch code {
      case 0: self = .present
      // A link that leads nowhere, and a file where a folder should be, included.
      case ENOENT, ENOTDIR: self = .absent
      default: self = .unknown(code)
      }
    }
  }

  private let path: String
  private unowned let receiver: any ContentReceiver
  private var watch: PathWatch?
  private var isStopped = false

  /// Prepares to look at `path`; `poll` looks on a timer instead of watching. `receiver` has to outlive it.
  init(path: String, poll: Duration?, watcher: FolderWatcher, on loop: EventLoop, receiver: any ContentReceiver) {
    self.path = path
    self.receiver = receiver
    watch = PathWatch(path, .presence, poll: poll, watcher: watcher, on: loop) { [unowned self] _ in look() }
  }

  deinit { stop() }

  var watchProblem: String? { watch?.problem }

  func start() {
    watch?.start()
    look()
  }

  func stop() {
    isStopped = true
    watch?.stop()
  }

  private func look() {
    if isStopped { return }
    var status = stat()
    switch Answer(code: stat(path, &status) == 0 ? 0 : errno) {
    case .present: tell("true")
    case .absent: tell("false")
    case .unknown(let code): watch?.report("\(path): \(SystemError.text(code))", to: receiver)
    }
  }

  private func tell(_ answer: String) {
    watch?.report(nil, to: receiver)
    let text = Array(answer.utf8)
    receiver.receive(content: text.span, isAgain: true)
  }
}
