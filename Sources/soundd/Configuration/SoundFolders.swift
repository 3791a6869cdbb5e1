import SoundTrigger

/// Where the sounds of a configuration are looked up.
extension SystemEnvironment {
  /// The folders in which sounds are looked up by name, best first: beside the configuration, the user's, those installed
  /// with the program, those of its checkout, the system's, those inside the program. A folder of the system keeps its place
  /// among those, because `/usr/local/share` comes before `/usr/share`.
  func soundFolders(configurationFile: String?) -> [String] {
    var folders: [String] = []
    if let configurationFile {
      folders.append(FilePathText.join(FilePathText.folder(of: absolute(configurationFile)), "sounds"))
    }
    if let data = path(of: .data) { folders.append(FilePathText.join(data, SoundLocator.folderInData)) }
    let system = SoundLocator.systemFolders(dataDirectories: variable("XDG_DATA_DIRS"))
    folders += ownFolders("sounds").filter { !system.contains($0) } + system + [BuiltInSounds.folder]
    var seen: Set<String> = []
    return folders.filter { seen.insert($0).inserted }
  }

  /// Where the sounds of a configuration are looked up. A relative path starts at the configuration's folder, else at
  /// the working folder.
  func soundLocator(configurationFile file: String?, _ settings: SoundSettings = SoundSettings()) -> SoundLocator {
    let usualPacks = home.map { [FilePathText.join($0, ".openpeon/packs")] } ?? []
    return SoundLocator(
      folders: soundFolders(configurationFile: file),
      base: file.map { FilePathText.folder(of: absolute($0)) } ?? workingDirectory,
      themes: themes(settings.themes), packs: settings.packs ?? usualPacks, normalizes: settings.normalizes)
  }

  /// Where sound themes are looked up, as libcanberra does it: $XDG_DATA_HOME before $XDG_DATA_DIRS.
  private func themes(_ names: [String]) -> SoundThemes? {
    if names.isEmpty { return nil }
    let shared = variable("XDG_DATA_DIRS").flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share"
    let bases = (path(of: .data).map { [$0] } ?? []) + shared.split(separator: ":").map(String.init)
    let locales = [variable("LC_ALL"), variable("LC_MESSAGES"), variable("LANG")]
    let locale = locales.compactMap(\.self).first { !$0.isEmpty } ?? "C"
    // Asked for once: the desktop's choice is read at the start and at a reload.
    let chosen = Guarded<String??>(nil)
    return SoundThemes(names: names, bases: bases.filter { $0.hasPrefix("/") }, locale: locale) {
      chosen.withLock { known in
        let theme = known ?? desktopTheme
        known = .some(theme)
        return theme
      }
    }
  }

  /// The theme that the desktop has chosen: $XDG_SOUND_THEME, KDE's file kdeglobals, or GNOME's settings (gsettings).
  private var desktopTheme: String? {
    if let name = variable("XDG_SOUND_THEME"), !name.isEmpty { return name }
    let file = path(of: .config).map { FilePathText.join($0, "kdeglobals") }
    let texts = [file.flatMap { try? InputFile.contents($0, limit: 1 << 20, as: "KDE's settings") }]
    if let text = texts[0], let name = Self.kdeTheme(String(decoding: text, as: UTF8.self)) { return name }
    let answer = output(of: "gsettings get org.gnome.desktop.sound theme-name") ?? ""
    let name = answer.filter { $0 != "'" && !$0.isNewline }
    return name.isEmpty ? nil : name
  }

  /// The theme in `[Sounds]` of kdeglobals.
  static func kdeTheme(_ text: String) -> String? {
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("[") { isInside = line == "[Sounds]" }
      if isInside, line.hasPrefix("Theme="), line.count > "Theme=".count {
        return String(line.dropFirst("Theme=".count))
      }
    }
    return nil
  }
}
