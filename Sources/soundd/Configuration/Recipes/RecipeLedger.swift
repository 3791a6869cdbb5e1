import SoundTrigger

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

  init(_ bytes: [UInt8]) throws(JSONError) {
    let object = try JSONObject(bytes)
    folders = object.texts("folders")
    for item in try JSONObject.array(object["items"] ?? Array("[]".utf8)) {
      func text(_ name: String) -> String { item.text(name) ?? "" }
      guard let kind = Recipe.Kind(rawValue: text("kind")) else { continue }
      let before = item.text("digest_before").map { Earlier(digest: $0, addition: text("addition_before")) }
      items.append(
        Item(
          recipe: text("recipe"), path: text("path"), kind: kind, digest: text("digest"), addition: text("addition"),
          before: before))
    }
  }

  var json: [UInt8] {
    JSONWriter.object { writer in
      writer.member("folders") { $0.array(folders) { $1.string($0) } }
      writer.member("items") { writer in
        writer.array(items) { item, writer in
          writer.object { writer in
            writer.member("recipe", item.recipe)
            writer.member("path", item.path)
            writer.member("kind", item.kind.rawValue)
            writer.member("digest", item.digest)
            writer.member("addition", item.addition)
            if let before = item.before {
              writer.member("digest_before", before.digest)
              writer.member("addition_before", before.addition)
            }
          }
        }
      }
    } + [UInt8(ascii: "\n")]
  }

  static func digest(_ bytes: [UInt8]) -> String {
    var hash = SHA256()
    hash.update(bytes.span)
    return Hexadecimal.text(hash.finish())
  }
}
