import SoundTrigger
import Testing

@testable import soundd

/// What the keys of a trigger mean.
struct TriggerConfigurationTests {
  private static let values = "[value.n]\ntype='number'\n[value.t]\n[value.b]\ntype='bool'\n"

  private func triggers(_ keys: String) throws -> [TriggerDeclaration] {
    let text = Array("\(Self.values)[[trigger]]\n\(keys)".utf8)
    return try ConfigurationText(file: "/etc/c.toml", bytes: text).configuration(.test).triggers
  }

  private func trigger(_ keys: String) throws -> TriggerDefinition {
    try #require(try triggers("value='t'\nsound='x'\n\(keys)").first).definition
  }

  private func name(_ text: String) throws -> ValueName { try #require(ValueName(text)) }

  private func text(_ text: String) -> Value { .text(Array(text.utf8)) }

  @Test func `every key is read`() throws {
    let trigger = try trigger(
      """
      to = ["failed", "broken"]
      matches = '^(fail|brok)'
      initial = "if-changed"
      debounce = "1 s"
      delay = "250 ms"
      throttle = "5 min"
      cancel = "acknowledged"
      overlap = "mix"
      loop = true
      loop_every = "30 s"
      loop_limit = "10 min"
      fresh = "0 s"
      """)
    #expect(
      trigger
        == TriggerDefinition(
          name: "t", values: [try name("t")], sound: .sound("x"), to: [text("failed"), text("broken")],
          matches: try Pattern("^(fail|brok)"), initial: .yes, debounce: .seconds(1), throttle: .seconds(300),
          delay: .milliseconds(250), cancel: try name("acknowledged"), overlap: .mix,
          loop: .init(every: [.seconds(30)], limit: .seconds(600)), fresh: .zero))
  }

  @Test func `a loop without intervals is one without a gap and without an end of its own`() throws {
    #expect(try trigger("to='a'\nloop=true").loop == .init())
    #expect(try trigger("loop=false").loop == nil)
  }

  @Test func `times may be as short as a nanosecond and as long as 365 days`() throws {
    let trigger = try trigger("debounce='0.000001 ms'\ndelay='8760 h'\nthrottle='8760 h'\nfresh='8760 h'")
    #expect(trigger.timing.debounce == .nanoseconds(1))
    let year = Duration.seconds(365 * 86_400)
    #expect(trigger.timing.delay == year)
    #expect(trigger.timing.throttle == year)
    #expect(trigger.timing.fresh == year)
  }

  @Test func `a list of values is named after the first`() throws {
    let triggers = try triggers("value=['t', 'n', 'elsewhere']\nsound='x'\n[[trigger]]\nvalue=['t']\nsound='y'")
    #expect(triggers.map(\.definition.name) == ["t", "t-2"])
    #expect(
      triggers.map(\.definition.values) == [[try name("t"), try name("n"), try name("elsewhere")], [try name("t")]])
  }

  @Test func `a list of sounds is looked up like single ones, and may have one twice`() throws {
    let declaration = try #require(try triggers("value='t'\nsound=['x', './y.wav', 'x']\npick='random'").first)
    #expect(declaration.definition.sound == .list(["x", "/etc/y.wav", "x"], .random))
    #expect(
      declaration.soundLocations == [
        "x": TOMLLocation(line: 8, column: 8), "/etc/y.wav": TOMLLocation(line: 8, column: 13),
      ])
    #expect(try triggers("value='t'\nsound=['x', 'y']").first?.definition.sound == .list(["x", "y"], .random))
    #expect(try triggers("value='t'\nsound=['x']\npick='cycle'").first?.definition.sound == .list(["x"], .cycle))
  }

  @Test func `contents are those of each value's type`() throws {
    let definition = try #require(
      try triggers("value=['n', 't', 'b']\nsound='x'\nto=['1', 'on', 2.5]\nfrom='0'").first
    ).definition
    let to: [Value] = [.number(1), text("1"), .bool(true), text("on"), .bool(true), .number(2.5)]
    let from: [Value] = [.number(0), text("0"), .bool(false)]
    #expect(definition.to == to)
    #expect(definition.from == from)
  }

  @Test func `a table has the contents of each value's type`() throws {
    let definition = try #require(
      try triggers("value=['n', 't']\nsounds={ 1='x', failed='y', '*'='z' }").first
    ).definition
    #expect(
      definition.sound == .table([.number(1): "x", text("1"): "x", text("failed"): "y"], otherwise: "z"))
  }

  @Test(arguments: ["n", "t", "b", "elsewhere"])
  func `what is undeclared or of any type can be matched, and call off`(value: String) throws {
    let trigger = try #require(try triggers("value='\(value)'\nsound='x'\nmatches='1'\ncancel='other'").first)
    #expect(trigger.definition.matches == (try Pattern("1")))
    #expect(trigger.definition.cancel == (try name("other")))
  }
}
