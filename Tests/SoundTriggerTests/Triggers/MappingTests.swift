import SoundTrigger
import Testing

/// What `map` makes of numbers.
struct MappingTests {
  private let pitch = Mapping(.pitch, from: .init(0, 100), to: .init(-12, 12))

  /// The settings of the plays for numbers, one after the other.
  private func settings(
    _ mappings: Mapping..., numbers: [Double], settings: PlaySettings = PlaySettings()
  ) -> [PlaySettings] {
    var definition = TriggerDefinition.test(initial: true)
    definition.mappings = mappings
    definition.settings = settings
    var rig = TriggerRig(definition)
    rig.set(numbers)
    return rig.settings
  }

  @Test func `the number chooses between the ends, and what is outside counts as the nearer one`() {
    #expect(settings(pitch, numbers: [0, 50, 75, 100, 101, -3]).map(\.pitch) == [-12, 0, 6, 12, 12, -12])
  }

  @Test func `reversed ends turn it round`() {
    let down = Mapping(.pitch, from: .init(0, 100), to: .init(12, -12))
    let mirrored = Mapping(.pitch, from: .init(100, 0), to: .init(-12, 12))
    for mapping in [down, mirrored] {
      #expect(settings(mapping, numbers: [0, 75, 200]).map(\.pitch) == [12, -6, -12])
    }
  }

  @Test func `the old number or the difference may count`() {
    var mapping = pitch
    mapping.source = .old
    #expect(settings(mapping, numbers: [50, 100, 0]).map(\.pitch) == [0, 0, 12])
    mapping.source = .delta
    mapping.from = .init(-100, 100)
    // The first has none before.
    #expect(settings(mapping, numbers: [50, 100, 0]).map(\.pitch) == [0, 6, -12])
  }

  @Test func `a logarithmic curve goes up by the same for the same factor`() {
    let mapping = Mapping(.pitch, from: .init(10, 1000), to: .init(0, 24), curve: .log)
    #expect(
      settings(mapping, numbers: [10, 100, 1000, 0, -5]).map { ($0.pitch * 1000).rounded() / 1000 } == [
        0, 12, 24, 0, 0,
      ])
  }

  @Test func `absurd numbers have an effect within the ends`() {
    let greatest = Double.greatestFiniteMagnitude
    var delta = Mapping(.pitch, from: .init(-1, 1), to: .init(-12, 12))
    delta.source = .delta
    #expect(settings(delta, numbers: [-greatest, greatest, -greatest]).map(\.pitch) == [0, 12, -12])
    // Their logarithms are equal.
    let close = Mapping(.pitch, from: .init(1e300, 1e300.nextUp), to: .init(3, 12), curve: .log)
    #expect(settings(close, numbers: [1, 1e300]).map(\.pitch) == [3, 3])
    let least = Double.leastNonzeroMagnitude
    #expect(
      settings(Mapping(.pan, from: .init(0, least), to: .init(-1, 1)), numbers: [0, least]).map(\.pan) == [-1, 1])
    for end in [1.7e308, greatest] {
      let wide = Mapping(.pitch, from: .init(-end, end), to: .init(-12, 12))
      #expect(settings(wide, numbers: [-end, -end / 2, 0, end / 2, end]).map(\.pitch) == [-12, -6, 0, 6, 12])
      var mirrored = Mapping(.pitch, from: .init(end, -end), to: .init(-12, 12), of: .delta)
      #expect(settings(mirrored, numbers: [-greatest, greatest, -greatest]).map(\.pitch) == [0, -12, 12])
      mirrored.curve = .log
      mirrored.from = .init(least, end)
      #expect(settings(mirrored, numbers: [-greatest, greatest, -greatest]).map(\.pitch) == [-12, 12, -12])
    }
    var definition = TriggerDefinition.test()
    definition.mappings = [Mapping(.pitch, from: .init(-greatest, greatest), to: .init(0, 1))]
    #expect(definition.problems(.number).isEmpty)
    definition.mappings = [Mapping(.pitch, from: .init(0, .infinity), to: .init(0, 1))]
    #expect(definition.problems(.number).map(\.description) == ["map: from of pitch must be two different numbers"])
  }

  @Test func `volumes and pans add to those of the trigger, up to their ends`() {
    let volume = Mapping(.volume, from: .init(0, 10), to: .init(-60, 0))
    let pan = Mapping(.pan, from: .init(0, 10), to: .init(-1, 1))
    let found = settings(volume, pan, numbers: [10, 5, 0], settings: PlaySettings(volume: 0.5, pan: 0.5))
    // -30 dB is a factor of 0.0316.
    #expect(zip(found, [0.5, 0.5 * 0.0316, 0]).allSatisfy { abs($0.volume - $1) < 1e-4 })
    #expect(found.map(\.pan) == [1, 0.5, -0.5])
  }

  @Test func `a repetition of an alarm sounds as the present number demands`() {
    var definition = TriggerDefinition.test(above: 10, loop: .init(every: [.seconds(1)]))
    definition.mappings = [pitch]
    var rig = TriggerRig(definition)
    rig.set([0, 50])
    rig.endSound(at: 2)
    rig.set(.number(100), at: 500)
    rig.advance(to: 1001)
    #expect(rig.settings.map(\.pitch) == [0, 12])
  }

  @Test func `a delayed play sounds as the present number demands`() {
    var definition = TriggerDefinition.test(above: 10, delay: .seconds(1))
    definition.mappings = [pitch]
    var rig = TriggerRig(definition)
    rig.set([0, 50])
    rig.set(.number(100), at: 500)
    rig.advance(to: 1001)
    #expect(rig.settings.map(\.pitch) == [12])
  }

  @Test func `a text says what was done, and why`() {
    #expect(pitch.text(old: nil, new: .number(60)) == "pitch 2.4 st")
    #expect(pitch.text(old: nil, new: .number(120)) == "pitch 12 st, because 120 is not within 0 to 100")
    #expect(pitch.text(old: nil, new: nil) == nil && pitch.text(old: nil, new: .bool(true)) == nil)
    let volume = Mapping(.volume, from: .init(0, 100), to: .init(-20, 0), of: .delta)
    #expect(volume.text(old: .number(40), new: .number(60)) == "volume -16 dB")
  }

  @Test func `what cannot work is a problem`() {
    func problems(_ mapping: Mapping, _ kind: ValueKind = .number) -> [String] {
      var definition = TriggerDefinition.test()
      definition.mappings = [mapping]
      return definition.problems(kind).map(\.description)
    }
    #expect(problems(pitch) == [])
    #expect(problems(pitch, .text) == ["map: needs numbers; v0 is of type \"text\" (type = \"number\"?)"])
    #expect(
      problems(Mapping(.pan, from: .init(1, 1), to: .init(0, 1))) == ["map: from of pan must be two different numbers"])
    #expect(
      problems(Mapping(.pitch, from: .init(0, 1), to: .init(0, 1), curve: .log))
        == ["map: curve = \"log\" of pitch needs numbers greater than 0"])
    for (target, end, range) in [
      (Mapping.Target.pitch, 25.0, "-24 and 24"), (.volume, 1, "-60 and 0"), (.pan, -2, "-1 and 1"),
    ] {
      #expect(
        problems(Mapping(target, from: .init(0, 1), to: .init(0, end)))
          == ["map: to of \(target.rawValue) must be within \(range)"])
    }
  }
}
