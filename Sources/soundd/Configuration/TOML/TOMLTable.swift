/// Keys and their values, in the order of the file.
struct TOMLTable: Sendable {
  struct Entry: Sendable {
    var key: String
    /// The place of the key itself, where it was first written.
    var keyPlace: TOMLPlace
    var node: TOMLNode
  }

  let entries: [Entry]
  private let index: [TOMLKey: Int]

  /// A table of these entries; `index` leads from each key to its place among them.
  init(entries: [Entry], index: [TOMLKey: Int]) {
    self.entries = entries
    self.index = index
  }

  subscript(_ key: String) -> Entry? { index[TOMLKey(key)].map { entries[$0] } }
}
