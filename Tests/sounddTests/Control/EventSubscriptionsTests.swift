import SoundTrigger
import Testing

@testable import soundd

/// Keeps what it is sent.
private final class Recorder: EventListener {
  var pushes: [[UInt8]] = []
  var onPush: () -> Void = {}

  func push(_ lines: [UInt8]) {
    pushes.append(lines)
    onPush()
  }

  /// The names of the values and triggers in the order in which it was told of them.
  var told: [String] {
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
    let id = ValueID(index: value)
    guard events.want(id, names[value]) else { return }
    events.tell(id, names[value], old: nil, new: new, at: Instant(nanoseconds: 0))
  }

  private func stop(_ trigger: String?, watching values: [ValueName]) {
    guard events.want(trigger: trigger, values: values) else { return }
    events.tell(
      .stop(.init(trigger: trigger, sound: "s", reason: .ended)), trigger: trigger, values: values,
      at: Instant(nanoseconds: 0))
  }

  @Test func `without a filter everything is told, with one what belongs to its values`() {
    let (all, some, other) = (Recorder(), Recorder(), Recorder())
    events.add(all, names: [])
    events.add(some, names: [names[0], names[2]])
    events.add(other, names: [names[1]])
    for value in [0, 1, 2] { change(value) }
    stop("t", watching: [names[1], names[2]])
    stop("u", watching: [names[0]])
    stop(nil, watching: [])
    events.send()
    #expect(all.told == ["a", "b", "c", "t", "u", "null"])
    #expect(some.told == ["a", "c", "t", "u"])
    #expect(other.told == ["b", "t"])
  }

  @Test func `a value that nobody asked for is not wanted, and one that appears later is`() {
    let listener = Recorder()
    #expect(events.isEmpty)
    #expect(!events.want(ValueID(index: 0), names[0]))
    events.add(listener, names: [names[2]])
    #expect(!events.isEmpty)
    #expect(!events.want(ValueID(index: 0), names[0]))
    #expect(events.want(ValueID(index: 7), names[2]))
    #expect(!events.want(trigger: nil, values: []))
    events.remove(listener)
    #expect(events.isEmpty)
    #expect(!events.want(ValueID(index: 7), names[2]))
  }

  @Test func `what happened in one turn is one message, and long storms are sent in between`() {
    let listener = Recorder()
    events.add(listener, names: [])
    for _ in 0..<10 { change(0) }
    #expect(listener.pushes.isEmpty)
    events.send()
    events.send()
    #expect(listener.pushes.count == 1)
    #expect(listener.pushes[0].last == UInt8(ascii: "}"))
    #expect(listener.told.count == 10)
    for _ in 0..<10 { change(0, to: .text([UInt8](repeating: 0x78, count: 30_000))) }
    #expect(listener.pushes.count > 3)
  }

  @Test func `another filter takes the place of the first`() {
    let listener = Recorder()
    events.add(listener, names: [names[0]])
    change(0)
    events.send()
    events.add(listener, names: [names[1]])
    change(0)
    change(1)
    events.send()
    #expect(listener.told == ["a", "b"])
  }

  @Test func `a newcomer is not told of what happened before`() {
    let (early, late) = (Recorder(), Recorder())
    events.add(early, names: [])
    change(0)
    events.add(late, names: [])
    change(1)
    events.send()
    #expect(early.told == ["a", "b"])
    #expect(late.told == ["b"])
  }

  @Test func `listeners that leave while they are told take nothing from the others`() {
    let listeners = (0..<10).map { _ in Recorder() }
    for listener in listeners {
      events.add(listener, names: [])
      listener.onPush = { [unowned listener] in self.events.remove(listener) }
    }
    change(0)
    events.send()
    change(1)
    events.send()
    #expect(listeners.allSatisfy { $0.told == ["a"] })
    #expect(events.isEmpty)
  }

  @Test func `a trigger that watches other values after a reload is told to others`() {
    let listener = Recorder()
    events.add(listener, names: [names[0]])
    stop("t", watching: [names[0]])
    events.triggersChanged()
    stop("t", watching: [names[1]])
    events.send()
    #expect(listener.told == ["t"])
  }
}
