package import SoundTrigger

/// The main file of a configuration that is kept because it was good: the first line of its copy.
package struct KeptFile: Message, Sendable {
  /// Its absolute path.
  package var file = ""
  package var keptAt = Timestamp(seconds: 0)
  package var text = ""
  /// Who else may write it.
  package var writers: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("file", &file)
    m.required("kept_at", &keptAt)
    m("text", &text)
    m("writers", &writers)
  }
}

/// A part of it: each other line.
package struct KeptPart: Message, Sendable {
  /// Its name in the folder of parts.
  package var part = ""
  package var text = ""
  /// As in `KeptFile`.
  package var writers: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("part", &part)
    m.required("text", &text)
    m("writers", &writers)
  }
}
