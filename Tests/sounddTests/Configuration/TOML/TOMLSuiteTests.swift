import Foundation
import Testing

@testable import soundd

/// The cases of toml-test for TOML 1.0.0.
struct TOMLSuiteTests {
  static let valid = (try? Fixtures.paths(in: "toml-test/valid", suffix: ".toml")) ?? []
  static let invalid = (try? Fixtures.paths(in: "toml-test/invalid", suffix: ".toml")) ?? []

  @Test func `the suite is all there`() {
    #expect(Self.valid.count == 210)
    #expect(Self.invalid.count == 499)
  }

  @Test(arguments: valid)
  func `a valid file reads as the suite says`(path: String) throws {
    let table = try TOMLReader.read(Fixtures.bytes("toml-test/valid/" + path))
    let json = try Data(Fixtures.bytes("toml-test/valid/" + path.dropLast(5) + ".json"))
    let expected = try JSONDecoder().decode(TaggedValue.self, from: json)
    #expect(TaggedValue(.table(table)) == expected)
  }

  @Test(arguments: invalid)
  func `an invalid file is refused`(path: String) throws {
    let bytes = try Fixtures.bytes("toml-test/invalid/" + path)
    let error = #expect(throws: TOMLProblem.self) { try TOMLReader.read(bytes) }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = try #require(error).location.line
    #expect((1...lines.count).contains(line))
    if let column = error?.location.column, (1...lines.count).contains(line) {
      #expect((1...lines[line - 1].count + 1).contains(column))
    }
  }
}

/// A value as toml-test's JSON describes it: `{"type": "integer", "value": "1"}`, and arrays and objects of those.
private indirect enum TaggedValue: Equatable, Decodable, CustomStringConvertible {
  case scalar(type: String, value: String)
  /// A date, a time or both.
  case date
  case array([TaggedValue])
  case table([TOMLKey: TaggedValue])

  init(_ value: TOMLValue) {
    self =
      switch value {
      case .string(let text): .scalar(type: "string", value: text)
      case .integer(let number): .scalar(type: "integer", value: String(number))
      case .float(let number): .scalar(type: "float", value: String(number))
      case .bool(let bool): .scalar(type: "bool", value: String(bool))
      case .date: .date
      case .array(let nodes): .array(nodes.map { TaggedValue($0.value) })
      case .table(let table):
        .table(
          Dictionary(table.entries.map { (TOMLKey($0.key), TaggedValue($0.node.value)) }) { first, _ in first })
      }
  }

  init(from decoder: any Decoder) throws {
    if let items = try? [TaggedValue](from: decoder) {
      self = .array(items)
      return
    }
    let container = try decoder.container(keyedBy: Key.self)
    if container.allKeys.count == 2, let type = try? container.decode(String.self, forKey: Key("type")),
      let value = try? container.decode(String.self, forKey: Key("value"))
    {
      switch type {
      case "float": self = .scalar(type: type, value: Double(value).map { String($0) } ?? value)
      case "datetime", "datetime-local", "date-local", "time-local": self = .date
      default: self = .scalar(type: type, value: value)
      }
      return
    }
    var table: [TOMLKey: TaggedValue] = [:]
    for key in container.allKeys {
      table[TOMLKey(key.stringValue)] = try container.decode(TaggedValue.self, forKey: key)
    }
    self = .table(table)
  }

  var description: String {
    switch self {
    case .scalar(let type, let value): "\(type) \(value.debugDescription)"
    case .date: "date"
    case .array(let items): "\(items)"
    case .table(let table): "\(table.map { ($0.key.text, $0.value) })"
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
