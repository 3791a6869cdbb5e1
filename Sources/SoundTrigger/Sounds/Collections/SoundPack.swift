import Glibc

/// A sound pack, after the Coding Event Sound Pack Specification 1.0 (CESP): a folder with a manifest, which has sounds for each
/// category of events.
package struct SoundPack: Sendable {
  /// How the name of a category of a pack begins: `pack:NAME/CATEGORY`.
  package static let prefix = "pack:"
  static let manifest = "openpeon.json"
  /// A larger manifest is none, in bytes.
  private static let largestManifest = 1 << 20
  /// A larger sound is refused, in bytes: the specification allows 1 MB.
  private static let largestSound = 16 << 20
  /// So many sounds of a category are used.
  private static let mostSounds = 64

  package let folder: String
  /// What the manifest claims.
  package let title: String?, license: String?
  /// The files of the sounds as the manifest names them, by category.
  private let files: [String: [String]]
  /// Other names of categories.
  private let aliases: [String: String]

  /// Whether a name is that of a pack, and not of one of its categories.
  static func isWhole(_ name: String) -> Bool { name.hasPrefix(prefix) && !name.contains("/") }

  /// The parts of a name; `nil` if it is not `pack:NAME/CATEGORY`.
  package static func parts(of sound: String) -> (pack: String, category: String)? {
    let parts = sound.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard sound.hasPrefix(prefix), parts.count == 2, !parts[0].hasPrefix("."), !parts.contains("")
    else { return nil }
    return (parts[0], parts[1])
  }

  /// Reads the manifest.
  package init(folder: String) throws(SoundError) {
    let path = "\(folder)/\(Self.manifest)"
    func damage(_ reason: String) -> SoundError { .unreadable(path: path, reason: reason) }
    let bytes = try Self.content(of: path)
    let manifest: PackManifest
    do throws(MessageError) { manifest = try PackManifest(bytes) } catch { throw damage("\(error)") }
    if let version = manifest.version?.text, !version.hasPrefix("1.") {
      throw damage("its cesp_version is \(Excerpt.quoting(version)), and soundd reads 1.0")
    }
    if manifest.categories.isEmpty { throw damage("expected 'categories', found none") }
    files = manifest.categories.mapValues { $0.sounds.prefix(Self.mostSounds).compactMap { $0.file?.text } }
    (title, license) = (manifest.title?.text, manifest.license?.text)
    aliases = manifest.aliases.compactMapValues { $0?.text }
    self.folder = folder
  }

  /// The categories that have sounds, sorted.
  package var categories: [String] { files.filter { !$0.value.isEmpty }.keys.sorted() }

  /// The paths of the sounds of a category, or of the one for which its name is an alias; empty: the pack has none.
  package func sounds(
    of category: String, refusal: (String) -> String? = { _ in nil }
  ) -> [Result<String, SoundError>] {
    let files = files[category] ?? files[aliases[category] ?? ""] ?? []
    return files.map { file in Result { () throws(SoundError) in try path(of: file, refusal) } }
  }

  /// What its categories play, as the sounds of a folder each. A file that must not be played is left out.
  package var catalogue: [(folder: String, sounds: [FoundSound])] {
    categories.map { category in
      let paths = sounds(of: category).compactMap { try? $0.get() }
      return (category, paths.map { FoundSound(name: String($0.dropFirst(folder.utf8.count + 1)), path: $0) })
    }
  }

  /// What the manifest says of the pack, for people.
  package var summary: String {
    let license = license.map { "claims the licence \(Excerpt.escaping($0))" } ?? "names no licence"
    return "\(Excerpt.escaping(title ?? folder)), which \(license)\n"
  }

  /// The path of a file, which must lie inside the pack, whatever links say (realpath).
  private func path(of file: String, _ refusal: (String) -> String?) throws(SoundError) -> String {
    let path = "\(folder)/\(file.contains("/") ? "" : "sounds/")\(file)"
    let shown = Excerpt.escaping(path)
    // A C string would end at a NUL and name another file.
    if file.utf8.contains(0) { throw .unreadable(path: shown, reason: "its name has a NUL") }
    if let reason = refusal(path) { throw .unavailable(path: path, reason: reason) }
    guard let real = realpath(path, nil), let inside = realpath(folder, nil) else {
      throw .opening(shown, code: errno)
    }
    defer {
      free(real)
      free(inside)
    }
    if !String(cString: real).hasPrefix(String(cString: inside) + "/") {
      throw .unreadable(path: shown, reason: "it leads out of its pack")
    }
    let size = try SoundDecoder.file(at: path).identity.size
    if size > Self.largestSound {
      throw .unreadable(
        path: path, reason: "it has \(size >> 20) MiB, and a sound of a pack at most \(Self.largestSound >> 20)")
    }
    return path
  }

  private static func content(of path: String) throws(SoundError) -> [UInt8] {
    switch ThemeFiles.content(of: path) {
    case .content(let bytes): return bytes
    case .missing: throw .missing(path: path)
    case .failed:
      throw .unreadable(path: path, reason: "it cannot be read, or has more than \(largestManifest >> 20) MiB")
    }
  }
}

extension SoundLocator {
  /// The packs in the folders of packs, sorted, each once (access).
  package var packNames: [String] {
    let all = packs.flatMap { folder in
      (Folder.names(in: folder) ?? []).filter { access("\(folder)/\($0)/\(SoundPack.manifest)", F_OK) == 0 }
    }
    return Set(all).sorted()
  }

  /// The pack of this name (access). A name that is a path, or hidden, is that of none.
  package func pack(_ name: String, refusal: (String) -> String? = { _ in nil }) throws(SoundError) -> SoundPack {
    let isName = !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    for folder in isName ? packs : [] {
      let path = "\(folder)/\(name)"
      if let reason = refusal(path) { throw .unavailable(path: path, reason: reason) }
      if access("\(path)/\(SoundPack.manifest)", F_OK) == 0 { return try SoundPack(folder: path) }
    }
    let near = Suggestion.nearest(to: name, among: packNames)
    throw .notFound(name: SoundPack.prefix + name, searched: packs, near: near.map { SoundPack.prefix + $0 })
  }

  /// The sounds of a category of a pack.
  func searchPack(_ sound: String, refusal: (String) -> String?) -> Search {
    guard let (name, category) = SoundPack.parts(of: sound) else {
      return Search(path: .failure(.notFound(name: sound, searched: packs)), links: [])
    }
    var links = packs.flatMap { [$0, "\($0)/\(name)", "\($0)/\(name)/sounds"] }
    do throws(SoundError) {
      let pack = try pack(name, refusal: refusal)
      let sounds = pack.sounds(of: category, refusal: refusal)
      let paths = sounds.compactMap { try? $0.get() }
      links += paths
      guard let first = sounds.first else {
        let near = Suggestion.nearest(to: category, among: pack.categories).map { "\(SoundPack.prefix)\(name)/\($0)" }
        return Search(
          path: .failure(.disabled(path: "\(pack.folder)/\(SoundPack.manifest)", near: near)), links: links)
      }
      let broken = sounds.count - paths.count
      let step = "of the pack '\(name)', one of \(paths.count)\(broken == 0 ? "" : "; \(broken) cannot be read")"
      return Search(
        path: paths.first.map { .success($0) } ?? first, others: Array(paths.dropFirst()), links: links, step: step,
        isFromCollection: true)
    } catch {
      return Search(path: .failure(error), links: links)
    }
  }
}

/// The manifest of a pack. Its names are those of the format (CESP 1.0).
private struct PackManifest: Message {
  var version: AnyText?
  var title: AnyText?
  var license: AnyText?
  var categories: [String: Category] = [:]
  var aliases: [String: AnyText?] = [:]

  mutating func members(_ m: inout some Members) {
    m("cesp_version", &version)
    m("display_name", &title)
    m("license", &license)
    m("categories", &categories)
    m("category_aliases", &aliases)
  }

  struct Category: Message {
    var sounds: [Sound] = []

    mutating func members(_ m: inout some Members) { m("sounds", &sounds) }
  }

  struct Sound: Message {
    var file: AnyText?

    mutating func members(_ m: inout some Members) { m("file", &file) }
  }
}
