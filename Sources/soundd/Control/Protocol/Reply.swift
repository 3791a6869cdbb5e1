import SoundTrigger

/// What a request is answered with.
enum Reply: Equatable {
  /// Nothing, after a successful assignment.
  case silent
  /// The reply takes a while and comes through `ClientConnection.reply`.
  case later
  case ok
  /// One line of JSON, without its end.
  case json([UInt8])
  /// One line, or several, that may be very long.
  case long(LongReply)
  /// `error: line N: TEXT [CODE]`.
  case error(String, ReplyCode)

  /// Appends the reply as it goes over the socket; `number` is the line it answers, counted from 1.
  func write(to output: inout [UInt8], line number: Int) {
    switch self {
    case .silent, .later, .long: return
    case .ok: output.append(contentsOf: "ok".utf8)
    case .json(let bytes): output.append(contentsOf: bytes)
    case .error(let text, let code):
      output.append(contentsOf: Self.line(error: "line \(number): \(text)", code: code).utf8)
    }
    output.append(0x0A)
  }

  /// An error as it goes over the socket, without the end of the line.
  static func line(error text: String, code: ReplyCode) -> String {
    // A reply is one line, whatever it quotes.
    "error: \(Excerpt.escaping(String(text.map { $0.isNewline ? " " : $0 }))) [\(code.rawValue)]"
  }
}
/// A long line, or several, made part by part while the client reads, so that it neither fills memory nor delays others.
final class LongReply: Equatable {
  private let part: () -> [UInt8]?

  /// `part` is called for the next bytes, until it has no more; it is not called any more once the client has left.
  init(_ part: @escaping () -> [UInt8]?) { self.part = part }

  /// The next bytes, without the end of the last line; `nil`: that was all.
  func next() -> [UInt8]? { part() }

  static func == (left: LongReply, right: LongReply) -> Bool { left === right }
}
