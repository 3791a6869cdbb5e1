import SoundTrigger
import SoundWire

/// Passes on the lines of a stream that set values, and refuses all others.
///
/// `set -` accepts only values, never commands. An empty line replaces a refused one, so that the daemon counts the same
/// lines.
struct SetLineFilter {
  private var reader = LineReader()

  private static let expected = "expected NAME=VALUE or a JSON object"

  /// How many lines have ended.
  var count: Int { reader.count }

  /// Returns the lines that end in the next bytes. `nil` ends the stream: then returns a last line without a line feed.
  ///
  /// `refuse` receives the number of a refused line, counted from 1, and the reason.
  mutating func take(_ chunk: Span<UInt8>?, refuse: (Int, String) -> Void) -> [UInt8] {
    var passed: [UInt8] = []
    func receive(_ line: Span<UInt8>?, _ number: Int) -> Bool {
      if let problem = Self.problem(in: line) {
        refuse(number, problem)
      } else {
        line?.withUnsafeBufferPointer { passed.append(contentsOf: $0) }
        // The daemon removes one carriage return, as part of the line's end.
        if passed.last == UInt8(ascii: "\r") { passed.append(UInt8(ascii: "\r")) }
      }
      passed.append(UInt8(ascii: "\n"))
      return true
    }
    if let chunk { reader.feed(chunk, receive) } else { reader.finish(receive) }
    return passed
  }

  /// Why a line is refused; `nil` if it is passed on.
  private static func problem(in line: Span<UInt8>?) -> String? {
    do throws(RequestRefusal) {
      switch try Request(line) {
      case .assignment, .object, .blank: return nil
      default: return expected
      }
    } catch {
      switch error {
      // The line has a name and a value, so the daemon says what is wrong with it.
      case .nameTooLong: return nil
      case .lineTooLong, .badName: return "\(error)"
      default: return expected
      }
    }
  }
}
