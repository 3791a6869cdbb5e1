/// A sound theme, as libcanberra 0.30 reads it (src/sound-theme-spec.c), which differs from the Sound Theme Specification: in each folder it
/// shortens the name of the sound before it looks in the next folder.
struct SoundTheme {
  /// The theme that every other one inherits.
  static let fallback = "freedesktop"
  /// How many themes one theme may consist of.
  private static let mostThemes = 8
  /// How much of a line is read at once; the rest counts as a further line.
  private static let longestLine = 1023
  /// The kind of loudspeakers: folders for others are left out.
  private static let usualProfile = "stereo"

  /// A folder of sounds, below those of the theme.
  private struct Directory {
    let theme: String
    let name: String
    /// For which loudspeakers; `nil`: all.
    var profile: String?
    /// Below a folder `sounds`.
    let path: String
  }

  enum Loading: Equatable {
    case done, missing, broken
  }

  let name: String
  private let files: ThemeFiles
  private var directories: [Directory] = []
  private var themeCount = 0
  private var hasFallback = false

  /// Reads a theme and what it inherits; `nil` if it is missing or broken. With `fallsBack` the fallback theme comes last.
  init?(_ name: String, in files: ThemeFiles, fallsBack: Bool, _ loading: inout Loading) {
    self.name = name
    self.files = files
    loading = load(name)
    if loading != .done { return nil }
    // It may be missing.
    if fallsBack, !hasFallback { _ = load(Self.fallback) }
  }

  // MARK: Reading

  private mutating func load(_ name: String) -> Loading {
    // A theme that inherits itself comes to an end, too.
    if themeCount >= Self.mostThemes { return .broken }
    if !SoundThemes.isName(name) { return .missing }
    if name == Self.fallback { hasFallback = true }
    for base in files.bases {
      switch ThemeFiles.content(of: "\(base)/sounds/\(name)/index.theme") {
      case .content(let bytes):
        let loading = read(bytes, of: name)
        if loading != .missing { return loading }
      case .missing: continue
      case .failed: return .broken
      }
    }
    return .missing
  }

  private mutating func read(_ bytes: [UInt8], of theme: String) -> Loading {
    var inherits: Substring?
    var isHead = false
    var directory: Int?
    for line in Self.lines(bytes) {
      if line == "[Sound Theme]" {
        (isHead, directory) = (true, nil)
      } else if line.hasPrefix("["), line.hasSuffix("]"), line.count > 1 {
        let name = line.dropFirst().dropLast()
        (isHead, directory) = (false, directories.firstIndex { $0.theme == theme && $0.name == name })
      } else if isHead, line.hasPrefix("Inherits=") {
        if inherits != nil { return .broken }
        inherits = line.dropFirst("Inherits=".count)
      } else if isHead, line.hasPrefix("Directories=") {
        for name in Self.items(line.dropFirst("Directories=".count)).map(String.init)
        where !directories.contains(where: { $0.theme == theme && $0.name == name }) {
          directories.append(Directory(theme: theme, name: name, path: "/\(theme)/\(name)"))
        }
      } else if let directory, line.hasPrefix("OutputProfile=") {
        let profile = String(line.dropFirst("OutputProfile=".count))
        if directories[directory].profile ?? profile != profile { return .broken }
        directories[directory].profile = profile
      }
    }
    themeCount += 1
    for parent in Self.items(inherits ?? "") {
      let loading = load(String(parent))
      if loading != .done { return loading }
    }
    return .done
  }

  private static func items(_ list: Substring) -> [Substring] { list.split { $0 == "," || $0 == " " } }

  /// The lines that are not empty, without comments.
  private static func lines(_ bytes: [UInt8]) -> [Substring] {
    bytes.split(separator: UInt8(ascii: "\n")).flatMap { line in
      stride(from: line.startIndex, to: line.endIndex, by: longestLine).compactMap { start in
        let part = line[start..<min(start + longestLine, line.endIndex)]
        let text = part.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "#") && $0 != 0 }
        return text.isEmpty ? nil : Substring(decoding: text, as: UTF8.self)
      }
    }
  }

  // MARK: Looking up

  /// The folders in which it looks, in this order, whether or not they exist.
  var folders: [String] {
    let paths = directories.filter { $0.profile ?? Self.usualProfile == Self.usualProfile }.map {
      "\($0.theme)/\($0.name)"
    }
    return (paths + [name]).flatMap { path in files.bases.map { "\($0)/sounds/\(path)" } }
  }

  /// Where it and what it inherits have their indices, whether or not they exist.
  var indices: [String] {
    Set([name, Self.fallback] + directories.map(\.theme)).flatMap { theme in files.bases.map { "\($0)/sounds/\(theme)" }
    }
  }

  /// The file of a sound. `profile`: the kind of loudspeakers.
  func find(_ sound: String, profile: String = usualProfile) -> ThemeSound? {
    let names = ThemeFiles.names(sound)
    for profile in profile == Self.usualProfile ? [profile] : [profile, Self.usualProfile] {
      for directory in directories where directory.profile ?? profile == profile {
        let found = files.find(
          names, below: directory.path,
          directory.theme == name ? "theme '\(name)'" : "theme '\(directory.theme)', which '\(name)' inherits")
        if let found { return found }
      }
    }
    return files.find(names, below: "/\(name)", "theme '\(name)'")
  }
}

/// What a look-up in themes ends with.
struct ThemeSound: Equatable {
  enum Outcome: Equatable {
    case file
    /// The theme wants silence: it has `NAME.disabled`.
    case disabled
    case failed
  }

  var path: String
  var outcome: Outcome
  /// How it was found, for people.
  var step: String
}

/// The sound themes that a configuration asks for.
package struct SoundThemes: Sendable {
  /// Stands for the theme that the desktop has chosen.
  package static let desktop = "auto"

  /// Best first. The last one falls back to the theme `freedesktop`, and to sounds of no theme.
  package var names: [String]
  /// The folders of which each has a folder `sounds`, best first.
  package var bases: [String]
  /// As in LC_MESSAGES.
  package var locale: String
  /// The name of the desktop's theme; may block for a while.
  package var desktopTheme: @Sendable () -> String?

  package init(
    names: [String], bases: [String], locale: String, desktopTheme: @escaping @Sendable () -> String? = { nil }
  ) {
    (self.names, self.bases, self.locale, self.desktopTheme) = (names, bases, locale, desktopTheme)
  }

  /// Whether a theme may have this name: no path, which would lead out of the folders of themes.
  package static func isName(_ name: String) -> Bool {
    !["", ".", ".."].contains(name) && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }

  /// The themes of this list that cannot be used, as they are now. What the desktop has chosen need not be there.
  package func problems(refusal: (String) -> String? = { _ in nil }) -> [ThemeProblem] {
    let files = files(refusal: refusal)
    return names.filter { $0 != Self.desktop }.compactMap { name in
      var loading = SoundTheme.Loading.done
      if SoundTheme(name, in: files, fallsBack: false, &loading) != nil { return nil }
      let installed = files.themes
      if SoundThemes.isName(name), installed.contains(name) {
        return ThemeProblem(name: name, isThere: true, near: nil)
      }
      return ThemeProblem(name: name, isThere: false, near: Suggestion.nearest(to: name, among: installed))
    }
  }

  private func files(refusal: (String) -> String?) -> ThemeFiles {
    ThemeFiles(bases: bases.filter { refusal("\($0)/sounds") == nil }, locale: locale)
  }

  /// Reads the themes as they are now, except below folders for which there is a `refusal` (see `SoundLocator.search`).
  func load(refusal: (String) -> String?) -> LoadedThemes {
    let names = names.compactMap { $0 == Self.desktop ? desktopTheme() : $0 }
    return LoadedThemes(names, files(refusal: refusal))
  }
}

/// Why a theme cannot be used.
package struct ThemeProblem: Equatable, Sendable, CustomStringConvertible {
  package var name: String
  /// Whether it is installed; then its index, or a theme that it inherits, is missing or cannot be read.
  package var isThere: Bool
  /// An installed theme with a similar name.
  package var near: String?

  package var description: String {
    isThere
      ? "the sound theme \(Excerpt.quoting(name)) cannot be used: its index.theme, or a theme that it inherits, is missing or damaged"
      : "no sound theme is called \(Excerpt.quoting(name))\(Suggestion.question(near.map(Excerpt.escaping)))"
  }
}

/// Themes as they are at one moment.
struct LoadedThemes {
  private let files: ThemeFiles
  private(set) var themes: [SoundTheme] = []
  /// Where a look-up looks, and the folders of the indices.
  private(set) var watched: [String] = []

  init(_ names: [String], _ files: ThemeFiles) {
    self.files = files
    for (index, name) in names.enumerated() {
      let isLast = index == names.count - 1
      var loading = SoundTheme.Loading.done
      if let theme = SoundTheme(name, in: files, fallsBack: isLast, &loading) {
        themes.append(theme)
      } else if isLast, loading == .missing,
        let theme = SoundTheme(SoundTheme.fallback, in: files, fallsBack: true, &loading)
      {
        themes.append(theme)
      }
    }
    watched = Set(folders + themes.flatMap(\.indices)).sorted()
  }

  /// The folders in which a sound is looked up, in this order, whether or not they exist.
  var folders: [String] { themes.flatMap(\.folders) }

  func find(_ sound: String, profile: String? = nil) -> ThemeSound? {
    for theme in themes {
      if let found = profile.map({ theme.find(sound, profile: $0) }) ?? theme.find(sound) { return found }
    }
    return files.find(ThemeFiles.names(sound), below: "", "no theme")
  }
}
