package import SoundTrigger

/// A line that `events` sends.
package struct Event: Sendable {
  package enum Content: Sendable {
    /// The state of a value.
    case value(ValueMessage)
    /// The state of a trigger.
    case trigger(TriggerMessage)
    case alarm(AlarmMessage)
    case ready
    case change(ChangeMessage)
    case unset(UnsetMessage)
    case play(PlayMessage)
    case stop(StopMessage)
    case settings(SettingsMessage)
    case verdict(VerdictEvent)
    /// Of a newer daemon.
    case unknown
  }

  package var kind: Word<EventHead.Kind>
  /// When it happened; `nil` for state. Of a verdict: when the value changed.
  package var at: Timestamp?
  package var content: Content

  /// Reads a line.
  package init(_ line: [UInt8]) throws(MessageError) {
    let document = try JSONDocument(message: line)
    let head = try EventHead.read(document)
    (kind, at) = (head.event, head.at)
    content =
      switch head.event.kind {
      case .value: .value(try .read(document))
      case .trigger: .trigger(try .read(document))
      case .alarm: .alarm(try .read(document))
      case .ready: .ready
      case .change: .change(try .read(document))
      case .unset: .unset(try .read(document))
      case .play: .play(try .read(document))
      case .stop: .stop(try .read(document))
      case .settings: .settings(try .read(document))
      case .verdict: .verdict(try .read(document))
      case nil: .unknown
      }
  }
}

extension JSONWriter {
  /// A line of `events`.
  package mutating func event<Content: Message>(_ kind: EventHead.Kind, at time: Timestamp?, _ content: inout Content) {
    var head = EventHead(kind, at: time)
    object { writer in
      head.writeMembers(to: &writer)
      content.writeMembers(to: &writer)
    }
  }
}
