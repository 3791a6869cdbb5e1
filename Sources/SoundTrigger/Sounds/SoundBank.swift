/// The clips of all sounds that somebody may want to hear, by the names under which they are asked for.
///
/// Everything is loaded ahead of time. Confined to one thread.
package struct SoundBank {
  private var locator: SoundLocator
  private var loader: ClipLoader
  private var clips: [String: Clip] = [:]
  /// Several names may lead to one file, which is then decoded once.
  private var clipsByPath: [String: Clip] = [:]

  package init(locator: SoundLocator, loader: ClipLoader) {
    self.locator = locator
    self.loader = loader
  }

  /// The clip of a loaded sound.
  package subscript(sound: String) -> Clip? { clips[sound] }

  /// What is loaded under that name, or else the sound itself, loaded now and not kept: many different ones may be asked
  /// for over time.
  package func fetch(_ sound: String) throws(SoundError) -> Clip {
    if let clip = clips[sound] { return clip }
    return try loader.load(path: try locator.locate(sound))
  }

  /// Loads a sound, or returns what is loaded already.
  @discardableResult
  package mutating func load(_ sound: String) throws(SoundError) -> Clip {
    if let clip = clips[sound] { return clip }
    let path = try locator.locate(sound)
    let clip: Clip
    if let known = clipsByPath[path] {
      clip = known
    } else {
      clip = try loader.load(path: path)
      clipsByPath[path] = clip
    }
    clips[sound] = clip
    return clip
  }
}
