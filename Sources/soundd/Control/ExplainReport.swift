import SoundTrigger

/// What `explain` shows: the last changes that a trigger saw, and what became of each.
struct ExplainReport {
  struct Judgement {
    /// When the change came.
    var at: Timestamp
    /// The value that changed.
    var value: String
    /// Either may have been cut.
    var old: Value
    var new: Value
    /// A word that never changes.
    var verdict: String
    /// The verdict in a sentence.
    var reason: String
  }

  var name: String
  /// The watched values.
  var value: String
  /// The oldest first.
  var verdicts: [Judgement]

  /// The reply to `explain`.
  var json: [UInt8] {
    var writer = ReportWriter()
    writer.object { writer in
      writer.member("name", name)
      writer.member("value", value)
      writer.member("verdicts") { writer in
        writer.array(verdicts) { judgement, writer in judgement.write(to: &writer) }
      }
    }
    return writer.bytes
  }
}

extension ExplainReport.Judgement {
  fileprivate func write(to writer: inout ReportWriter) {
    writer.object { writer in
      writer.member("at", at)
      writer.member("value", value)
      writer.member("old", ExplainReport.whole(old))
      writer.member("new", ExplainReport.whole(new))
      writer.member("verdict", verdict)
      writer.member("reason", reason)
    }
  }
}

extension ExplainReport {
  /// A content that may have been cut, as one that can be written: a document without its end is but a text, and no text
  /// ends within a character.
  static func whole(_ value: Value) -> Value {
    switch value {
    case .json(let bytes):
      var parser = ValueParser()
      let isDocument = bytes.withSpan { (try? parser.parse($0, as: .json)) != nil }
      return isDocument ? value : .text(withoutBrokenEnd(bytes.array))
    case .text(let bytes): return .text(withoutBrokenEnd(bytes.array))
    case .number, .bool, .fingerprint: return value
    }
  }

  /// The bytes without the beginning of a UTF-8 sequence that they end with.
  private static func withoutBrokenEnd(_ bytes: [UInt8]) -> [UInt8] {
    guard let lead = bytes.suffix(3).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return bytes }
    let length =
      switch bytes[lead] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return bytes.count - lead < length ? Array(bytes[..<lead]) : bytes
  }
}
