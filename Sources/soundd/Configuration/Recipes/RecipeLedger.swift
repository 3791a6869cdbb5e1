import SoundTrigger

/// What recipes have installed: written before anything else, so that it can be taken out again whatever happens in between.
struct RecipeLedger: Equatable {
  /// A file that soundd has written, or changed.
  struct Item: Equatable {
    enum Kind: String {
      case file, link
      /// An addition to a file of another program.
      case merge, line
    }

    var recipe: String
    var path: String
    var kind: Kind
    /// Of the whole file afterwards (SHA-256); where a link leads.
    var digest: String
    /// What was added; empty for whole files.
    var addition = ""
    /// Whether there was a file before, of which a copy is kept.
    var existed = false

    /// Where the copy of the old file is.
    var copy: String { path + ".before-soundd" }
  }

  var items: [Item] = []
  /// The folders that were made, outer ones first. They are removed when they are empty.
  var folders: [String] = []

  init() {}

  init(_ bytes: [UInt8]) throws(JSONError) {
    let object = try JSONObject(bytes)
    folders = object.texts("folders")
    for item in try JSONObject.array(object["items"] ?? Array("[]".utf8)) {
      guard let kind = item.text("kind").flatMap(Item.Kind.init) else { continue }
      items.append(
        Item(
          recipe: item.text("recipe") ?? "", path: item.text("path") ?? "", kind: kind,
          digest: item.text("digest") ?? "", addition: item.text("addition") ?? "",
          existed: item.text("existed") == "true"))
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
            writer.member("existed", item.existed)
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
