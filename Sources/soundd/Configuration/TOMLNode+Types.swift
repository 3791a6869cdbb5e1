import Glibc
import SoundTrigger
import SoundWire

/// A value of the configuration as one of a known type.
extension TOMLNode {
  /// The problem of a value of another type; `expected` has its article. `isMeant`: whether a string would be right as it is, but
  /// for its quotes.
  func mismatch(_ expected: String, isMeant: (String) -> Bool = { _ in false }) -> SettingProblem {
    let isQuoted = if case .string(let text) = value { isMeant(text) } else { false }
    return SettingProblem("expected \(expected), found \(value.typeName)\(isQuoted ? ": write it without quotes" : "")")
  }

  func string(_ expected: String = "a string") throws(SettingProblem) -> String {
    guard case .string(let text) = value else { throw mismatch(expected) }
    return text
  }

  /// A string that is not empty and has no control characters.
  func name() throws(SettingProblem) -> String {
    let text = try string()
    if text.isEmpty { throw SettingProblem("expected a name, found an empty string") }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw SettingProblem(expected: "a name without control characters", found: text)
    }
    return text
  }

  /// A name without blanks at its ends, because a line of the socket has none there.
  func triggerName() throws(SettingProblem) -> String {
    let text = try name()
    if text.contains("[") || text.contains("]") {
      throw SettingProblem(expected: "a name without '[' and ']', which name the members of a rule", found: text)
    }
    guard text.utf8.first == UInt8(ascii: " ") || text.utf8.last == UInt8(ascii: " ") else { return text }
    throw SettingProblem(expected: "a name without blanks at its ends", found: text)
  }

  func bool() throws(SettingProblem) -> Bool {
    guard case .bool(let bool) = value else { throw mismatch("a boolean") { ["true", "false"].contains($0) } }
    return bool
  }

  func integer(in range: ClosedRange<Int>) throws(SettingProblem) -> Int {
    guard case .integer(let number) = value else { throw mismatch("an integer") { Self.isNumber($0, whole: true) } }
    guard let result = Int(exactly: number), range.contains(result) else {
      throw SettingProblem("expected \(range.lowerBound) to \(range.upperBound), found \(number)")
    }
    return result
  }

  /// An integer or a float, but neither infinity nor NaN.
  func number() throws(SettingProblem) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .float(let number) where number.isFinite: return number
    case .float(let number): throw SettingProblem("expected a finite number, found \(number)")
    default: throw mismatch("a number") { Self.isNumber($0) }
    }
  }

  /// Whether a text is a finite number as TOML writes it.
  private static func isNumber(_ text: String, whole: Bool = false) -> Bool {
    switch try? TOMLNumber.value(of: Array(text.utf8)[...]) {
    case .integer: true
    case .float(let number): !whole && number.isFinite
    default: false
    }
  }

  func duration(in range: ClosedRange<Duration>? = nil) throws(SettingProblem) -> Duration {
    let expected = "a duration such as \(DurationText.examples)"
    if case .integer(let number) = value {
      throw SettingProblem(
        mismatch(expected).message, suggestion: DurationText.suggestion(for: "\(number)", in: range))
    }
    let text = try string(expected)
    guard let duration = DurationText.duration(text) else {
      let longest = DurationText.text(DurationText.longest)
      throw SettingProblem(
        expected: "\(expected) (at most \(longest))", found: text,
        suggestion: DurationText.suggestion(for: text, in: range))
    }
    try Self.check(duration, text, in: range, DurationText.text)
    return duration
  }

  /// A size with a unit, in bytes. A bare integer is refused, with what was probably meant.
  func size(in range: ClosedRange<Int>) throws(SettingProblem) -> Int {
    let expected = "a size such as \(SizeText.examples)"
    if case .integer(let bytes) = value, let bytes = Int(exactly: bytes), range.contains(bytes) {
      throw SettingProblem(mismatch(expected).message, suggestion: SizeText.text(bytes))
    }
    let text = try string(expected)
    guard let size = SizeText.size(text) else {
      throw SettingProblem(expected: expected, found: text, suggestion: SizeText.suggestion(for: text))
    }
    try Self.check(size, text, in: range, SizeText.text)
    return size
  }

  /// Throws if what a text says is out of range; `write` writes the bounds.
  private static func check<Amount>(
    _ amount: Amount, _ text: String, in range: ClosedRange<Amount>?, _ write: (Amount) -> String
  ) throws(SettingProblem) {
    guard let range, !range.contains(amount) else { return }
    throw SettingProblem(expected: "\(write(range.lowerBound)) to \(write(range.upperBound))", found: text)
  }

  /// One of a few words.
  func word<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) throws(SettingProblem) -> Word {
    let text = try string()
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue)
    let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
    throw SettingProblem(
      expected: "one of \(list)", found: text, suggestion: Suggestion.nearest(to: text, among: words))
  }

  /// The name of a value. `prefixes`: those of the feeds, beneath which names may be longer.
  func valueName(_ prefixes: [String]) throws(SettingProblem) -> ValueName {
    let text = try string()
    guard let name = ValueName(text) else {
      let rule =
        "1 to \(ValueName.maximumLength) of A-Z a-z 0-9 _ . / : - and escapes such as %20, the first a letter, digit or _"
      throw SettingProblem(expected: "a value's name (\(rule))", found: text)
    }
    try Self.check(text, prefixes)
    return name
  }

  private static func check(_ text: String, _ prefixes: [String]) throws(SettingProblem) {
    if ValueName.fits(text, beneath: prefixes) { return }
    throw SettingProblem("only beneath the prefix of a feed may a name have more than \(ValueName.maximumLength) bytes")
  }

  func valuePattern(_ prefixes: [String]) throws(SettingProblem) -> ValuePattern {
    let text = try string()
    if let pattern = ValuePattern(text) {
      // It names nothing shorter than itself.
      try Self.check(text, prefixes)
      return pattern
    }
    throw SettingProblem(
      expected: "a pattern such as \"agent/*\", whose '*' is a whole part between slashes", found: text)
  }

  /// A regular expression. A problem in it has its own location, if that can be found in `source`.
  func pattern(_ source: TOMLSource) throws(SettingProblem) -> Pattern {
    let text = try string()
    if text.isEmpty { throw SettingProblem("expected a regular expression, found an empty string") }
    if text.utf8.contains(0x08) {
      throw SettingProblem(
        "has a backspace, because \"\\b\" is one in double quotes: write the expression in single quotes")
    }
    do throws(Pattern.Problem) {
      return try Pattern(text)
    } catch {
      throw SettingProblem(
        error.description(of: text), location: source.location(ofByte: error.offset, in: text, at: location))
    }
  }

  func pointer(_ source: TOMLSource) throws(SettingProblem) -> JSONPointer {
    let text = try string()
    do throws(JSONPointer.Problem) {
      return try JSONPointer(text)
    } catch {
      throw SettingProblem(
        "\(error.message), such as \"/a/b\", found \(Excerpt.quoting(text))",
        location: source.location(ofByte: error.offset, in: text, at: location))
    }
  }

  /// A level or a factor, as a factor; its range is not checked.
  func volume() throws(SettingProblem) -> Double {
    let text: String
    switch value {
    case .integer, .float:
      let factor = try number()
      if factor >= 0 { return factor }
      text = factor.shortestText
    default: text = try string(VolumeText.expected)
    }
    if let factor = VolumeText.factor(text) { return factor }
    throw SettingProblem(expected: VolumeText.expected, found: text, suggestion: VolumeText.suggestion(for: text))
  }

  /// How much quieter something gets, such as `"12 dB"`, as a factor.
  func attenuation() throws(SettingProblem) -> Double {
    let expected = "0 dB to 60 dB, such as \"12 dB\""
    let text = try string(expected)
    guard let decibels = VolumeText.decibels(text), OutputSettings.ducks ~= decibels else {
      throw SettingProblem(expected: expected, found: text)
    }
    return pow(10, -decibels / 20)
  }

  /// Two settings of a kind, such as `[0, 100]`.
  func ends(_ end: (TOMLNode) throws(SettingProblem) -> Double) throws(SettingProblem) -> Mapping.Ends {
    guard case .array(let nodes) = value, nodes.count == 2 else { throw SettingProblem("expected two, as [0, 100]") }
    return Mapping.Ends(try end(nodes[0]), try end(nodes[1]))
  }

  /// Such as `"-12 st"`.
  func semitones() throws(SettingProblem) -> Double {
    let expected = "semitones such as \"-12 st\""
    let text = try string(expected)
    guard text.hasSuffix(" st"), let number = Double(text.dropLast(3)), number.isFinite else {
      throw SettingProblem(expected: expected, found: text)
    }
    return number
  }

  func keepOpen() throws(SettingProblem) -> OutputSettings.KeepOpen {
    let words = [("always", OutputSettings.KeepOpen.always), ("never", .atMost(.zero))]
    return try wordOrDuration(words, in: OutputSettings.keepOpenTimes, OutputSettings.KeepOpen.atMost)
  }

  func wake() throws(SettingProblem) -> OutputSettings.Wake {
    let words = [("auto", OutputSettings.Wake.automatic), ("off", .after(.zero))]
    return try wordOrDuration(words, in: OutputSettings.wakeTimes, OutputSettings.Wake.after)
  }

  private func wordOrDuration<Setting>(
    _ words: [(word: String, setting: Setting)], in range: ClosedRange<Duration>, _ setting: (Duration) -> Setting
  ) throws(SettingProblem) -> Setting {
    let names = words.map(\.word)
    let expected = names.map { "'\($0)'" }.joined(separator: ", ") + " or a duration such as \(DurationText.examples)"
    let text = try string(expected)
    if let word = words.first(where: { $0.word == text }) { return word.setting }
    if DurationText.duration(text) == nil {
      let near = DurationText.suggestion(for: text) ?? Suggestion.nearest(to: text, among: names)
      throw SettingProblem(expected: expected, found: text, suggestion: near)
    }
    return setting(try duration(in: range))
  }

  func initial() throws(SettingProblem) -> TriggerDefinition.Initial {
    if case .bool(let isGiven) = value { return isGiven ? .yes : .no }
    let expected = "true, false or \"if-changed\""
    let text = try string(expected)
    if text == "if-changed" { return .ifChanged }
    throw SettingProblem(
      expected: expected, found: text, suggestion: Suggestion.nearest(to: text, among: ["if-changed"]))
  }

  /// A content of a value, for each of these kinds that it fits; each content once.
  func contents(_ kinds: [ValueKind]) throws(SettingProblem) -> [Value] {
    switch value {
    case .string(let text):
      var contents: [Value] = []
      for content in kinds.compactMap({ typedValue(text, kind: $0) }) where !contents.contains(content) {
        contents.append(content)
      }
      if !contents.isEmpty { return contents }
      throw SettingProblem(expected: Self.joined(kinds.map(Self.form)), found: text)
    case .bool(let bool) where kinds.contains(.bool): return [.bool(bool)]
    case .integer where kinds.contains(.number), .float where kinds.contains(.number): return [.number(try number())]
    default: throw mismatch(Self.joined(kinds.map(Self.type)))
    }
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

extension Pattern.Problem {
  /// The message with the position in the expression, in characters.
  func description(of expression: String) -> String {
    let before = String(decoding: expression.utf8.prefix(offset), as: UTF8.self).unicodeScalars.count
    return "\(message) (at character \(before + 1) of \(Excerpt.quoting(expression)))"
  }
}

/// A text as the content of a value of this kind; `nil` if it does not fit.
func typedValue(_ text: String, kind: ValueKind) -> Value? {
  var parser = ValueParser()
  return try? parser.parse(Array(text.utf8).span, as: kind)
}
