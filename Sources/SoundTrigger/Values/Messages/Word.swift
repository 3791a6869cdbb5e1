/// A word of a list that a newer program may have made longer: an unknown word is kept as it is.
package struct Word<Kind: RawRepresentable & Sendable>: WireValue, Hashable, Sendable
where Kind.RawValue == String {
  package let text: String

  package init(_ kind: Kind) { text = kind.rawValue }
  package init(text: String) { self.text = text }

  /// `nil` if this program does not know the word.
  package var kind: Kind? { Kind(rawValue: text) }

  package static func == (word: Word, kind: Kind) -> Bool { word.text == kind.rawValue }
  package static func != (word: Word, kind: Kind) -> Bool { word.text != kind.rawValue }

  package func write(to writer: inout JSONWriter) { writer.string(text) }

  package static func read(_ document: JSONDocument) throws(MessageError) -> Word {
    Word(text: try String.read(document))
  }

  package static var kindName: String { "word" }
}
