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
  func soundLocator(configurationFile file: String?) -> SoundLocator {
    SoundLocator(
      folders: soundFolders(configurationFile: file),
      base: file.map { FilePathText.folder(of: absolute($0)) } ?? workingDirectory)
  }
}
