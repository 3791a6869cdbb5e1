import SoundTrigger

/// What adding or removing recipes does, as a list; decided without touching anything.
///
/// The order makes it safe to stop after any action: the ledger is written before what it names, and forgets it afterwards.
struct RecipePlan {
  enum Action: Equatable {
    case makeFolder(String)
    case write(String, [UInt8], mode: UInt32)
    case link(String, to: String)
    /// Over what is there.
    case rename(String, to: String)
    case remove(String)
    /// What killed programs left beside a path.
    case clean(String)
    /// Unless something is in it.
    case removeFolder(String)
  }

  /// What is at a path.
  enum Entry: Equatable {
    case file([UInt8], mode: UInt32)
    case link(String)
    case folder
    /// The text says what, or why it cannot be read.
    case other(String)
  }

  /// Something to be installed; the path is absolute.
  enum Piece: Equatable {
    case file([UInt8], mode: UInt32)
    case link(String)
    /// Empty.
    case folder
    /// JSON.
    case merge([UInt8])
    /// One line or several, in a file that is made if `isMade`.
    case line(String, isMade: Bool)
  }

  let ledgerPath: String
  var ledger: RecipeLedger
  private let look: (String) -> Entry?
  private(set) var actions: [Action] = []
  /// What the user has to know.
  var notes: [String] = []
  /// The folders that `actions` make.
  private var made: [String] = []

  init(ledgerPath: String, ledger: RecipeLedger, look: @escaping (String) -> Entry?) {
    (self.ledgerPath, self.ledger, self.look) = (ledgerPath, ledger, look)
  }

  // MARK: Adding

  /// Plans to install the pieces of recipes, in this order.
  mutating func add(_ pieces: [(recipe: String, path: String, piece: Piece)]) throws(Failure) {
    for (recipe, path, piece) in pieces {
      switch piece {
      case .file(let bytes, let mode):
        let item = RecipeLedger.Item(recipe: recipe, path: path, kind: .file, digest: RecipeLedger.digest(bytes))
        try install(item, .write(path, bytes, mode: mode))
      case .link(let target):
        try install(RecipeLedger.Item(recipe: recipe, path: path, kind: .link, digest: target), .link(path, to: target))
      case .folder: prepare(FilePathText.join(path, "file"))
      case .merge, .line: try extend(recipe, path, piece)
      }
    }
    if actions.isEmpty { return }
    let own = folders(for: ledgerPath)
    ledger.folders += (own + made.filter { !own.contains($0) }).filter { !ledger.folders.contains($0) }
    actions = own.map { .makeFolder($0) } + [.write(ledgerPath, ledger.json, mode: 0o600)] + actions
  }

  private mutating func install(_ item: RecipeLedger.Item, _ action: Action) throws(Failure) {
    let known = ledger.items.firstIndex { $0.path == item.path }
    let entry = look(item.path)
    if let entry {
      if digest(entry) == item.digest { return }
      guard let known else {
        throw Failure(.refused, "\(item.path) is there already and is not soundd's: move it away; nothing was changed")
      }
      // What an earlier version has installed is replaced.
      guard digest(entry) == ledger.items[known].digest else {
        return notes.append("\(item.path) was edited, and stays as it is")
      }
    }
    note(item)
    prepare(item.path)
    if entry != nil, item.kind == .link { actions.append(.remove(item.path)) }
    actions.append(action)
  }

  private mutating func extend(_ recipe: String, _ path: String, _ piece: Piece) throws(Failure) {
    var old: [UInt8]?
    var mode: UInt32 = 0o644
    switch look(path) {
    case .file(let bytes, let found): (old, mode) = (bytes, found)
    case nil: break
    case .link, .folder: throw Failure(.refused, "\(path) is no file; nothing was changed")
    case .other(let problem): throw Failure(.refused, "\(path): \(problem); nothing was changed")
    }
    let (new, addition, kind): ([UInt8], String, RecipeLedger.Item.Kind)
    switch piece {
    case .merge(let bytes):
      (new, addition, kind) = (try Self.merge(bytes, into: old, path), String(decoding: bytes, as: UTF8.self), .merge)
    case .line(let line, let isMade):
      if old == nil, !isMade { return }
      (new, addition, kind) = (Self.append(line, to: old ?? []), line, .line)
    case .file, .link, .folder: return
    }
    if new == old { return }
    let item = RecipeLedger.Item(
      recipe: recipe, path: path, kind: kind, digest: RecipeLedger.digest(new), addition: addition, existed: old != nil)
    note(item)
    prepare(path)
    if let old { actions.append(.write(item.copy, old, mode: mode)) }
    actions.append(.write(path, new, mode: mode))
  }

  private mutating func note(_ item: RecipeLedger.Item) {
    if let known = ledger.items.firstIndex(where: { $0.path == item.path }) {
      ledger.items[known] = item
    } else {
      ledger.items.append(item)
    }
  }

  private mutating func prepare(_ path: String) {
    for folder in folders(for: path) where !made.contains(folder) {
      made.append(folder)
      actions.append(.makeFolder(folder))
    }
  }

  /// The missing folders above a path, the outermost first.
  private func folders(for path: String) -> [String] {
    var missing: [String] = []
    var folder = FilePathText.folder(of: path)
    while folder != "/", look(folder) == nil {
      missing.insert(folder, at: 0)
      folder = FilePathText.folder(of: folder)
    }
    return missing
  }

  private func digest(_ entry: Entry) -> String? {
    switch entry {
    case .file(let bytes, _): RecipeLedger.digest(bytes)
    case .link(let target): target
    case .folder, .other: nil
    }
  }

  // MARK: Removing

  /// Plans to take out what a recipe has installed, and nothing else.
  mutating func remove(_ recipe: String) {
    for item in ledger.items.reversed() where item.recipe == recipe {
      if item.path.hasSuffix(".service") {
        notes.append("then, if you enabled it: systemctl --user disable --now \(FilePathText.name(of: item.path))")
      }
      let entry = look(item.path)
      switch item.kind {
      case .file, .link:
        if entry == nil || digest(entry ?? .folder) == item.digest {
          actions.append(.remove(item.path))
        } else {
          notes.append("\(item.path) was edited, and stays: remove it yourself if you do not need it")
        }
      case .merge, .line: takeOut(item, entry)
      }
    }
    ledger.items.removeAll { $0.recipe == recipe }
  }

  /// Plans the end: the ledger forgets what was removed, and folders go that are empty now.
  mutating func finishRemoving() {
    let own = Set(ledger.folders.filter { ledgerPath.hasPrefix($0 + "/") })
    func remove(_ folders: [String]) { actions += folders.reversed().map { .removeFolder($0) } }
    remove(ledger.folders.filter { !own.contains($0) })
    if !ledger.items.isEmpty { return actions.append(.write(ledgerPath, ledger.json, mode: 0o600)) }
    actions.append(.remove(ledgerPath))
    remove(ledger.folders.filter(own.contains))
  }

  private mutating func takeOut(_ item: RecipeLedger.Item, _ entry: Entry?) {
    defer { actions.append(.clean(item.path)) }
    guard case .file(let bytes, let mode)? = entry else { return actions.append(.remove(item.copy)) }
    let isUntouched = RecipeLedger.digest(bytes) == item.digest
    if isUntouched, item.existed, case .file? = look(item.copy) {
      return actions.append(.rename(item.copy, to: item.path))
    }
    if isUntouched, !item.existed { return actions += [.remove(item.path), .remove(item.copy)] }
    if let rest = Self.rest(of: bytes, without: item) {
      if rest != bytes { actions.append(.write(item.path, rest, mode: mode)) }
    } else {
      notes.append("\(item.path) is no valid JSON now, and stays: take out what runs soundd yourself")
    }
    actions.append(.remove(item.copy))
  }

  // MARK: Files of other programs

  private static func merge(_ addition: [UInt8], into old: [UInt8]?, _ path: String) throws(Failure) -> [UInt8] {
    let (tree, before): (JSONTree, JSONTree)
    do throws(JSONError) {
      tree = try JSONTree(addition)
      guard let old, !old.isEmpty else { return Array((tree.text() + "\n").utf8) }
      before = try JSONTree(old)
    } catch {
      throw Failure(.refused, "\(path) is no valid JSON, so it stays as it is: \(error); nothing was changed")
    }
    do throws(JSONTree.Conflict) {
      let new = try before.adding(tree)
      return new == before ? old ?? [] : written(new, as: old ?? [])
    } catch {
      let part = error.path.isEmpty ? "it" : "'\(error.path)'"
      throw Failure(.refused, "\(path): \(part) is of another kind than the hooks need; nothing was changed")
    }
  }

  /// With the indentation of the old text, and with its last line feed.
  private static func written(_ tree: JSONTree, as old: [UInt8]) -> [UInt8] {
    let blanks = old.drop { $0 != 10 }.drop { $0 == 10 || $0 == 13 }.prefix { $0 == 32 || $0 == 9 }
    let indent = blanks.isEmpty ? "  " : String(decoding: blanks, as: UTF8.self)
    return Array((tree.text(indent: indent) + (old.last == 10 ? "\n" : "")).utf8)
  }

  private static func append(_ line: String, to old: [UInt8]) -> [UInt8] {
    if range(of: line, in: old) != nil { return old }
    return old + (old.isEmpty || old.last == 10 ? [] : [10]) + Array(line.utf8) + [10]
  }

  private static func range(of line: String, in bytes: [UInt8]) -> Range<Int>? {
    bytes.ranges(of: Array(line.utf8) + [10]).first { $0.lowerBound == 0 || bytes[$0.lowerBound - 1] == 10 }
  }

  /// The content without what was added; `nil` if it cannot be told.
  private static func rest(of bytes: [UInt8], without item: RecipeLedger.Item) -> [UInt8]? {
    if item.kind == .line {
      guard let range = range(of: item.addition, in: bytes) else { return bytes }
      return Array(bytes[..<range.lowerBound] + bytes[range.upperBound...])
    }
    guard let tree = try? JSONTree(bytes), let addition = try? JSONTree(Array(item.addition.utf8)) else { return nil }
    let rest = tree.removing(addition) ?? .object([])
    return rest == tree ? bytes : written(rest, as: bytes)
  }
}
