import Foundation
import SoundTrigger
import Testing

@testable import soundd

/// The schema has the reader's keys, words, ranges and defaults.
struct SchemaKeysTests {
  private let schema = Result { try ConfigurationSchema() }

  private static let tables = [
    ("", ConfigurationReader.topKeys), ("output", ConfigurationReader.outputKeys),
    ("limits", ConfigurationReader.limitKeys), ("profile", ConfigurationReader.profileKeys), ("sounds", []),
    ("value", ConfigurationReader.valueKeys), ("trigger", ConfigurationReader.triggerKeys),
    ("feed", ConfigurationReader.feedKeys),
  ]

  @Test(arguments: tables)
  func `a table has the keys that the reader knows, and no others`(table: String, keys: [String]) throws {
    let schema = try schema.get()
    if !keys.isEmpty { #expect(try schema.keys(of: table).keys.sorted() == keys.sorted()) }
    let isOpen = try schema.table(table)["additionalProperties"] as? Bool
    #expect(isOpen == false, "an editor would not mark an unknown key")
  }

  @Test(arguments: tables) func `a key has a description of one line`(table: String, keys: [String]) throws {
    let schema = try schema.get()
    for key in keys {
      let text = try #require(try schema.keys(of: table)[key]?["description"] as? String, "\(key)")
      #expect(text.hasSuffix(".") && !text.contains("\n"), "\(key)")
    }
  }

  @Test(arguments: [
    ("value", "type", ValueKind.allCases.map(\.rawValue)),
    ("trigger", "pick", SoundChoice.Pick.allCases.map(\.rawValue)),
    ("trigger", "when", TriggerDefinition.Direction.allCases.map(\.rawValue)),
    ("trigger", "overlap", TriggerDefinition.Overlap.allCases.map(\.rawValue)),
    ("trigger", "importance", PlaySettings.Importance.allCases.map(\.rawValue)),
  ])
  func `a key has the words of the reader`(table: String, key: String, words: [String]) throws {
    #expect(try schema.get().keys(of: table)[key]?["enum"] as? [String] == words)
  }

  @Test(arguments: [
    ("output", "rate", OutputSettings.rates), ("output", "channels", OutputSettings.channelCounts),
    ("limits", "values", LimitSettings.valueCounts), ("limits", "members", LimitSettings.memberCounts),
    ("limits", "voices", LimitSettings.voiceCounts), ("limits", "sound_seconds", LimitSettings.soundLengths),
  ])
  func `a number has the range of the reader`(table: String, key: String, range: ClosedRange<Int>) throws {
    let key = try #require(try schema.get().keys(of: table)[key])
    #expect(key["minimum"] as? Int == range.lowerBound)
    #expect(key["maximum"] as? Int == range.upperBound)
  }

  private func read(_ text: String) throws -> Configuration {
    try ConfigurationText(file: "c", bytes: Array(text.utf8)).configuration(.test)
  }

  /// A table in which a key can be given, as the text of a configuration that the key may follow.
  private func beginning(of table: String, _ key: String) -> String {
    switch table {
    case "value": "[value.v]\n"
    case "trigger":
      "[value.v]\ntype='number'\n[[trigger]]\nvalue='v'\nsound='x'\n" + (key == "hysteresis" ? "above=1\n" : "")
    default: "[\(table)]\n"
    }
  }

  @Test(arguments: tables.dropFirst()) func `a default changes nothing`(table: String, keys: [String]) throws {
    for (key, schema) in try schema.get().keys(of: table) {
      guard let standard = schema["default"] else { continue }
      let json = try JSONSerialization.data(withJSONObject: standard, options: .fragmentsAllowed)
      let beginning = beginning(of: table, key)
      let (without, with) = (beginning, beginning + "\(key) = \(String(decoding: json, as: UTF8.self))")
      #expect(try read(without) == read(with), "\(key)")
    }
  }
}
