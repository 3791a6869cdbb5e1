import Foundation
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// soundd.toml(5) has every key that can be written, and nothing else.
struct ConfigurationPageTests {
  private let page: ManualPage

  init() throws { page = try ManualPage("soundd.toml.5") }

  /// A key as the page describes it: `fresh = duration (default "500 ms")`.
  private struct Key {
    let name: String
    /// What may be written, without the default.
    let form: [String]
    let defaultText: String?
    let words: [String]
  }

  private func keys(of section: String) -> [Key] {
    page.items(section).filter { $0.tag.count > 3 && $0.tag[0] == "Cm" && $0.tag[2] == "No" }.map { item in
      let end = item.tag.firstIndex(of: "default") ?? item.tag.endIndex
      let text = item.tag[end...].dropFirst().joined(separator: " ")
      return Key(
        name: item.tag[1], form: Array(item.tag[4..<end]), defaultText: text.isEmpty ? nil : text, words: item.words)
    }
  }

  private func read(_ text: String) throws -> Configuration {
    let environment = SystemEnvironment(
      variables: ["HOME": "/home/user", "XDG_RUNTIME_DIR": "/run/user/1000"], workingDirectory: "/work")
    return try ConfigurationText(file: "config.toml", bytes: Array(text.utf8)).configuration(environment)
  }

  @Test(arguments: [
    ("VALUES", ConfigurationReader.valueKeys), ("TRIGGERS", ConfigurationReader.triggerKeys),
    ("OUTPUT", ConfigurationReader.outputKeys), ("LIMITS", ConfigurationReader.limitKeys),
    ("PROFILES", ConfigurationReader.profileKeys), ("GROUPS", ConfigurationReader.groupKeys),
    ("FEEDS", ConfigurationReader.feedKeys),
  ])
  func `the page has each key, and no other`(section: String, known: [String]) {
    let written = keys(of: section).map(\.name)
    #expect(Set(written) == Set(known))
    #expect(written.count == known.count)
  }

  @Test func `the defaults of a trigger are those of the code`() throws {
    let trigger = try #require(
      try read("[[trigger]]\nvalue = \"a\"\nsound = \"press\"").triggers.first?.definition)
    let settings = trigger.settings
    #expect(trigger.initial == .no && trigger.loop == nil)
    #expect(settings.volume == 1 && settings.pan == 0 && trigger.threshold == nil)
    expect(
      "TRIGGERS",
      [
        "when": quoted(trigger.when.rawValue), "hysteresis": "0", "initial": "false",
        "overlap": quoted(trigger.timing.overlap.rawValue), "loop": "false", "latch": "false",
        "fresh": quoted(trigger.timing.fresh),
        "volume": quoted("0 dB"), "pan": "0", "spread": "\(settings.spread)", "fade_in": quoted(settings.fadeIn),
        "fade_out": quoted(settings.fadeOut),
        "importance": quoted(settings.importance.rawValue),
      ])
  }

  @Test func `the defaults of a value are those of the code`() throws {
    let value = try #require(try read("[value.a]").values.first)
    expect("VALUES", ["type": quoted(value.kind.rawValue), "trim": "\(value.trim)"])
  }

  @Test func `the defaults of the output and the limits are those of the code`() {
    let (output, limits) = (OutputSettings(), LimitSettings())
    expect(
      "OUTPUT",
      [
        "device": quoted(output.device), "channels": "\(output.channels)", "latency": quoted(output.latency),
        "duck": quoted(output.duck == 1 ? "0 dB" : "?"),
        "wake": quoted(output.wake == .automatic ? "auto" : "?"),
      ])
    expect(
      "LIMITS",
      [
        "values": "\(limits.values)", "members": "\(limits.members)", "voices": "\(limits.voices)",
        "sound_seconds": "\(limits.soundSeconds)", "memory": quoted(SizeText.text(limits.memory)),
      ])
  }

  private func expect(_ section: String, _ defaults: [String: String]) {
    let written = keys(of: section).compactMap { key in key.defaultText.map { (key.name, $0) } }
    #expect(Dictionary(uniqueKeysWithValues: written) == defaults)
  }

  private func quoted(_ text: String) -> String { "\"\(text)\"" }
  private func quoted(_ duration: Duration) -> String { quoted(DurationText.text(duration)) }

  @Test(arguments: [
    ("VALUES", "type", ValueKind.allCases.map(\.rawValue)),
    ("TRIGGERS", "pick", SoundChoice.Pick.allCases.map(\.rawValue)),
    ("TRIGGERS", "when", TriggerDefinition.Direction.allCases.map(\.rawValue)),
    ("TRIGGERS", "overlap", TriggerDefinition.Overlap.allCases.map(\.rawValue)),
    ("TRIGGERS", "importance", PlaySettings.Importance.allCases.map(\.rawValue)),
    ("TRIGGERS", "initial", ["if-changed"]), ("OUTPUT", "keep_open", ["always", "never"]),
    ("OUTPUT", "wake", ["auto", "off"]),
  ])
  func `the page has each word of a key, and no other`(section: String, key: String, words: [String]) {
    let written = keys(of: section).first { $0.name == key }?.form.filter { $0.hasPrefix("\"") } ?? []
    #expect(written == words.map { "\"\($0)\"" })
  }

  @Test func `the page says which numbers and durations may be written`() {
    func range(_ section: String, _ key: String, _ least: String, _ most: String) {
      let text = keys(of: section).first { $0.name == key }?.words.joined(separator: " ") ?? ""
      #expect(text.contains("\(least) to \(most)"), "\(key)")
    }
    func numbers(_ section: String, _ key: String, _ numbers: ClosedRange<Int>) {
      range(section, key, "\(numbers.lowerBound)", "\(numbers.upperBound)")
    }
    numbers("OUTPUT", "rate", OutputSettings.rates)
    numbers("OUTPUT", "channels", OutputSettings.channelCounts)
    numbers("LIMITS", "values", LimitSettings.valueCounts)
    numbers("LIMITS", "members", LimitSettings.memberCounts)
    numbers("LIMITS", "voices", LimitSettings.voiceCounts)
    numbers("LIMITS", "sound_seconds", LimitSettings.soundLengths)
    range("LIMITS", "memory", "1 KiB", "1024 GiB")
    range("OUTPUT", "latency", "1 ms", "2 s")
    range("VALUES", "poll", "1 ms", "24 h")
    range("VALUES", "timeout", "1 ms", "1 h")
    #expect(ExternalCommand.timeouts == .milliseconds(1) ... .seconds(3600))
    #expect(ExternalCommand.intervals.lowerBound == .seconds(1))
    #expect(OutputSettings.latencies == .milliseconds(1) ... .seconds(2))
    #expect(ValueDeclaration.pollIntervals == .milliseconds(1) ... .seconds(24 * 3600))
  }

  @Test func `a configuration on the page is good, and its sounds are shipped`() throws {
    let sounds = SoundLocator(folders: [Repository.root.appending(path: "sounds").path])
    let blocks = page.displays.filter { $0.hasPrefix("[") }
    #expect(blocks.count > 3)
    for block in blocks {
      for name in try read(block).triggers.flatMap(\.definition.sound.names) { _ = try sounds.locate(name) }
    }
  }

  @Test func `the page has each shipped sound, and no other`() throws {
    let shipped = try Repository.files(in: "sounds", suffix: ".wav").map {
      String($0.dropFirst("sounds/".count).dropLast(".wav".count))
    }
    #expect(Set(page.items("SOUNDS").flatMap { $0.names("Cm") }) == Set(shipped))
  }

  @Test func `the page lists each example, and no other`() throws {
    let folder = Repository.root.appending(path: "examples").path
    let all = try FileManager.default.contentsOfDirectory(atPath: folder)
    // These are shown elsewhere: the demonstration of `make run`, and the programs of the library.
    let names = all.filter { !["demo", "library"].contains($0) }
    #expect(Set(page.items("EXAMPLES").flatMap { $0.tagged("Pa") }.map { $0.filter { $0 != "/" } }) == Set(names))
  }
}
