import Glibc

/// The files of themes as they are at one moment: each folder is listed once, because a look-up asks for hundreds of files.
final class ThemeFiles {
  enum Content: Sendable {
    case content([UInt8])
    case missing, failed
  }

  private static let suffixes = [".disabled", ".oga", ".ogg", ".wav"]
  /// A larger file is none.
  private static let largestIndex = 1 << 20

  /// The folders of which each has a folder `sounds`, best first.
  let bases: [String]
  /// Folders for languages, best first; an empty one means none.
  private let locales: [String]
  /// By the path below `sounds`: for each base the folders that are there.
  private var places: [String: [[Place]]] = [:]

  private struct Place {
    let folder: String
    let locale: String
    /// The suffix of each sound; `nil`: the folder cannot be read.
    var suffixes: [String: String]? = [:]
  }

  /// `locale` is that of LC_MESSAGES.
  init(bases: [String], locale: String) {
    self.bases = bases
    let parts = [locale] + ["@", "_"].compactMap { end in locale.firstIndex(of: end).map { String(locale[..<$0]) } }
    locales = parts + (locale == "C" ? [] : ["C"]) + [""]
  }

  /// The names of the themes that are installed, sorted (access).
  var themes: [String] {
    let all = bases.flatMap { base in
      (Folder.names(in: "\(base)/sounds") ?? []).filter { access("\(base)/sounds/\($0)/index.theme", F_OK) == 0 }
    }
    return Set(all).sorted()
  }

  /// The content of a small file (open, read).
  static func content(of path: String) -> Content {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file < 0 { return errno == ENOENT ? .missing : .failed }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: largestIndex + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes[count...].withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
      if more < 0 { return .failed }
      if more == 0 { return .content(Array(bytes[..<count])) }
      count += more
    }
    return .failed
  }

  /// The file of a sound of these `names` in the folders that all bases have at `path` below `sounds`. `origin`: whose they are, for
  /// people.
  func find(_ names: [String], below path: String, _ origin: @autoclosure () -> String) -> ThemeSound? {
    for places in places(below: path) where !places.isEmpty {
      for name in names {
        for place in places {
          guard let suffixes = place.suffixes else {
            return ThemeSound(path: place.folder, outcome: .failed, step: origin())
          }
          guard let suffix = suffixes[name] else { continue }
          let step =
            origin() + (name == names[0] ? "" : ", shortened to '\(name)'")
            + (place.locale.isEmpty ? "" : ", language '\(place.locale)'")
          return ThemeSound(
            path: "\(place.folder)/\(name)\(suffix)", outcome: suffix == Self.suffixes[0] ? .disabled : .file,
            step: step)
        }
      }
    }
    return nil
  }

  private func places(below path: String) -> [[Place]] {
    if let known = places[path] { return known }
    let found = bases.map { base in
      locales.compactMap { locale in
        place("\(base)/sounds\(path)" + (locale.isEmpty ? "" : "/\(locale)"), locale)
      }
    }
    places[path] = found
    return found
  }

  private func place(_ folder: String, _ locale: String) -> Place? {
    var place = Place(folder: folder, locale: locale)
    guard let names = Folder.names(in: folder) else {
      place.suffixes = nil
      return errno == ENOENT ? nil : place
    }
    // The best suffix last, so that it stays. A link may lead nowhere.
    for suffix in Self.suffixes.reversed() {
      for name in names where name.hasSuffix(suffix) && access("\(folder)/\(name)", F_OK) == 0 {
        place.suffixes?[String(name.dropLast(suffix.count))] = suffix
      }
    }
    return place
  }

  /// A name, and what is left of it before each `-`, from the last one on.
  static func names(_ sound: String) -> [String] {
    [sound] + sound.indices.dropFirst().reversed().filter { sound[$0] == "-" }.map { String(sound[..<$0]) }
  }
}
