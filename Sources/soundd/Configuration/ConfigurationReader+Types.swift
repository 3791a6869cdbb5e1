import SoundTrigger

/// Keys of a known type. Each returns `nil` if the key is missing, and also, having said so, if its value is wrong.
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

  /// A text that names something: not empty, without control characters.
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
      report("expected a name without control characters, found \(QuotedText.single(text))", item)
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
        "expected a duration such as \(DurationText.examples) (at most \(longest)), found \(QuotedText.single(text))",
        item)
      return nil
    }
    if let range, !range.contains(duration) {
      let bounds = "\(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
      report("expected \(bounds), found \(QuotedText.single(text))", item)
      return nil
    }
    return duration
  }

  /// A regular expression; of one that does not compile the place is that of the mistake, if it can be found.
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
      "expected one of \(list), found \(QuotedText.single(text))", item,
      suggestion: Suggestion.nearest(to: text, among: words))
    return nil
  }
}

extension Pattern.Problem {
  /// The message with the place in the expression, in characters.
  func description(of expression: String) -> String {
    let before = String(decoding: expression.utf8.prefix(offset), as: UTF8.self).unicodeScalars.count
    return "\(message) (at character \(before + 1) of \(QuotedText.single(expression)))"
  }
}
