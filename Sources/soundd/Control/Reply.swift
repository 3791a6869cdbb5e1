/// What a request is answered with.
enum Reply: Equatable {
  /// Nothing: an assignment that went through.
  case silent
  /// What takes a while: the reply comes through `ControlClient.reply`.
  case later
  case ok
  /// One line of JSON, without its end.
  case json([UInt8])
  /// One line that may be very long.
  case long(LongReply)
  /// `error: line N: TEXT`.
  case error(String)

  /// Appends the reply as it goes over the socket; `number` is the line it answers, counted from 1.
  func write(to output: inout [UInt8], line number: Int) {
    switch self {
    case .silent, .later, .long: return
    case .ok: output.append(contentsOf: "ok".utf8)
    case .json(let bytes): output.append(contentsOf: bytes)
    case .error(let text):
      output.append(contentsOf: "error: line \(number): ".utf8)
      // A reply is one line, whatever was quoted in it.
      for byte in text.utf8 { output.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte) }
    }
    output.append(0x0A)
  }
}
