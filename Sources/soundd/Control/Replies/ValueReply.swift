import SoundTrigger

/// The parts of the replies to `get`, `list` and `explain`.
extension JSONWriter {
  /// How much of a command is shown: a line for the shell may be a whole script.
  private static let longestLine = 200

  /// A value as `get` and `list` show it, or with `asEvent` as `events --state` does.
  ///
  /// `isStale` is `nil` if soundd expects no updates of the value. `problem`: why its command or feed does not work.
  mutating func value(
    _ snapshot: ValueSnapshot, _ content: Value?, changedAt: Timestamp?, refusedAt: Timestamp? = nil,
    isStale: Bool?, problem: String? = nil, asEvent: Bool = false
  ) {
    let source =
      switch snapshot.source {
      case .client: "socket"
      case .file(let path, let aspect): "\(aspect.rawValue) \(path)"
      case .command(let line, _): "command \(line.prefix(Self.longestLine))"
      case .feed(let name): "feed \(name)"
      case .derived(let base): "of \(base)"
      }
    object { writer in
      if asEvent { writer.member("event", "value") }
      writer.member("name", snapshot.name.description)
      writer.member("value", content)
      writer.member("type", snapshot.kind.rawValue)
      writer.member("updates", snapshot.updates)
      writer.refusals(snapshot, at: refusedAt)
      writer.member("changed_at", changedAt)
      writer.member("source", source)
      if let isStale { writer.member("stale", isStale) }
      if let problem { writer.member("problem", problem) }
    }
  }

  /// The updates that a value has refused, as `status` shows them too. `time`: of the last one, if none was accepted later.
  mutating func refusals(_ snapshot: ValueSnapshot, at time: Timestamp?) {
    member("refused", snapshot.refusals)
    member("refused_at", time)
    member("refusal", snapshot.lastRefusal?.description)
  }

  /// A change that a trigger saw and its outcome, as `explain` shows them.
  mutating func judgedChange(_ change: JudgedChange, of value: ValueName, reason: String? = nil, at time: Timestamp) {
    object { writer in
      writer.member("at", time)
      writer.members(of: change, of: value, reason: reason ?? change.verdict.description)
    }
  }

  /// The same without its time, also in `events`.
  mutating func members(of change: JudgedChange, of value: ValueName, reason: String) {
    member("value", value.description)
    member("old", truncated: change.old)
    member("new", truncated: change.new)
    member("verdict", change.verdict.word)
    member("reason", reason)
  }

  /// When and why a trigger's sound was last stopped, as `explain` shows it.
  mutating func stop(_ stop: Stop, at time: Timestamp) {
    object { writer in
      writer.member("at", time)
      writer.cause(stop.cause, of: stop.value)
      writer.member("reason", stop.sentence)
    }
  }

  /// Writes why a sound was stopped: the word, and for `cancel` also the value that changed.
  mutating func cause(_ cause: StopCause?, of value: ValueName?) {
    member("by", cause?.rawValue)
    member("value", value?.description)
  }

  /// Writes a content that may have been truncated. A document without its end becomes a text; a text ends with a whole
  /// character.
  mutating func member(_ name: String, truncated value: Value?) {
    switch value {
    case .json(let bytes):
      let isDocument = bytes.withSpan { (try? JSONScanner.validate($0)) != nil }
      member(name, isDocument ? value : .text(Self.withoutBrokenEnd(bytes.array)))
    case .text(let bytes): member(name, .text(Self.withoutBrokenEnd(bytes.array)))
    case .number, .bool, .fingerprint, nil: member(name, value)
    }
  }

  /// The bytes without an incomplete UTF-8 sequence at their end.
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
