import SoundTrigger

/// What `get`, `list` and `explain` answer.
extension JSONWriter {
  /// A value as `get`, `list` and, `asEvent`, `events --state` show it; `isStale` is `nil` if no updates are expected of it.
  mutating func value(
    _ snapshot: ValueSnapshot, _ content: Value?, changedAt: Timestamp?, isStale: Bool?,
    asEvent: Bool = false
  ) {
    let source =
      switch snapshot.source {
      case .client: "socket"
      case .file(let path, let aspect): "\(aspect.rawValue) \(path)"
      case .derived(let base): "of \(base)"
      }
    object { writer in
      if asEvent { writer.member("event", "value") }
      writer.member("name", snapshot.name.description)
      writer.member("value", content)
      writer.member("type", snapshot.kind.rawValue)
      writer.member("updates", snapshot.updates)
      writer.member("refused", snapshot.refusals)
      writer.member("changed_at", changedAt)
      writer.member("source", source)
      if let isStale { writer.member("stale", isStale) }
    }
  }

  /// What became of a change that a trigger saw, as `explain` shows it.
  mutating func judgedChange(_ change: JudgedChange, of value: ValueName, at time: Timestamp) {
    object { writer in
      writer.member("at", time)
      writer.member("value", value.description)
      writer.member("old", truncated: change.old)
      writer.member("new", truncated: change.new)
      writer.member("verdict", change.verdict.word)
      writer.member("reason", change.verdict.description)
    }
  }

  /// When and why a trigger's sound was last stopped, as `explain` shows it.
  mutating func stop(_ stop: Stop, at time: Timestamp) {
    object { writer in
      writer.member("at", time)
      writer.cause(stop.cause, of: stop.value)
      writer.member("reason", stop.sentence)
    }
  }

  /// Why a sound was stopped, as members: the word, and for `cancel` the value that changed.
  mutating func cause(_ cause: StopCause?, of value: ValueName?) {
    member("by", cause?.word)
    member("value", value?.description)
  }

  /// A content that may have been truncated: a document without its end is a text, and a text ends with a whole character.
  mutating func member(_ name: String, truncated value: Value?) {
    switch value {
    case .json(let bytes):
      let isDocument = bytes.withSpan { (try? JSONScanner.validate($0)) != nil }
      member(name, isDocument ? value : .text(Self.withoutBrokenEnd(bytes.array)))
    case .text(let bytes): member(name, .text(Self.withoutBrokenEnd(bytes.array)))
    case .number, .bool, .fingerprint, nil: member(name, value)
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
