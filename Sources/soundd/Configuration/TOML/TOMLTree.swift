/// The tables of a document while it is read, and TOML's rules about which of them may still grow.
///
/// Tables lie side by side and name each other by index: adding to one copies no other, and nothing recurses deeper than
/// `maximumDepth` when the document is copied out or freed.
struct TOMLTree {
  /// How many tables and arrays may enclose a value.
  static let maximumDepth = 128
  /// The index of the document's own table.
  static let root = 0

  /// How a table was made, which decides what may add to it.
  private enum Origin {
    /// By a header of its own, or as an inline table: closed to further definitions.
    case defined
    /// As a part of a longer header: one header of its own may follow, or dotted keys.
    case implied
    /// By a dotted key: more dotted keys may follow.
    case dotted
  }

  private enum Slot {
    case value(TOMLNode)
    case table(Int)
    /// An array of tables: an index into `lists`.
    case list(Int)
  }

  private struct Table {
    var entries: [(part: TOMLKeyPart, slot: Slot)] = []
    var index: [TOMLKey: Int] = [:]
    var origin: Origin
    var place: TOMLPlace
    var depth: Int

    subscript(_ key: TOMLKey) -> Slot? { index[key].map { entries[$0].slot } }

    mutating func add(_ part: TOMLKeyPart, _ slot: Slot) {
      index[part.key] = entries.count
      entries.append((part, slot))
    }
  }

  private struct List {
    var items: [Int]
    var place: TOMLPlace
  }

  private var tables = [Table(origin: .defined, place: TOMLPlace(line: 1, column: 1), depth: 0)]
  private var lists: [List] = []

  /// How many tables and arrays enclose the table.
  func depth(of table: Int) -> Int { tables[table].depth }

  // MARK: Headers

  /// Defines the table of `[a.b.c]` and returns its index.
  mutating func openTable(_ parts: [TOMLKeyPart], at place: TOMLPlace) throws(TOMLError) -> Int {
    let parent = try parentOfHeader(parts)
    guard let last = parts.last else { return Self.root }
    switch tables[parent][last.key] {
    case nil:
      return try addTable(to: parent, last, origin: .defined, at: place)
    case .table(let table) where tables[table].origin == .implied:
      tables[table].origin = .defined
      tables[table].place = place
      return table
    case .some(let slot):
      throw TOMLError(place: last.place, message: "\(path(parts)) is already \(describe(slot))")
    }
  }

  /// Appends a table to the array of `[[a.b.c]]` and returns its index.
  mutating func openTableInArray(_ parts: [TOMLKeyPart], at place: TOMLPlace) throws(TOMLError) -> Int {
    let parent = try parentOfHeader(parts)
    guard let last = parts.last else { return Self.root }
    let depth = tables[parent].depth + 2
    guard depth <= Self.maximumDepth else { throw Self.tooDeep(at: last.place) }
    let table = tables.count
    switch tables[parent][last.key] {
    case nil:
      tables[parent].add(last, .list(lists.count))
      lists.append(List(items: [table], place: place))
    case .list(let list):
      lists[list].items.append(table)
    case .some(let slot):
      throw TOMLError(
        place: last.place, message: "\(path(parts)) is already \(describe(slot)), not an array of [[tables]]")
    }
    tables.append(Table(origin: .defined, place: place, depth: depth))
    return table
  }

  private mutating func parentOfHeader(_ parts: [TOMLKeyPart]) throws(TOMLError) -> Int {
    var table = Self.root
    for (position, part) in parts.dropLast().enumerated() {
      switch tables[table][part.key] {
      case nil: table = try addTable(to: table, part, origin: .implied, at: part.place)
      case .table(let next): table = next
      // A list is created with its first table and never shrinks.
      case .list(let list): table = lists[list].items[lists[list].items.count - 1]
      case .some(.value(let node)):
        let name = path(parts[...position])
        throw TOMLError(place: part.place, message: "\(name) is already \(describe(.value(node))), not a table")
      }
    }
    return table
  }

  // MARK: Keys

  /// Makes the tables of a dotted key and returns the one for its last part, which is not set yet.
  mutating func locate(_ parts: [TOMLKeyPart], in start: Int) throws(TOMLError) -> Int {
    var table = start
    for (position, part) in parts.enumerated() {
      let isLast = position == parts.count - 1
      switch tables[table][part.key] {
      case nil where isLast: return table
      case nil: table = try addTable(to: table, part, origin: .dotted, at: part.place)
      case .table(let next) where !isLast && tables[next].origin != .defined:
        tables[next].origin = .dotted
        table = next
      case .some(let slot):
        let name = path(parts[...position])
        throw TOMLError(place: part.place, message: "\(name) is already \(describe(slot))")
      }
    }
    return table
  }

  /// Sets a key that `locate` has found free.
  mutating func set(_ part: TOMLKeyPart, in table: Int, to node: TOMLNode) {
    tables[table].add(part, .value(node))
  }

  private mutating func addTable(
    to parent: Int, _ part: TOMLKeyPart, origin: Origin, at place: TOMLPlace
  ) throws(TOMLError) -> Int {
    let depth = tables[parent].depth + 1
    guard depth <= Self.maximumDepth else { throw Self.tooDeep(at: part.place) }
    let table = tables.count
    tables[parent].add(part, .table(table))
    tables.append(Table(origin: origin, place: place, depth: depth))
    return table
  }

  // MARK: Inline tables

  /// Begins an inline table; inner ones must end first.
  mutating func beginInline(at place: TOMLPlace, depth: Int) -> Int {
    tables.append(Table(origin: .defined, place: place, depth: depth))
    return tables.count - 1
  }

  /// Removes the inline table from the tree, with all tables that its dotted keys made.
  mutating func endInline(_ table: Int) -> TOMLTable {
    let result = frozen(table)
    tables.removeSubrange(table...)
    return result
  }

  /// The table as it is now.
  func frozen(_ table: Int) -> TOMLTable {
    let entries = tables[table].entries.map { part, slot in
      TOMLTable.Entry(key: part.key.text, keyPlace: part.place, node: frozen(slot))
    }
    return TOMLTable(entries: entries, index: tables[table].index)
  }

  private func frozen(_ slot: Slot) -> TOMLNode {
    switch slot {
    case .value(let node): node
    case .table(let table): TOMLNode(value: .table(frozen(table)), place: tables[table].place)
    case .list(let list):
      TOMLNode(
        value: .array(lists[list].items.map { TOMLNode(value: .table(frozen($0)), place: tables[$0].place) }),
        place: lists[list].place)
    }
  }

  // MARK: Messages

  static func tooDeep(at place: TOMLPlace) -> TOMLError {
    TOMLError(place: place, message: "expected at most \(maximumDepth) levels of nesting, found more")
  }

  private func path(_ parts: some Sequence<TOMLKeyPart>) -> String {
    parts.map { ConfigurationPath.part($0.key.text) }.joined(separator: ".")
  }

  private func describe(_ slot: Slot) -> String {
    switch slot {
    case .value(let node): "\(node.value.typeName) (line \(node.place.line))"
    case .table(let table): "a table (line \(tables[table].place.line))"
    case .list(let list): "an array of tables (line \(lists[list].place.line))"
    }
  }
}
