import SoundTrigger
import SoundWire

/// What recipes have installed: written before anything else, so that it can be taken out again whatever happens in between.
struct RecipeLedger: Equatable {
  /// A file that soundd has written, or changed.
  struct Item: Equatable {
    var recipe: String
    var path: String
    var kind: Recipe.Kind
    /// Of the whole file afterwards (SHA-256). Of settings: empty if git made the file for them.
    var digest: String
    /// What was added; empty for whole files.
    var addition = ""
    /// What an update replaces, until the update is complete: it may be interrupted.
    var before: Earlier?

    /// What the file may be if it was not edited.
    var digests: [String] { [digest] + (before.map { [$0.digest] } ?? []) }
    /// What the file may have: none for whole files.
    var additions: [String] { ([addition] + (before.map { [$0.addition] } ?? [])).filter { !$0.isEmpty } }

    /// Where the copy of the old file is, if there was one.
    var copy: String { path + ".before-soundd" }

    /// What soundd 0.2 set git's `core.hooksPath` to, for all repositories; `nil` if the item is another one.
    var globalHooksPath: String? {
      let setting = "[core]\n\thooksPath = "
      return kind == .line && addition.hasPrefix(setting) ? String(addition.dropFirst(setting.count)) : nil
    }
  }

  /// The digest and the addition of an earlier version of an item.
  struct Earlier: Equatable {
    var digest: String
    var addition: String
  }

  var items: [Item] = []
  /// The folders that were made, outer ones first. They are removed when they are empty.
  var folders: [String] = []

  /// The recipes that are on, in the order of their names.
  var recipes: [String] { Set(items.map(\.recipe)).sorted() }

  init() {}

  static func digest(_ bytes: [UInt8]) -> String { SHA256.text(of: bytes) }
}

// MARK: The file

extension RecipeLedger {
  private static let record = Record(kind: "soundd_recipes", version: 1)

  /// Reads what `bytes` made, or soundd 0.2.0: one JSON object, without a checksum.
  init(_ bytes: [UInt8]) throws(Record.Problem) {
    if !Self.record.isNamed(in: bytes) {
      guard let old = try? OldLedger(bytes) else { throw .damaged }
      folders = old.folders
      items = old.items.compactMap { Item($0) }
      return
    }
    for line in try Self.record.lines(of: bytes) {
      if let folder = line.message(LedgerFolder.self) {
        folders.append(folder.folder)
      } else if let item = line.message(LedgerItem.self) {
        Item(item).map { items.append($0) }
      } else {
        throw .damaged
      }
    }
  }

  var bytes: [UInt8] {
    let folders = folders.map { path in
      var line = LedgerFolder()
      line.folder = path
      return line
    }
    return Self.record.file(folders + items.map(\.line))
  }
}

extension RecipeLedger.Item {
  /// `nil` if this soundd does not know the kind.
  fileprivate init?(_ line: LedgerItem) {
    guard let kind = Recipe.Kind(rawValue: line.kind) else { return nil }
    self.init(recipe: line.recipe, path: line.path, kind: kind, digest: line.digest, addition: line.addition)
    before = line.digestBefore.map { RecipeLedger.Earlier(digest: $0, addition: line.additionBefore ?? "") }
  }

  fileprivate var line: LedgerItem {
    var line = LedgerItem()
    (line.recipe, line.path, line.kind) = (recipe, path, kind.rawValue)
    (line.digest, line.addition) = (digest, addition)
    (line.digestBefore, line.additionBefore) = (before?.digest, before?.addition)
    return line
  }
}
