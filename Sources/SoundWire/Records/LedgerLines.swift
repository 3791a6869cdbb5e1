package import SoundTrigger

/// A folder that `soundd add` has made.
package struct LedgerFolder: Message, Sendable {
  package var folder = ""

  package init() {}

  package mutating func members(_ m: inout some Members) { m.required("folder", &folder) }
}

/// A file that `soundd add` has written, or changed.
package struct LedgerItem: Message, Sendable {
  package var recipe = ""
  package var path = ""
  package var kind = ""
  /// SHA-256 of the whole file afterwards, or empty.
  package var digest = ""
  /// What was added; empty for whole files.
  package var addition = ""
  /// What an update replaces, until it is complete.
  package var digestBefore: String?
  package var additionBefore: String?

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m.required("recipe", &recipe)
    m.required("path", &path)
    m.required("kind", &kind)
    m("digest", &digest)
    m("addition", &addition)
    m.ifPresent("digest_before", &digestBefore)
    m.ifPresent("addition_before", &additionBefore)
  }
}

/// The ledger as soundd 0.2.0 wrote it, without a checksum.
package struct OldLedger: Message, Sendable {
  package var folders: [String] = []
  package var items: [LedgerItem] = []

  package init() {}

  package mutating func members(_ m: inout some Members) {
    m("folders", &folders)
    m("items", &items)
  }
}
