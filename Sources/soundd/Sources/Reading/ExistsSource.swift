import Glibc
import SoundTrigger

/// Feeds whether anything is at a path, as `test -e` does: a file, a folder, a socket, or whatever a link leads to.
///
/// If a folder on the way may not be searched, that is a problem and the last answer counts.
final class ExistsSource: ValueFeeder {
  override class var subject: PathWatch.Subject { .presence }

  override func read(onlyIfOther: Bool) {
    var status = stat()
    let code = stat(path, &status) == 0 ? 0 : errno
    if let answer = Self.answer(code) {
      send("\(answer)", onlyIfOther: onlyIfOther)
    } else {
      report("\(path): \(SystemError.text(code))")
    }
  }

  /// Whether something is there, from the result of stat: 0 or an error number. `nil`: it cannot be decided.
  static func answer(_ code: Int32) -> Bool? {
    switch code {
    case 0: true
    // Also for a link that leads nowhere, and for a file where a folder should be.
    case ENOENT, ENOTDIR: false
    default: nil
    }
  }
}
