/// Keys and their values, in the order of the file, and TOML's rules about which table may still grow.
///
/// Nothing recurses deeper than `maximumDepth`, not even the end of a document.
final class TOMLTable {
  struct Entry {
    var key: String
    /// The location of the key itself, where it was first written.
    var keyLocation: TOMLLocation
    var node: TOMLNode

    /// The key itself as a string.
    var keyNode: TOMLNode { TOMLNode(value: .string(key), location: keyLocation) }
  }

  /// How a table was made, which decides what may add to it.
  enum Origin {
    /// By a header of its own: headers may add tables to it.
    case defined
    /// As a part of a longer header: one header of its own may follow, or dotted keys.
    case implied
    /// By a dotted key: more dotted keys may follow.
    case dotted
    /// As a value: nothing may follow.
    case inline
  }

  /// How many tables and arrays may enclose a value.
  static let maximumDepth = 128

  private(set) var entries: [Entry] = []
  private var index: [TOMLKey: Int] = [:]
  fileprivate var origin: Origin
  /// How many tables and arrays enclose the table.
  let depth: Int

  init(_ origin: Origin, depth: Int) {
    self.origin = origin
    self.depth = depth
  }

  subscript(_ key: String) -> Entry? { index[TOMLKey(key)].map { entries[$0] } }

  /// Adds a key that `locate` has found free.
  func add(_ part: TOMLKeyPart, _ node: TOMLNode) {
    index[part.key] = entries.count
    entries.append(Entry(key: part.key.text, keyLocation: part.location, node: node))
  }

  /// Makes the tables of a dotted key and returns the one for its last part, which is not in use.
  func locate(_ parts: [TOMLKeyPart]) throws(TOMLProblem) -> TOMLTable {
    var table = self
    for (position, part) in parts.enumerated() {
      let isLast = position == parts.count - 1
      switch table[part.key.text]?.node {
      case nil where isLast: return table
      case nil: table = try table.addTable(part, .dotted, at: part.location)
      case .some(let node):
        guard !isLast, case .table(let next) = node.value, next.origin == .implied || next.origin == .dotted else {
          throw Self.inUse(parts[...position], node, Self.remedy)
        }
        next.origin = .dotted
        table = next
      }
    }
    return table
  }

  // MARK: Headers

  /// Defines the table of `[a.b.c]`, in the document's own table.
  func openTable(_ parts: [TOMLKeyPart], at location: TOMLLocation) throws(TOMLProblem) -> TOMLTable {
    guard let last = parts.last else { return self }
    let parent = try parentOfHeader(parts)
    guard let found = parent.index[last.key] else { return try parent.addTable(last, .defined, at: location) }
    let node = parent.entries[found].node
    guard case .table(let table) = node.value, table.origin == .implied else {
      let isArray = node.lastTable != nil
      throw Self.inUse(parts[...], node, isArray ? ": write [[\(Self.path(parts[...]))]] for one more" : Self.remedy)
    }
    table.origin = .defined
    parent.entries[found].node.location = location
    return table
  }

  /// Appends a table to the array of `[[a.b.c]]`, in the document's own table.
  func openTableInArray(_ parts: [TOMLKeyPart], at location: TOMLLocation) throws(TOMLProblem) -> TOMLTable {
    guard let last = parts.last else { return self }
    let parent = try parentOfHeader(parts)
    if parent.depth + 2 > Self.maximumDepth { throw Self.tooDeep(at: last.location) }
    let table = TOMLTable(.defined, depth: parent.depth + 2)
    let item = TOMLNode(value: .table(table), location: location)
    if let found = parent.index[last.key] {
      guard parent.append(item, to: found) else {
        throw Self.inUse(parts[...], parent.entries[found].node, ", not an array of [[tables]]")
      }
    } else {
      parent.add(last, TOMLNode(value: .array([item]), location: location))
    }
    return table
  }

  private func parentOfHeader(_ parts: [TOMLKeyPart]) throws(TOMLProblem) -> TOMLTable {
    var table = self
    for (position, part) in parts.dropLast().enumerated() {
      guard let node = table[part.key.text]?.node else {
        table = try table.addTable(part, .implied, at: part.location)
        continue
      }
      if case .table(let next) = node.value, next.origin != .inline {
        table = next
      } else if let last = node.lastTable {
        table = last
      } else {
        throw Self.inUse(parts[...position], node, ", not a table")
      }
    }
    return table
  }

  private func addTable(
    _ part: TOMLKeyPart, _ origin: Origin, at location: TOMLLocation
  ) throws(TOMLProblem) -> TOMLTable {
    if depth + 1 > Self.maximumDepth { throw Self.tooDeep(at: part.location) }
    let table = TOMLTable(origin, depth: depth + 1)
    add(part, TOMLNode(value: .table(table), location: location))
    return table
  }

  /// Appends to an array of tables; returns `false` if the entry is anything else.
  private func append(_ item: TOMLNode, to found: Int) -> Bool {
    guard entries[found].node.lastTable != nil, case .array(var items) = entries[found].node.value else { return false }
    // Leaves the only reference to the items here, so that nothing copies them.
    entries[found].node.value = .array([])
    items.append(item)
    entries[found].node.value = .array(items)
    return true
  }

  // MARK: Parts

  /// Adds what another file of the configuration has: appends `[[tables]]`, and joins tables that only headers such as
  /// `[value.a]` have made. Calls `report` for any other key that both have, with the location of the first and the path.
  func merge(
    _ other: TOMLTable, at path: ConfigurationPath = .top,
    report: (_ second: Entry, _ first: TOMLLocation, ConfigurationPath) -> Void
  ) {
    for entry in other.entries {
      let path = path.key(entry.key)
      guard let found = index[TOMLKey(entry.key)] else {
        add(TOMLKeyPart(key: TOMLKey(entry.key), location: entry.keyLocation), entry.node)
        continue
      }
      switch (entries[found].node.value, entry.node.value) {
      case (.table(let first), .table(let second))
      where depth == 0 && [first.origin, second.origin].contains(.implied) && first.origin != .inline
        && second.origin != .inline:
        first.merge(second, at: path, report: report)
      case (.array, .array(let items)) where entries[found].node.lastTable != nil && entry.node.lastTable != nil:
        for item in items { _ = append(item, to: found) }
      default: report(entry, entries[found].keyLocation, path)
      }
    }
  }

  // MARK: Errors

  static func tooDeep(at location: TOMLLocation) -> TOMLProblem {
    TOMLProblem(location: location, message: "expected at most \(maximumDepth) levels of nesting, found more")
  }

  private static let remedy = ": remove one of the two"

  private static func path(_ parts: ArraySlice<TOMLKeyPart>) -> String {
    parts.map { ConfigurationPath.part($0.key.text) }.joined(separator: ".")
  }

  private static func inUse(_ parts: ArraySlice<TOMLKeyPart>, _ node: TOMLNode, _ note: String) -> TOMLProblem {
    let type = node.lastTable == nil ? node.value.typeName : "an array of tables"
    let location = parts.last?.location ?? node.location
    return TOMLProblem(
      location: location, message: "\(path(parts)) is already \(type) (line \(node.location.line))\(note)")
  }
}

extension TOMLNode {
  /// The last table of an array that `[[…]]` made; `nil` if this is anything else.
  fileprivate var lastTable: TOMLTable? {
    guard case .array(let items) = value, case .table(let table)? = items.last?.value, table.origin != .inline else {
      return nil
    }
    return table
  }
}
