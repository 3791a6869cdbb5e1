package import SoundTrigger

/// A warning, in `status` and `check --json`.
package struct WarningMessage: Message, Sendable {
  /// `nil` without a word for it.
  package var code: Word<WarningCode>?
  /// For people: one line, with its position.
  package var message = ""
  /// The value that was set, if it is about that.
  package var value: String?
  /// The configuration, if it is about a line of one.
  package var file: String?
  package var line: Int?
  package var column: Int?
  package var key: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("code", &code)
    m.required("message", &message)
    m("value", &value)
    m("file", &file)
    m("line", &line)
    m("column", &column)
    m("key", &key)
  }

  /// Whether it says that the configuration's file is not what runs since the start.
  package var isAboutStart: Bool { [.lastGood, .noConfiguration].contains(code?.kind) }
}
