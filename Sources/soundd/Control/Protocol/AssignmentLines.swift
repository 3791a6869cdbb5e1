import SoundTrigger

/// Passes on the lines of a stream that set values, and refuses all others.
///
/// `set -` accepts only values, never commands. An empty line replaces a refused one, so that the daemon counts the same
/// lines. The buffer has a fixed size.
struct AssignmentLines: ~Copyable {
  /// How much is read at once, in bytes.
  static let capacity = 262_144

  /// How many lines have ended.
  private(set) var count = 0
  private let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.capacity)
  /// The beginning of a line whose end has not come; at most a line's longest, with `\r`.
  private var filled = 0
  /// Whether what comes up to the next end of a line belongs to one that is too long.
  private var isSkipping = false
  /// Which bytes may stand in a name, by their value.
  private let isNamePart = (0...255).map { ValueName.mayContinue(UInt8($0)) }

  private static let newline = UInt8(ascii: "\n")
  private static let expected = "expected NAME=VALUE or a JSON object"

  deinit { buffer.deallocate() }

  /// Has `read` fill the rest of the buffer, and passes on the lines that end in it.
  ///
  /// - Parameters:
  ///   - read: Returns how many bytes it has read, 0 at the end of the stream, or less if it could not.
  ///   - pass: Is given whole lines with their ends.
  ///   - refuse: Receives the number of a refused line, counted from 1, and the reason.
  /// - Returns: what `read` returned.
  /// - Throws: what `pass` throws; the lines after that are lost.
  mutating func take<PassError: Error>(
    _ read: (UnsafeMutableRawBufferPointer) -> Int, pass: (Span<UInt8>) throws(PassError) -> Void,
    refuse: (Int, String) -> Void
  ) throws(PassError) -> Int {
    let count = read(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[filled...])))
    if count > 0 {
      filled += count
      try passLines(pass, refuse)
    } else if count == 0, isSkipping || filled > 0 {
      // The last line needs no end.
      buffer[filled] = Self.newline
      filled += 1
      try passLines(pass, refuse)
    }
    return count
  }

  private mutating func passLines<PassError: Error>(
    _ pass: (Span<UInt8>) throws(PassError) -> Void, _ refuse: (Int, String) -> Void
  ) throws(PassError) {
    let bytes = UnsafeMutableBufferPointer(rebasing: buffer[..<filled]).span
    /// Where begins what is not passed on yet.
    var start = 0
    var line = 0
    while let end = LineReader.firstNewline(in: bytes, from: line) {
      count += 1
      if let problem = problem(in: bytes.extracting(line..<end)) {
        if start < line { try pass(bytes.extracting(start..<line)) }
        refuse(count, problem)
        start = end
      }
      isSkipping = false
      line = end + 1
    }
    if start < line { try pass(bytes.extracting(start..<line)) }
    // Two more than a line has: the end of `\r\n` may not have come.
    if isSkipping || filled - line > LineReader.limit + 1 {
      isSkipping = true
      filled = 0
    } else {
      for place in line..<filled { buffer[place - line] = buffer[place] }
      filled -= line
    }
  }

  /// Why a line is not to be passed on.
  private func problem(in line: Span<UInt8>) -> String? {
    if isSkipping { return "\(RequestError.lineTooLong)" }
    var place = 0
    while place < line.count, isNamePart[Int(line[place])] { place += 1 }
    // Most lines are assignments. `Request` parses any other.
    if place > 0, place < line.count, line[place] == UInt8(ascii: "="), ValueName.mayBegin(line[0]),
      line.count <= LineReader.limit
    {
      return nil
    }
    return Self.slowProblem(in: line)
  }

  private static func slowProblem(in line: Span<UInt8>) -> String? {
    var line = line
    if line.count > 0, line[line.count - 1] == UInt8(ascii: "\r") { line = line.extracting(0..<line.count - 1) }
    if line.count > LineReader.limit { return "\(RequestError.lineTooLong)" }
    do throws(RequestError) {
      switch try Request(line) {
      case .assignment, .object, .blank: return nil
      default: return expected
      }
    } catch .unknownCommand, .missingArgument, .unexpectedArgument, .emptyTrigger, .notUTF8 {
      return expected
    } catch {
      return "\(error)"
    }
  }
}
