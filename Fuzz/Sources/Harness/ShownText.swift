/// Messages about bytes from outside.
package enum ShownText {
  /// Finds fault with a text that is more than one line, that would act on a terminal, or that is longer than anybody reads.
  package static func check(_ text: String, limit: Int = 1000) {
    let isInert = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    Finding.unless(isInert, "a message has a control character: \(text.debugDescription)")
    Finding.unless(!text.isEmpty, "a message is empty")
    Finding.unless(
      text.utf8.count <= limit, "a message has \(text.utf8.count) bytes: \(text.prefix(200).debugDescription)")
  }
}
