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
    /// Only if nothing is in it.
    case removeEmptyFile(String)
    /// Git changes a setting in a file.
    case set(String, to: String, file: String)
    /// Git removes a section of settings from a file.
    case removeSection(String, file: String)
    /// Git removes a setting from a file, if it has this value.
    case unset(String, value: String, file: String)
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
    /// The program that it is for, or `nil` if that is soundd.
    var program: String?
    /// Whether the user decides.
    var asks = false
  }

  /// A change that the user decides on.
  struct Change: Equatable {
    var recipe: String
    var path: String
    /// What is added and taken out, a line each.
    var lines: [String]
  }

  let ledgerPath: String
  var ledger: RecipeLedger
  private let look: (String) -> Entry?
  /// The value of a setting of git in a file, or `nil` if it is not set there.
  private let setting: (_ name: String, _ file: String) -> String?
  private(set) var actions: [Action] = []
  /// The changes of other programs' files that are left out, because the user has not agreed to them.
  private(set) var pending: [Change] = []
  /// The files of other programs that cannot be changed as they are, each with the recipe and the reason.
  private(set) var refusals: [(recipe: String, failure: Failure)] = []
  /// The recipes of which something is installed now, and the programs for which it is.
  private(set) var changed: (recipes: Set<String>, programs: Set<String>) = ([], [])
  /// What the user has to know.
  var notes: [String] = []

  init(
    ledgerPath: String, ledger: RecipeLedger, look: @escaping (String) -> Entry?,
    setting: @escaping (_ name: String, _ file: String) -> String? = { _, _ in nil }
  ) {
    (self.ledgerPath, self.ledger, self.look, self.setting) = (ledgerPath, ledger, look, setting)
  }

  func writes(_ path: String) -> Bool { actions.contains { if case .write(path, _, _) = $0 { true } else { false } } }

  // MARK: Adding

  /// Plans to install these pieces, in this order: those that ask only if they are `allowed`.
  ///
  /// What an earlier version has installed elsewhere is taken out, unless a change is pending that may still need it.
  mutating func add(_ pieces: [Piece], allowed: (Change) -> Bool = { _ in true }) throws(Failure) {
    var made = missingFolders(FilePathText.folder(of: ledgerPath))
    for piece in pieces {
      let before = actions.count
      if piece.kind == .folder {
        if look(piece.path) == nil { actions.append(.makeFolder(piece.path)) }
      } else {
        var trial = self
        let lines: [String]
        do throws(Failure) { lines = try trial.install(piece) } catch {
          // It keeps nothing else from being installed.
          if !piece.asks { throw Failure(error.code, "\(error); nothing was changed") }
          refusals.append((piece.recipe, Failure(error.code, "\(error); it stays as it is")))
          continue
        }
        let change = Change(recipe: piece.recipe, path: piece.path, lines: lines)
        if piece.asks, trial.actions.count > before, !allowed(change) {
          pending.append(change)
          continue
        }
        self = trial
      }
      if actions.count == before { continue }
      changed.recipes.insert(piece.recipe)
      if let program = piece.program { changed.programs.insert(program) }
      made += missingFolders(piece.kind == .folder ? piece.path : FilePathText.folder(of: piece.path))
    }
    for item in ledger.items where pieces.contains(where: { $0.recipe == item.recipe }) {
      guard let value = item.globalHooksPath else { continue }
      let change = Change(recipe: item.recipe, path: item.path, lines: ["- core.hooksPath = \(value)"])
      if !allowed(change) { pending.append(change) }
    }
    let old = retire(besides: pieces)
    if actions.isEmpty { return }
    // In this order, a folder is before those in it.
    ledger.folders = Set(ledger.folders + made).sorted()
    actions.insert(.write(ledgerPath, ledger.bytes, mode: 0o600), at: 0)
    let isUpdate = ledger.items.contains { $0.before != nil }
    if old.isEmpty, !isUpdate { return }
    for index in ledger.items.indices { ledger.items[index].before = nil }
    ledger.items.removeAll { item in old.contains { $0.path == item.path && $0.kind == item.kind } }
    let folders = ledger.folders.filter { folder in old.contains { $0.path.hasPrefix(folder + "/") } }
    actions += folders.reversed().map(Action.removeFolder) + [.write(ledgerPath, ledger.bytes, mode: 0o600)]
  }

  /// Plans one piece; returns what it adds and takes out, a line each.
  private mutating func install(_ piece: Piece) throws(Failure) -> [String] {
    if piece.kind == .setting { return set(piece) }
    var (old, mode): ([UInt8]?, UInt32) = (nil, piece.mode)
    switch look(piece.path) {
    case .file(let bytes, let found): (old, mode) = (bytes, piece.kind == .file ? piece.mode : found)
    case .other(let problem): throw Failure(.refused, "\(piece.path): \(problem)")
    case nil: break
    }
    let (present, addition) = (old, String(decoding: piece.bytes, as: UTF8.self))
    let known = ledger.items.first { $0.path == piece.path }
    let contents = RecipeContents(kind: piece.kind, addition: piece.bytes)
    if piece.kind != .file, let known {
      if let present, known.additions == [addition], try contents.added(to: present, piece.path) == present {
        return []
      }
      old = old.flatMap { before(known, $0) }
    }
    let new = try contents.added(to: old, piece.path)
    if new == present { return [] }
    if piece.kind == .file, let old {
      guard let known else {
        throw Failure(.refused, "\(piece.path) is there already and is not soundd's: move it away")
      }
      // What an earlier version has installed is replaced.
      guard known.digests.contains(RecipeLedger.digest(old)) else {
        notes.append("\(piece.path) was edited, and stays as it is")
        return []
      }
    }
    let item = RecipeLedger.Item(
      recipe: piece.recipe, path: piece.path, kind: piece.kind, digest: RecipeLedger.digest(new),
      addition: piece.kind == .file ? "" : addition,
      before: known.map { RecipeLedger.Earlier(digest: $0.digest, addition: $0.addition) })
    ledger.items.removeAll { $0.path == item.path }
    ledger.items.append(item)
    if piece.kind != .file, let old {
      if known == nil, look(item.copy) != nil {
        throw Failure(
          .refused,
          "\(item.copy) is there already and is not soundd's, so \(item.path) has no room for its copy: move it away")
      }
      actions.append(.write(item.copy, old, mode: mode))
    }
    actions.append(.write(item.path, new, mode: mode))
    let removed = known.flatMap { known in
      known.kind == piece.kind && known.addition != addition
        ? RecipeContents(kind: known.kind, addition: Array(known.addition.utf8)).lines : nil
    }
    return (removed ?? []).map { "- \($0)" } + contents.lines.map { "+ \($0)" }
  }

  /// Plans settings of git, each a line `NAME=VALUE`, in an order in which git works at each step.
  private mutating func set(_ piece: Piece) -> [String] {
    let addition = String(decoding: piece.bytes, as: UTF8.self)
    let settings = RecipeContents.settings(addition)
    let new = settings.filter { setting($0.name, piece.path) != $0.value }
    if new.isEmpty { return [] }
    let known = ledger.items.first { $0.path == piece.path && $0.kind == .setting }
    let digest = known?.digest ?? (look(piece.path) == nil ? "" : RecipeLedger.digest([]))
    ledger.items.removeAll { $0 == known }
    ledger.items.append(
      RecipeLedger.Item(
        recipe: piece.recipe, path: piece.path, kind: .setting, digest: digest, addition: addition))
    actions += new.map { .set($0.name, to: $0.value, file: piece.path) }
    return new.map { "+ \($0.name) = \($0.value)" }
  }

  /// A file of another program without what earlier versions have added, or `nil` if nothing is left.
  private func before(_ item: RecipeLedger.Item, _ bytes: [UInt8]) -> [UInt8]? {
    if let old = original(of: item, bytes) { return old }
    let rest = rest(of: bytes, without: item.additions, item.kind) ?? bytes
    return rest.isEmpty ? nil : rest
  }

  /// The copy of a file as it was before, if nothing but soundd's additions has changed the file since.
  private func original(of item: RecipeLedger.Item, _ bytes: [UInt8]) -> [UInt8]? {
    guard item.digests.contains(RecipeLedger.digest(bytes)), case .file(let old, _)? = look(item.copy) else {
      return nil
    }
    let isWhole = item.additions.contains { addition in
      (try? RecipeContents(kind: item.kind, addition: Array(addition.utf8)).added(to: old, item.path)) == bytes
    }
    return isWhole ? old : nil
  }

  /// The content without each of these additions, or `nil` if that cannot be told.
  private func rest(of bytes: [UInt8], without additions: [String], _ kind: Recipe.Kind) -> [UInt8]? {
    additions.reduce(bytes) { bytes, addition in
      bytes.flatMap { $0.isEmpty ? $0 : RecipeContents(kind: kind, addition: Array(addition.utf8)).taken(outOf: $0) }
    }
  }

  /// A folder and those above it, as far as they are missing.
  private func missingFolders(_ folder: String) -> [String] {
    folder == "/" || look(folder) != nil ? [] : [folder] + missingFolders(FilePathText.folder(of: folder))
  }

  /// Takes out what an earlier version of these recipes has installed and this one does not; returns that.
  private mutating func retire(besides pieces: [Piece]) -> [RecipeLedger.Item] {
    let recipes = Set(pieces.map(\.recipe)).subtracting(pending.map(\.recipe)).subtracting(refusals.map(\.recipe))
    // Each repository has hooks of its own, until git runs one hook in all of them. A git that is too old for settings keeps them.
    let hasSettings = pieces.contains { $0.kind == .setting }
    let old = ledger.items.filter { item in
      // Settings, and a line that 0.2 has added to them, are in one file.
      let isKept = pieces.contains { piece in
        // A file that has become a link leads to what was added before.
        let isMoved = [.line, .merge].contains(item.kind) && piece.bytes == Array(item.addition.utf8)
        return (piece.path == item.path || isMoved) && (piece.kind == .setting) == (item.kind == .setting)
      }
      return recipes.contains(item.recipe) && !isKept && item.kind != .setting && (item.kind != .hook || hasSettings)
    }
    for item in old.reversed() {
      let new = pieces.first { $0.kind == .file && FilePathText.name(of: $0.path) == FilePathText.name(of: item.path) }
      if let new, item.kind == .file, new.mode & 0o111 != 0 {
        notes.append("\(item.path) is \(new.path) now: change what else runs it, such as your crontab")
      }
      takeOut(item, isShared: true)
    }
    return old
  }

  // MARK: Removing

  /// Plans to take out what recipes have installed, and nothing else: all of it, or only the items that are `chosen`.
  ///
  /// A file of another program gets its old content back. If it was edited since, what was added is taken out; the file goes if
  /// nothing is left. Folders that were made are removed if they are empty, but for those that other recipes need (`kept`).
  mutating func remove(
    _ recipes: [String], keeping kept: [String] = [], chosen: (RecipeLedger.Item) -> Bool = { _ in true }
  ) {
    let items = ledger.items.filter { recipes.contains($0.recipe) && chosen($0) }
    for item in items.reversed() { takeOut(item) }
    ledger.items.removeAll { items.contains($0) }
    let folders = ledger.folders.reversed().filter { !kept.contains($0) }.map(Action.removeFolder)
    actions += folders
    if !ledger.items.isEmpty { return actions.append(.write(ledgerPath, ledger.bytes, mode: 0o600)) }
    // The ledger's own folders are empty only then.
    actions += [.remove(ledgerPath)] + folders
  }

  /// `isShared`: pieces of this plan may be in the same file, which does not get its old content back then.
  private mutating func takeOut(_ item: RecipeLedger.Item, isShared: Bool = false) {
    if item.kind == .setting { return unset(item) }
    let (entry, copy) = (look(item.path), item.kind == .file ? nil : look(item.copy))
    if entry == nil, item.kind == .hook {
      notes.append("\(item.path) is gone; if its repository was moved, take the line of 'soundd add' out there")
    }
    let stays = "\(item.path) was edited, and stays: take out yourself what you do not need"
    defer { if copy != nil { actions.append(.remove(item.copy)) } }
    guard case .file(let bytes, let mode)? = entry else {
      if entry != nil { notes.append(stays) }
      return
    }
    let isUntouched = item.digests.contains(RecipeLedger.digest(bytes))
    if isUntouched, item.kind == .file {
      actions.append(.remove(item.path))
    } else if !isShared || item.globalHooksPath == nil, let old = original(of: item, bytes) {
      actions.append(.write(item.path, old, mode: mode))
    } else if let value = item.globalHooksPath {
      // git itself, because settings that were added since may be below the same headline.
      actions.append(.unset("core.hooksPath", value: value, file: item.path))
      if copy == nil { actions.append(.removeEmptyFile(item.path)) }
    } else if let rest = rest(of: bytes, without: item.additions, item.kind) {
      if rest != bytes { actions.append(rest.isEmpty ? .remove(item.path) : .write(item.path, rest, mode: mode)) }
      // What was edited, or has another line break, still runs a script that is removed.
      let scripts = ledger.items.filter { $0.kind == .file && $0.recipe == item.recipe }.map(\.path)
      let names = scripts.map { "soundd/bin/" + FilePathText.name(of: $0) } + [item.addition]
      if names.contains(where: { rest.contains(Array($0.utf8)) }) { notes.append(stays) }
    } else {
      notes.append(stays)
    }
    if item.path.hasSuffix(".service"), bytes.contains(Array("[Install]".utf8)) {
      let unit = FilePathText.name(of: item.path)
      let all = "'\(unit.dropLast(".service".count))*'"
      notes.append("then, if you enabled it: systemctl --user stop \(all); systemctl --user disable \(unit)")
    }
  }

  /// Plans to remove sections of git's settings, unless they were changed.
  private mutating func unset(_ item: RecipeLedger.Item) {
    var sections: [String] = []
    var edited: Set<String> = []
    for (name, value) in RecipeContents.settings(item.addition) {
      let section = String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)])
      guard let present = setting(name, item.path) else { continue }
      if present != value {
        edited.insert(section)
        notes.append("\(name) in \(item.path) was edited, and stays: take out yourself what you do not need")
      } else if !sections.contains(section) {
        sections.append(section)
      }
    }
    actions += sections.filter { !edited.contains($0) }.map { Action.removeSection($0, file: item.path) }
    if item.digest.isEmpty { actions.append(.removeEmptyFile(item.path)) }
  }
}
