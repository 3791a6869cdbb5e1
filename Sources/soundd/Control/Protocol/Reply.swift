import SoundTrigger

/// The reply to a request.
enum Reply: Equatable {
  /// Nothing, after a successful assignment.
  case silent
  /// The reply takes a while and comes through `ClientConnection.reply`.
  case later
  case ok
  /// `ok: TEXT`: it is done, and there is something to know about it.
  case noted(String)
  /// One line of JSON, without its end.
  case json([UInt8])
  /// One or several lines, which may be very long.
  case long(LongReply)
  /// `error: line N: TEXT [CODE]`.
  case error(String, ReplyCode)

  /// Appends the reply as the socket sends it. `number` is the line that it answers, counted from 1.
  func write(to output: inout [UInt8], line number: Int) {
    switch self {
    case .silent, .later, .long: return
    case .ok: output.append(contentsOf: "ok".utf8)
    case .noted(let text): output.append(contentsOf: (Self.noteMark + Self.singleLine(text)).utf8)
    case .json(let bytes): output.append(contentsOf: bytes)
    case .error(let text, let code):
      output.append(contentsOf: Self.line(error: "line \(number): \(text)", code: code).utf8)
    }
    output.append(0x0A)
  }

  /// An error as the socket sends it, without the end of the line.
  static func line(error text: String, code: ReplyCode) -> String {
    "error: \(singleLine(text)) [\(code.rawValue)]"
  }

  /// What a reply to a client notes beside its `ok`; `nil`: nothing.
  static func note(in reply: [UInt8]) -> String? {
    reply.starts(with: noteMark.utf8) ? String(decoding: reply.dropFirst(noteMark.utf8.count), as: UTF8.self) : nil
  }

  private static let noteMark = "ok: "

  /// A reply is one line, even if it quotes line breaks.
  private static func singleLine(_ text: String) -> String {
    Excerpt.escaping(String(text.map { $0.isNewline ? " " : $0 }))
  }
}
/// One or several long lines. The server makes one part at a time while the client reads. That saves memory, and other clients
/// need not wait.
final class LongReply: Equatable {
  private let part: () -> [UInt8]?

  /// `part` returns the next bytes, or `nil` at the end. The server does not call it after the client has left.
  init(_ part: @escaping () -> [UInt8]?) { self.part = part }

  /// The next bytes, without the end of the last line; `nil` at the end.
  func next() -> [UInt8]? { part() }

  static func == (left: LongReply, right: LongReply) -> Bool { left === right }
}
