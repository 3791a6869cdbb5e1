import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// Records what it receives.
private final class Recorder: Subscriber {
  var pushes: [[UInt8]] = []
  var onPush: () -> Void = {}

  func push(_ lines: [UInt8]) {
    pushes.append(lines)
    onPush()
  }

  /// The names of the values and triggers in the order of their events.
  var names: [String] {
    pushes.flatMap { $0.split(separator: 0x0A) }.map { line in
      let text = String(decoding: line, as: UTF8.self)
      let mark = text.contains(#""name":""#) ? #""name":""# : #""trigger":"#
      let rest = text.components(after: mark)
      return String(rest.prefix { $0 != "\"" && $0 != "," })
    }
  }
}

extension String {
  fileprivate func components(after mark: String) -> Substring {
    var rest = self[...]
    while !rest.isEmpty, !rest.hasPrefix(mark) { rest = rest.dropFirst() }
    let found = rest.dropFirst(mark.count)
    return found.first == "\"" ? found.dropFirst() : found
  }
}

@Suite struct EventSubscriptionsTests {
  private let events = EventSubscriptions<Recorder> { Timestamp(seconds: $0.nanoseconds / 1_000_000_000) }
  private let names = ["a", "b", "c"].compactMap { ValueName($0) }

  private func change(_ value: Int, to new: Value = .number(1)) {
    events.notifyChange(ValueID(index: value), names[value], old: nil, new: new, at: Instant(nanoseconds: 0))
  }

  /// The third play, of a trigger or by hand.
  private static func play(_ sound: String, of trigger: String?, cause: Cause? = nil) -> Play {
    Play(id: PlayID(3), trigger: trigger, sound: sound, cause: cause, at: Instant(nanoseconds: 0))
  }

  private func stop(_ trigger: String?, watching values: [ValueName]) {
    events.notifyStop(Self.play("s", of: trigger), values: values, reason: .ended, at: Instant(nanoseconds: 0))
  }

  @Test func `without a filter everything is sent, with one the events of its values`() {
    let (all, some, other) = (Recorder(), Recorder(), Recorder())
    events.add(all, names: [])
    events.add(some, names: [names[0], names[2]])
    events.add(other, names: [names[1]])
    for value in [0, 1, 2] { change(value) }
    stop("t", watching: [names[1], names[2]])
    stop("u", watching: [names[0]])
    stop(nil, watching: [])
    events.send()
    #expect(all.names == ["a", "b", "c", "t", "u", "null"])
    #expect(some.names == ["a", "c", "t", "u"])
    #expect(other.names == ["b", "t"])
  }

  @Test func `a value that nobody asked for is not sent, and nothing once its subscriber has left`() {
    let subscriber = Recorder()
    #expect(events.isEmpty)
    events.add(subscriber, names: [names[2]])
    #expect(!events.isEmpty)
    change(0)
    stop(nil, watching: [])
    change(2)
    events.send()
    #expect(subscriber.names == ["c"])
    events.remove(subscriber)
    #expect(events.isEmpty)
    change(2)
    events.send()
    #expect(subscriber.names == ["c"])
  }

  @Test func `what happened in one turn is one message, and long storms are sent in between`() {
    let subscriber = Recorder()
    events.add(subscriber, names: [])
    for _ in 0..<10 { change(0) }
    #expect(subscriber.pushes.isEmpty)
    events.send()
    events.send()
    #expect(subscriber.pushes.count == 1)
    #expect(subscriber.pushes[0].suffix(2).elementsEqual("}\n".utf8))
    #expect(subscriber.names.count == 10)
    for _ in 0..<10 { change(0, to: .text([UInt8](repeating: 0x78, count: 30_000))) }
    #expect(subscriber.pushes.count > 3)
  }

  @Test func `another filter takes the place of the first`() {
    let subscriber = Recorder()
    events.add(subscriber, names: [names[0]])
    change(0)
    events.send()
    events.add(subscriber, names: [names[1]])
    change(0)
    change(1)
    events.send()
    #expect(subscriber.names == ["a", "b"])
  }

  @Test func `a newcomer does not receive what happened before`() {
    let (early, late) = (Recorder(), Recorder())
    events.add(early, names: [])
    change(0)
    events.add(late, names: [])
    change(1)
    events.send()
    #expect(early.names == ["a", "b"])
    #expect(late.names == ["b"])
  }

  @Test func `subscribers that leave while they are told take nothing from the others`() {
    let subscribers = (0..<10).map { _ in Recorder() }
    for subscriber in subscribers {
      events.add(subscriber, names: [])
      subscriber.onPush = { [unowned subscriber] in self.events.remove(subscriber) }
    }
    change(0)
    events.send()
    change(1)
    events.send()
    #expect(subscribers.allSatisfy { $0.names == ["a"] })
    #expect(events.isEmpty)
  }

  @Test func `a trigger that watches other values after a reload has other subscribers`() {
    let subscriber = Recorder()
    events.add(subscriber, names: [names[0]])
    stop("t", watching: [names[0]])
    stop("t", watching: [names[1]])
    events.send()
    #expect(subscriber.names == ["t"])
  }

  @Test func `what a subscriber's state does not contain yet causes no events for it`() {
    let (follower, other) = (Recorder(), Recorder())
    let unwritten = UnwrittenState(values: 0..<2)
    events.add(follower, names: [], unwritten: unwritten)
    events.add(other, names: [])
    func happen() {
      for value in [0, 1, 2] { change(value) }
      stop("t", watching: [names[0]])
      stop(nil, watching: [])
      events.send()
    }
    happen()
    // The value 'c' is newer than the subscription, and no state has the sounds that are played by hand.
    #expect(follower.names == ["c", "null"])
    unwritten.values = 1..<2
    happen()
    #expect(follower.names.dropFirst(2) == ["a", "c", "null"])
    unwritten.values = 0..<0
    unwritten.hasTriggers = false
    happen()
    #expect(follower.names.dropFirst(5) == ["a", "b", "c", "t", "null"])
    #expect(other.names.count == 15)
  }

  // MARK: The lines

  /// What a subscriber of everything receives.
  private func line(_ notify: (EventSubscriptions<Recorder>) -> Void) -> String {
    let (events, recorder) = (EventSubscriptions<Recorder> { _ in Timestamp(seconds: 0) }, Recorder())
    events.add(recorder, names: [])
    notify(events)
    events.send()
    return String(decoding: recorder.pushes.joined().dropLast(), as: UTF8.self)
  }

  private func text(_ text: String) -> Value { .text(Array(text.utf8)) }

  private static let time = #""at":"1970-01-01T00:00:00.000000Z","#

  @Test(
    arguments: [
      (Value.number(1), Value.number(1.5), #""old":1,"new":1.5}"#), (nil, .bool(true), #""old":null,"new":true}"#),
      (.json(Array("[1]".utf8)), .json(Array(#"{"a":null}"#.utf8)), #""old":[1],"new":{"a":null}}"#),
      (
        .text([]), .text(Array("\"\\\n\u{7F}é".utf8) + [0xFF]), #""old":"","new":"\"\\\n\u007fé"# + "\u{FFFD}\"}"
      ),
    ] as [(Value?, Value, String)])
  func `a change has its name, what was and what is`(old: Value?, new: Value, rest: String) {
    let name = names[0]
    let line = line {
      $0.notifyChange(ValueID(index: 0), name, old: old, new: new, at: Instant(nanoseconds: 0))
    }
    #expect(line == #"{"event":"change",\#(Self.time)"name":"a",\#(rest)"#)
  }

  @Test func `a play has its cause and what became of it`() throws {
    let door = try #require(ValueName("door"))
    #expect(
      line {
        let cause = Cause(value: door, old: text("open"), new: text("closed"))
        $0.notifyPlay(Self.play("tick", of: "t", cause: cause), values: [], .muted)
      }
        == #"{"event":"play",\#(Self.time)"id":3,"trigger":"t","sound":"tick","value":"door","#
        + #""old":"open","new":"closed","verdict":"muted"}"#)
    #expect(
      line { $0.notifyPlay(Self.play("tick", of: nil), values: [], .played) }
        == #"{"event":"play",\#(Self.time)"id":3,"trigger":null,"sound":"tick","value":null,"#
        + #""old":null,"new":null,"verdict":"played"}"#)
  }

  @Test(arguments: [(StopReason.ended, "ended"), (.stopped, "stopped"), (.stolen, "stolen")])
  func `a stop has its reason in a word`(reason: StopReason, word: String) {
    #expect(
      line { $0.notifyStop(Self.play("tick", of: "t"), values: [], reason: reason, at: Instant(nanoseconds: 0)) }
        == #"{"event":"stop",\#(Self.time)"id":3,"trigger":"t","sound":"tick","reason":"\#(word)","#
        + #""by":null,"value":null}"#)
  }

  @Test(arguments: [
    (StopCause.condition, #""by":"condition","value":null"#), (.limit, #""by":"limit","value":null"#),
    (.hand, #""by":"hand","value":null"#), (.ending, #""by":"ending","value":null"#),
  ])
  func `a sound that was stopped says by what`(cause: StopCause, members: String) {
    #expect(
      line {
        $0.notifyStop(
          Self.play("tick", of: "t"), values: [], reason: .stopped, cause: cause, at: Instant(nanoseconds: 0))
      } == #"{"event":"stop",\#(Self.time)"id":3,"trigger":"t","sound":"tick","reason":"stopped",\#(members)}"#)
  }

  @Test func `what cancel stopped names the value`() throws {
    let seen = try #require(ValueName("seen"))
    #expect(
      line {
        $0.notifyStop(
          Self.play("tick", of: "t"), values: [], reason: .stopped, cause: .cancel, value: seen,
          at: Instant(nanoseconds: 0))
      }.hasSuffix(#""reason":"stopped","by":"cancel","value":"seen"}"#))
  }
}
