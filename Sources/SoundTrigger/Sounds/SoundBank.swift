/// The clips of all sounds that somebody may want to hear, by the names under which they are asked for.
///
/// Everything is loaded ahead of time. Confined to one thread.
struct SoundBank {
  private var locator: SoundLocator
  private var loader: ClipLoader
  private var clips: [String: Clip] = [:]
  /// Several names may lead to one file, which is then decoded once.
  private var clipsByFile: [SoundFile.Identity: Clip] = [:]

  init(locator: SoundLocator, loader: ClipLoader) {
    self.locator = locator
    self.loader = loader
  }

  /// Loads a sound, or returns what is loaded already.
  @discardableResult
  mutating func load(_ sound: String) throws(SoundError) -> Clip {
    if let clip = clips[sound] { return clip }
    let file = try SoundFile(path: try locator.locate(sound))
    let clip: Clip
    if let known = clipsByFile[file.identity] {
      clip = known
    } else {
      clip = try loader.load(path: file.path)
      clipsByFile[file.identity] = clip
    }
    clips[sound] = clip
    return clip
  }
}
