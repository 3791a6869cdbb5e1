import SoundTrigger
import Testing

/// Several values that change at once. The order of the members never matters.
@Suite struct TriggerTransactionTests {
  private static let v1 = ValueName.name("v1")
  private static let c = ValueName.name("v9")

  /// All orders of some members.
  private static func orders<T>(_ members: [T]) -> [[T]] {
    if members.isEmpty { return [[]] }
    return members.indices.flatMap { first in
      var rest = members
      let member = rest.remove(at: first)
      return orders(rest).map { [member] + $0 }
    }
  }

  private func above90(
    throttle: Duration? = nil, delay: Duration? = nil, cancel: ValueName? = nil
  ) -> TriggerDefinition {
    var definition = TriggerDefinition.test(
      above: 90, throttle: throttle, delay: delay, cancel: cancel, loop: .init())
    definition.values = [.v0, Self.v1]
    return definition
  }

  @Test(arguments: orders([(ValueName.v0, Value.number(1)), (v1, .number(95))]))
  func `a loop continues if one value ends its condition and another one begins it`(members: [(ValueName, Value)]) {
    var rig = TriggerRig(above90(throttle: .seconds(10)))
    rig.set([(.v0, .number(1)), (Self.v1, .number(1))], at: 0)
    rig.set(.number(95), at: 1)
    rig.set(members, at: 2)
    #expect(rig.times == [1])
    #expect(rig.stops.isEmpty)
    #expect(rig.activity() == TriggerActivity(state: .looping))
    rig.set(.number(1), at: 3, name: Self.v1)
    #expect(rig.stops == [.init(trigger: "t", at: 3)])
  }

  @Test(arguments: orders([(ValueName.v0, Value.number(1)), (v1, .number(1))]))
  func `a loop ends once if both of its values end it`(members: [(ValueName, Value)]) {
    var rig = TriggerRig(above90())
    rig.set([(.v0, .number(1)), (Self.v1, .number(1))], at: 0)
    rig.set([(.v0, .number(95)), (Self.v1, .number(95))], at: 1)
    rig.set(members, at: 2)
    #expect(rig.times == [1])
    #expect(rig.stops == [.init(trigger: "t", at: 2)])
  }

  @Test(arguments: orders([(ValueName.v0, Value.number(2)), (c, .number(2))]))
  func `a change that comes together with cancel waits for its delay and plays`(members: [(ValueName, Value)]) {
    var rig = TriggerRig(.test(delay: .milliseconds(10), cancel: Self.c))
    rig.set([(.v0, .number(1)), (Self.c, .number(1))], at: 0)
    rig.set(members, at: 1)
    rig.advance(to: 100)
    #expect(rig.times == [11])
    #expect(rig.verdicts() == [.appeared, .played])
  }

  @Test(arguments: orders([(ValueName.v0, Value.number(96)), (c, .number(2)), (v1, .number(97))]))
  func `cancel acts before the changes of its transaction`(members: [(ValueName, Value)]) {
    var rig = TriggerRig(above90(cancel: Self.c))
    rig.set([(.v0, .number(1)), (Self.c, .number(1)), (Self.v1, .number(1))], at: 0)
    rig.set(.number(95), at: 1)
    rig.set(members, at: 2)
    // The loop was acknowledged. v0 is beyond its threshold already, v1 crosses it.
    #expect(rig.stops == [.init(trigger: "t", at: 2)])
    #expect(rig.times == [1, 2])
    #expect(rig.causes.last == Cause(value: Self.v1, old: .number(1), new: .number(97)))
  }

  @Test(arguments: orders([(ValueName.v0, Value.number(2)), (v1, .number(3)), (.name("v2"), .number(4))]))
  func `each trigger decides about its values in the order of its list`(members: [(ValueName, Value)]) {
    var first = TriggerDefinition.test(name: "first")
    first.values = [.name("v2"), .v0, Self.v1]
    var second = TriggerDefinition.test(name: "second", throttle: .seconds(1))
    second.values = [Self.v1, .v0]
    var rig = TriggerRig(first, second)
    rig.set(members.map { ($0.0, Value.number(0)) }, at: 0)
    rig.set(members, at: 1)
    #expect(rig.plays.map(\.trigger) == ["first", "first", "first", "second"])
    #expect(rig.causes.map { $0?.new } == [.number(4), .number(2), .number(3), .number(3)])
    #expect(rig.verdicts(1).suffix(2) == [.played, .throttled(for: .seconds(1))])
  }

  @Test(arguments: orders([(ValueName.v0, Value.number(2)), (v1, .number(3)), (c, .number(4))]))
  func `the values that cancel stop the triggers in the order of their definitions`(members: [(ValueName, Value)]) {
    let names: [ValueName] = [Self.c, .v0, Self.v1]
    var rig = TriggerRig(
      names.enumerated().map { .test(name: "\($0)", value: .name("v5"), cancel: $1) })
    rig.set(members.map { ($0.0, Value.number(0)) } + [(.name("v5"), .number(0))], at: 0)
    rig.set(.number(1), at: 1, name: .name("v5"))
    rig.set(members, at: 2)
    #expect(rig.stops.map(\.trigger) == ["0", "1", "2"])
  }
}
