import SoundTrigger

/// What a trigger says: a text with placeholders.
struct SpeechText: Equatable, Sendable {
  /// The most characters that are spoken.
  static let longest = 200
  static let placeholders = ["value", "old", "name", "trigger"]

  let template: String
  /// Whether the trigger has no other sound.
  let isAlone: Bool
  /// The spoken text if the template has no placeholder.
  let constant: String?

  init(template: String, isAlone: Bool = false) {
    (self.template, self.isAlone) = (template, isAlone)
    constant = template.contains("{") ? nil : Self.clean(template)
  }

  /// The name under which it is loaded.
  var sound: String { Speech.prefix + template }

  /// Why a template is wrong; `nil` if it is good.
  static func problem(_ template: String) -> String? {
    var rest = template[...]
    while let open = rest.firstIndex(where: { "{}".contains($0) }) {
      let close = rest[open...].firstIndex(of: "}")
      guard rest[open] == "{", let close, placeholders.contains(String(rest[rest.index(after: open)..<close])) else {
        return
          "expected {value}, {old}, {name} or {trigger}, found '\(Excerpt.escaping(String(rest[open...].prefix(20))))'"
      }
      rest = rest[rest.index(after: close)...]
    }
    return clean(template).isEmpty ? "expected a text, found nothing to speak" : nil
  }

  /// What is spoken when a trigger has played for this change.
  func text(of trigger: String, _ cause: Cause) -> String {
    if let constant { return constant }
    // What is too long to be kept has no text.
    func content(_ value: Value?) -> String { value.map { $0.text } ?? "nothing" }
    let contents = [
      "value": content(cause.new), "old": content(cause.old), "name": cause.value.original,
      "trigger": NameEscape.original(trigger),
    ]
    var text = ""
    var rest = template[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open] + (contents[String(rest[rest.index(after: open)..<close])] ?? "")
      rest = rest[rest.index(after: close)...]
    }
    return Self.clean(text + rest)
  }

  /// The text without control characters and markup, which an engine might take for commands, and not longer than is spoken.
  static func clean(_ text: String) -> String {
    let characters: [Character] = text.prefix(4 * longest).map { isControl($0) ? " " : $0 }
    let plain: [Character] = decodingEntities(withoutMarkup(characters[...])).map { isControl($0) ? " " : $0 }
    // What was written as entities may look like markup now.
    var harmless = ""
    for index in plain.indices {
      harmless.append(plain[index])
      if end(ofMarkupAt: index, in: plain[...]) != nil { harmless.append(" ") }
    }
    return String(harmless.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(longest))
  }

  private static func isControl(_ character: Character) -> Bool {
    let category = character.unicodeScalars.first?.properties.generalCategory
    return category == .control || category == .format
  }

  private static func withoutMarkup(_ text: ArraySlice<Character>) -> [Character] {
    var plain: [Character] = []
    var index = text.startIndex
    while index < text.endIndex {
      if let end = end(ofMarkupAt: index, in: text) { index = end } else { plain.append(text[index]) }
      index += 1
    }
    return plain
  }

  /// The `>` of the markup that begins at a place; `nil` if none does: after the `<` comes no letter, `/`, `!` or `?`, or no `>` follows.
  private static func end(ofMarkupAt index: Int, in text: ArraySlice<Character>) -> Int? {
    guard text[index] == "<", index + 1 < text.endIndex else { return nil }
    let next = text[index + 1]
    guard next.isLetter || "/!?".contains(next) else { return nil }
    return text[index...].firstIndex(of: ">")
  }

  private static let entities: [String: Character] = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
  /// The most characters between `&` and `;`.
  private static let longestEntity = 8

  /// The characters that XML's entities and character references stand for; any others stay as they are.
  private static func decodingEntities(_ text: [Character]) -> [Character] {
    var plain: [Character] = []
    var index = 0
    while index < text.count {
      defer { index += 1 }
      guard text[index] == "&", let end = text[index...].prefix(longestEntity + 2).firstIndex(of: ";"),
        let character = entity(String(text[index + 1..<end]))
      else {
        plain.append(text[index])
        continue
      }
      plain.append(character)
      index = end
    }
    return plain
  }

  private static func entity(_ name: String) -> Character? {
    guard name.hasPrefix("#") else { return entities[name] }
    let isHexadecimal = name.hasPrefix("#x") || name.hasPrefix("#X")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard digits.allSatisfy(\.isHexDigit), let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
      return nil
    }
    return Unicode.Scalar(number).map { Character($0) }
  }
}
