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
    let characters = text.prefix(4 * longest).map { character in
      let category = character.unicodeScalars.first?.properties.generalCategory
      return category == .control || category == .format ? " " : character
    }
    var plain = ""
    var index = 0
    while index < characters.count {
      if characters[index] != "<" {
        plain.append(characters[index])
      } else if let end = characters[index...].firstIndex(of: ">") {
        index = end
      }
      index += 1
    }
    return String(plain.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(longest))
  }
}
