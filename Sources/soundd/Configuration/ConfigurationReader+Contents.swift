import SoundTrigger

/// Contents of values that stand in the configuration.
extension ConfigurationReader {
  /// Reads `from` or `to`: one content or a list of them, as contents of each of these kinds that they may be of.
  ///
  /// Empty if there are no kinds, or if anything is wrong with the list.
  mutating func readContents(_ key: String, of section: Section, _ kinds: [ValueKind]) -> [Value] {
    guard !kinds.isEmpty, let item = item(key, of: section) else { return [] }
    guard case .array(let nodes) = item.node.value else { return contents(item, kinds) }
    if nodes.isEmpty { report("expected at least one value, found an empty array", item) }
    let errorsBefore = errorCount
    var all: [Value] = []
    for (index, node) in nodes.enumerated() {
      all += contents(Item(node: node, path: item.path.item(index)), kinds)
    }
    return errorCount == errorsBefore ? all : []
  }

  mutating func contents(_ item: Item, _ kinds: [ValueKind]) -> [Value] {
    switch item.node.value {
    case .string(let text): return contents(text, kinds, at: item.node.place, item.path)
    case .bool(let bool) where kinds.contains(.bool): return [.bool(bool)]
    case .integer where kinds.contains(.number), .float where kinds.contains(.number):
      return number(item).map { [.number($0)] } ?? []
    default:
      reportType(item, expected: Self.joined(kinds.map(Self.type)))
      return []
    }
  }

  /// A text as the content of a value of each of these kinds, as far as it is one; each once.
  mutating func contents(
    _ text: String, _ kinds: [ValueKind], at place: TOMLPlace, _ path: ConfigurationPath
  ) -> [Value] {
    var contents: [Value] = []
    for content in kinds.compactMap({ typedValue(text, kind: $0) }) where !contents.contains(content) {
      contents.append(content)
    }
    if contents.isEmpty {
      report("expected \(Self.joined(kinds.map(Self.form))), found \(QuotedText.single(text))", at: place, path)
    }
    return contents
  }

  private static func joined(_ forms: [String]) -> String {
    var once: [String] = []
    for form in forms where !once.contains(form) { once.append(form) }
    return once.joined(separator: " or ")
  }

  private static func type(of kind: ValueKind) -> String {
    switch kind {
    case .number: "a number"
    case .bool: "a boolean"
    case .text, .json, .event: "a string"
    }
  }

  private static func form(of kind: ValueKind) -> String {
    switch kind {
    case .text, .event: "a text"
    case .number: "a number"
    case .bool: "true, yes, on, 1, false, no, off or 0"
    case .json: "a JSON document"
    }
  }
}
