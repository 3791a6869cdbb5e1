/// Why a command fails: a message, and an exit code of sysexits.h.
struct Failure: Error, Equatable, CustomStringConvertible {
  /// The exit codes in use.
  enum Code: Int32 {
    case usage = 64
    case badData = 65
    case noInput = 66
    /// No daemon, or no device.
    case unavailable = 69
    case software = 70
    case inputOutput = 74
    /// The daemon refused.
    case refused = 77
    case configuration = 78
  }

  var code: Code
  /// One line or several, without the program's name.
  var description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
