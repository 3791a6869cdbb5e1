import SoundTrigger

/// Keys of a known type. Each function returns `nil` if the key is missing; if its value is wrong it reports that and returns
/// `nil`, too.
extension ConfigurationReader {
  func item(_ key: String, of section: Section) -> Item? {
    section.table[key].map { Item(node: $0.node, path: section.path.key(key)) }
  }

  mutating func section(_ key: String, of section: Section) -> Section? {
    item(key, of: section).flatMap { table($0) }
  }

  mutating func table(_ item: Item) -> Section? {
    guard case .table(let table) = item.node.value else {
      reportType(item, expected: "a table")
      return nil
    }
    return Section(table: table, path: item.path, place: item.node.place)
  }

  mutating func bool(_ key: String, of section: Section) -> Bool? {
    guard let item = item(key, of: section) else { return nil }
    guard case .bool(let bool) = item.node.value else {
      reportType(item, expected: "a boolean")
      return nil
    }
    return bool
  }

  /// A name: not empty, without control characters.
  mutating func name(_ item: Item) -> String? {
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a string")
      return nil
    }
    guard !text.isEmpty else {
      report("expected a name, found an empty string", item)
      return nil
    }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      report("expected a name without control characters, found \(Excerpt.quoting(text))", item)
      return nil
    }
    return text
  }

  mutating func integer(_ key: String, of section: Section, in range: ClosedRange<Int>) -> Int? {
    guard let item = item(key, of: section) else { return nil }
    guard case .integer(let number) = item.node.value else {
      reportType(item, expected: "an integer")
      return nil
    }
    guard let result = Int(exactly: number), range.contains(result) else {
      report("expected \(range.lowerBound) to \(range.upperBound), found \(number)", item)
      return nil
    }
    return result
  }

  /// An integer or a float, but neither infinity nor NaN.
  mutating func number(_ key: String, of section: Section) -> Double? {
    item(key, of: section).flatMap { number($0) }
  }

  mutating func number(_ item: Item) -> Double? {
    switch item.node.value {
    case .integer(let number):
      return Double(number)
    case .float(let number) where number.isFinite:
      return number
    case .float(let number):
      report("expected a finite number, found \(number)", item)
    default:
      reportType(item, expected: "a number")
    }
    return nil
  }

  mutating func duration(_ key: String, of section: Section, in range: ClosedRange<Duration>? = nil) -> Duration? {
    guard let item = item(key, of: section) else { return nil }
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a duration such as \(DurationText.examples)")
      return nil
    }
    guard let duration = DurationText.duration(text) else {
      let longest = DurationText.text(DurationText.longest)
      report(
        "expected a duration such as \(DurationText.examples) (at most \(longest)), found \(Excerpt.quoting(text))",
        item)
      return nil
    }
    if let range, !range.contains(duration) {
      let bounds = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
      report("expected \(bounds), found \(Excerpt.quoting(text))", item)
      return nil
    }
    return duration
  }

  /// A regular expression; if it does not compile, the error has the place of the mistake, if that can be found.
  mutating func pattern(_ key: String, of section: Section) -> Pattern? {
    guard let item = item(key, of: section) else { return nil }
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a string")
      return nil
    }
    guard !text.isEmpty else {
      report("expected a regular expression, found an empty string", item)
      return nil
    }
    do throws(Pattern.Problem) {
      return try Pattern(text)
    } catch {
      let place = source.place(ofByte: error.offset, in: text, at: item.node.place)
      report(error.description(of: text), at: place ?? item.node.place, item.path)
      return nil
    }
  }

  /// One of a few words.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, of section: Section, as type: Word.Type
  ) -> Word? {
    guard let item = item(key, of: section) else { return nil }
    guard case .string(let text) = item.node.value else {
      reportType(item, expected: "a string")
      return nil
    }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue)
    let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
    report(
      "expected one of \(list), found \(Excerpt.quoting(text))", item,
      suggestion: Suggestion.nearest(to: text, among: words))
    return nil
  }
}

extension Pattern.Problem {
  /// The message with the place in the expression, in characters.
  func description(of expression: String) -> String {
    let before = String(decoding: expression.utf8.prefix(offset), as: UTF8.self).unicodeScalars.count
    return "\(message) (at character \(before + 1) of \(Excerpt.quoting(expression)))"
  }
}

/// Contents of values, as the configuration writes them.
extension ConfigurationReader {
  /// Reads `from` or `to`: one content or a list, as contents of each of these kinds that they fit.
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

  /// A text as the content of each of these kinds that it fits; each content once.
  mutating func contents(
    _ text: String, _ kinds: [ValueKind], at place: TOMLPlace, _ path: ConfigurationPath
  ) -> [Value] {
    var contents: [Value] = []
    for content in kinds.compactMap({ typedValue(text, kind: $0) }) where !contents.contains(content) {
      contents.append(content)
    }
    if contents.isEmpty {
      report("expected \(Self.joined(kinds.map(Self.form))), found \(Excerpt.quoting(text))", at: place, path)
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

/// A text as the content of a value of this kind; `nil` if it does not fit.
func typedValue(_ text: String, kind: ValueKind) -> Value? {
  var parser = ValueParser()
  return try? parser.parse(Array(text.utf8).span, as: kind)
}
