import SoundTrigger

/// What adding or removing recipes does, as a list; decided without touching anything.
///
/// The order makes it safe to stop after any action: the ledger is written before what it names, and forgets it afterwards.
struct RecipePlan {
  enum Action: Equatable {
    case makeFolder(String)
    /// Makes the folders above it.
    case write(String, [UInt8], mode: UInt32)
    case remove(String)
    /// Unless something is in it.
    case removeFolder(String)
  }

  /// What is at a path.
  enum Entry: Equatable {
    case file([UInt8], mode: UInt32)
    /// The text says what, or why it cannot be read.
    case other(String)
  }

  /// Something to be installed; the path is absolute.
  struct Piece {
    var recipe: String
    var path: String
    var kind: Recipe.Kind
    var bytes: [UInt8] = []
    var mode: UInt32 = 0o644
  }

  let ledgerPath: String
  var ledger: RecipeLedger
  private let look: (String) -> Entry?
  private(set) var actions: [Action] = []
  /// What the user has to know.
  var notes: [String] = []

  init(ledgerPath: String, ledger: RecipeLedger, look: @escaping (String) -> Entry?) {
    (self.ledgerPath, self.ledger, self.look) = (ledgerPath, ledger, look)
  }

  func writes(_ path: String) -> Bool { actions.contains { if case .write(path, _, _) = $0 { true } else { false } } }

  // MARK: Adding

  /// Plans to install these pieces, in this order.
  mutating func add(_ pieces: [Piece]) throws(Failure) {
    var made = missingFolders(FilePathText.folder(of: ledgerPath))
    for piece in pieces {
      let before = actions.count
      if piece.kind != .folder {
        try install(piece)
      } else if look(piece.path) == nil {
        actions.append(.makeFolder(piece.path))
      }
      if actions.count == before { continue }
      made += missingFolders(piece.kind == .folder ? piece.path : FilePathText.folder(of: piece.path))
    }
    if actions.isEmpty { return }
    // In this order, a folder is before those in it.
    ledger.folders = Set(ledger.folders + made).sorted()
    actions.insert(.write(ledgerPath, ledger.json, mode: 0o600), at: 0)
  }

  private mutating func install(_ piece: Piece) throws(Failure) {
    var (old, mode): ([UInt8]?, UInt32) = (nil, piece.mode)
    switch look(piece.path) {
    case .file(let bytes, let found): (old, mode) = (bytes, piece.kind == .file ? piece.mode : found)
    case .other(let problem): throw Failure(.refused, "\(piece.path): \(problem); nothing was changed")
    case nil: break
    }
    let (present, addition) = (old, String(decoding: piece.bytes, as: UTF8.self))
    let known = ledger.items.first { $0.path == piece.path }
    if piece.kind != .file, let known, known.addition != addition { old = old.flatMap { before(known, $0) } }
    let new =
      switch piece.kind {
      case .file, .folder: piece.bytes
      case .merge: try Self.merge(piece.bytes, into: old, piece.path)
      case .line: Self.append(piece.bytes, to: old ?? [])
      }
    if new == present { return }
    if piece.kind == .file, let old {
      guard let known else {
        throw Failure(.refused, "\(piece.path) is there already and is not soundd's: move it away; nothing was changed")
      }
      // What an earlier version has installed is replaced.
      guard RecipeLedger.digest(old) == known.digest else {
        return notes.append("\(piece.path) was edited, and stays as it is")
      }
    }
    let item = RecipeLedger.Item(
      recipe: piece.recipe, path: piece.path, kind: piece.kind, digest: RecipeLedger.digest(new),
      addition: piece.kind == .file ? "" : addition)
    ledger.items.removeAll { $0.path == item.path }
    ledger.items.append(item)
    if piece.kind != .file, let old { actions.append(.write(item.copy, old, mode: mode)) }
    actions.append(.write(item.path, new, mode: mode))
  }

  /// A file of another program without what an earlier version has added; `nil` if nothing is left.
  private func before(_ item: RecipeLedger.Item, _ bytes: [UInt8]) -> [UInt8]? {
    if RecipeLedger.digest(bytes) == item.digest, case .file(let old, _)? = look(item.copy) { return old }
    let rest = Self.rest(of: bytes, without: item) ?? bytes
    return rest.isEmpty ? nil : rest
  }

  /// A folder and those above it, as far as they are missing.
  private func missingFolders(_ folder: String) -> [String] {
    folder == "/" || look(folder) != nil ? [] : [folder] + missingFolders(FilePathText.folder(of: folder))
  }

  // MARK: Removing

  /// Plans to take out what recipes have installed, and nothing else.
  ///
  /// A file of another program gets its old content back. If it was edited since, what was added is taken out; the file goes if
  /// nothing is left.
  mutating func remove(_ recipes: [String]) {
    for item in ledger.items.reversed() where recipes.contains(item.recipe) {
      let (entry, copy) = (look(item.path), item.kind == .file ? nil : look(item.copy))
      let stays = "\(item.path) was edited, and stays: take out yourself what you do not need"
      defer { if copy != nil { actions.append(.remove(item.copy)) } }
      guard case .file(let bytes, let mode)? = entry else {
        if entry != nil { notes.append(stays) }
        continue
      }
      let isUntouched = RecipeLedger.digest(bytes) == item.digest
      if isUntouched, item.kind == .file {
        actions.append(.remove(item.path))
      } else if isUntouched, case .file(let old, _)? = copy {
        actions.append(.write(item.path, old, mode: mode))
      } else if let rest = Self.rest(of: bytes, without: item) {
        if rest != bytes { actions.append(rest.isEmpty ? .remove(item.path) : .write(item.path, rest, mode: mode)) }
      } else {
        notes.append(stays)
      }
      if item.path.hasSuffix(".service"), bytes.contains(Array("[Install]".utf8)) {
        let unit = FilePathText.name(of: item.path)
        let all = "'\(unit.dropLast(".service".count))*'"
        notes.append("then, if you enabled it: systemctl --user stop \(all); systemctl --user disable \(unit)")
      }
    }
    ledger.items.removeAll { recipes.contains($0.recipe) }
    let folders = ledger.folders.reversed().map(Action.removeFolder)
    actions += folders
    if !ledger.items.isEmpty { return actions.append(.write(ledgerPath, ledger.json, mode: 0o600)) }
    // The ledger's own folders are empty only then.
    actions += [.remove(ledgerPath)] + folders
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

  private static func append(_ line: [UInt8], to old: [UInt8]) -> [UInt8] {
    if range(of: line, in: old) != nil { return old }
    return old + (old.isEmpty || old.last == 10 ? [] : [10]) + line + [10]
  }

  private static func range(of line: [UInt8], in bytes: [UInt8]) -> Range<Int>? {
    bytes.ranges(of: line + [10]).first { $0.lowerBound == 0 || bytes[$0.lowerBound - 1] == 10 }
  }

  /// The content without what was added, empty if that was all; `nil` if it cannot be told.
  private static func rest(of bytes: [UInt8], without item: RecipeLedger.Item) -> [UInt8]? {
    let addition = Array(item.addition.utf8)
    if item.kind == .file { return nil }
    if item.kind == .line {
      guard let range = range(of: addition, in: bytes) else { return bytes }
      return Array(bytes[..<range.lowerBound] + bytes[range.upperBound...])
    }
    guard let tree = try? JSONTree(bytes), let added = try? JSONTree(addition) else { return nil }
    guard let rest = tree.removing(added) else { return [] }
    return rest == tree ? bytes : written(rest, as: bytes)
  }
}
