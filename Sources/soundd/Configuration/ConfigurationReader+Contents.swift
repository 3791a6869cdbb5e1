import SoundTrigger

/// Contents of values that stand in the configuration.
extension ConfigurationReader {
  /// Reads `from` or `to`: one content or a list of them.
  ///
  /// Empty if the value's type is not known, or if anything is wrong with the list.
  mutating func readContents(_ key: String, of section: Section, _ kind: ValueKind?) -> [Value] {
    guard let kind, let item = item(key, of: section) else { return [] }
    guard case .array(let nodes) = item.node.value else { return content(item, kind).map { [$0] } ?? [] }
    if nodes.isEmpty { report("expected at least one value, found an empty array", item) }
    var contents: [Value] = []
    for (index, node) in nodes.enumerated() {
      if let content = content(Item(node: node, path: item.path.item(index)), kind) { contents.append(content) }
    }
    return contents.count == nodes.count ? contents : []
  }

  private mutating func content(_ item: Item, _ kind: ValueKind) -> Value? {
    switch (item.node.value, kind) {
    case (.string(let text), _): return content(text, kind, at: item.node.place, item.path)
    case (.bool(let bool), .bool): return .bool(bool)
    case (.integer, .number), (.float, .number): return number(item).map(Value.number)
    case (_, .number): reportType(item, expected: "a number")
    case (_, .bool): reportType(item, expected: "a boolean")
    case (_, .text), (_, .json), (_, .event): reportType(item, expected: "a string")
    }
    return nil
  }

  /// A text as the content of a value of this kind.
  mutating func content(
    _ text: String, _ kind: ValueKind, at place: TOMLPlace, _ path: ConfigurationPath
  ) -> Value? {
    if let value = typedValue(text, kind: kind) { return value }
    report("expected \(Self.form(of: kind)), found \(QuotedText.single(text))", at: place, path)
    return nil
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
