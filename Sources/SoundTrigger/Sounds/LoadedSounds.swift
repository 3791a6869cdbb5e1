import Glibc

/// Loaded sounds by name: for each its clip, or why it cannot be played.
///
/// Only `load` reads files; it blocks.
package struct LoadedSounds: Sendable {
  private var results: [String: Result<Clip, SoundError>] = [:]

  /// No sounds.
  package init() {}

  /// The clips, each once.
  package var clips: [Clip] {
    var known: Set<ObjectIdentifier> = []
    return results.values.compactMap { try? $0.get() }.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  /// Looks up and decodes these sounds. Blocks until all are loaded. `refusal` is as in `SoundLocator.search`.
  package static func load(
    _ names: [String], locator: SoundLocator, loader: ClipLoader, refusal: (String) -> String? = { _ in nil }
  ) -> LoadedSounds {
    var sounds = LoadedSounds()
    for sound in loader.load(names, locator: locator, refusal: refusal) { sounds.set(sound.name, sound.clip) }
    return sounds
  }

  /// The clip of a sound; `nil` if it failed to load or was never set.
  package subscript(name: String) -> Clip? { try? results[name]?.get() }

  /// Why a sound cannot be played; `nil` if it can, or was never set.
  package func problem(of name: String) -> SoundError? {
    if case .failure(let problem) = results[name], !isDisabled(name) { problem } else { nil }
  }

  /// Whether a sound theme wants silence for it.
  package func isDisabled(_ name: String) -> Bool {
    if case .failure(.disabled) = results[name] { true } else { false }
  }

  /// Sets or replaces a sound. Voices that play the old clip keep it.
  package mutating func set(_ name: String, _ result: Result<Clip, SoundError>) { results[name] = result }

  /// Removes a sound. Voices that play its clip keep it.
  package mutating func remove(_ name: String) { results[name] = nil }
}

/// A sound that was looked up and decoded.
package struct LoadedSound: Sendable {
  package let name: String
  /// The file that was found; `nil` if there is none.
  package let file: SoundFile?
  /// The symbolic links that decided which file was found.
  package let links: [String]
  package let clip: Result<Clip, SoundError>
  /// How it was found, see `SoundLocator.Search`.
  package let step: String?

  package init(
    name: String, file: SoundFile?, links: [String], clip: Result<Clip, SoundError>, step: String? = nil
  ) {
    (self.name, self.file, self.links, self.clip, self.step) = (name, file, links, clip, step)
  }
}

/// A sound's file in the state in which it was found.
package struct SoundFile: Sendable {
  /// Equal for the same content of the same file, whatever its name.
  package struct Identity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    /// When the content, or the entry itself, was changed; in nanoseconds.
    var modified: Int64
    var changed: Int64
  }

  package let path: String
  package let identity: Identity
  /// Whether it is shipped, or root's.
  let isTrusted: Bool
}

extension ClipLoader {
  /// Looks up and decodes sounds, in the order of their names; blocks. A file to which several names lead is decoded once.
  ///
  /// `known` are clips that are loaded already: they are reused if their files have not changed. `refusal` is as in
  /// `SoundLocator.search`.
  package func load(
    _ names: [String], locator: SoundLocator, known: [SoundFile.Identity: Clip] = [:],
    refusal: (String) -> String? = { _ in nil }
  ) -> [LoadedSound] {
    let themes = locator.themes.map { $0.load(refusal: refusal) }
    let found = names.map { name in
      let search = locator.search(name, in: themes, refusal: refusal)
      let file = Result { () throws(SoundError) in try SoundDecoder.file(at: try search.path.get()) }
      return (name: name, search: search, file: file)
    }
    var clips = known.mapValues { Result<Clip, SoundError>.success($0) }
    let new = found.compactMap { try? $0.file.get() }.filter { clips[$0.identity] == nil }
    clips.merge(decode(new)) { known, _ in known }
    return found.map { name, search, file in
      do throws(SoundError) {
        let file = try file.get()
        let clip = clips[file.identity] ?? Result { () throws(SoundError) in try load(path: file.path) }
        return LoadedSound(name: name, file: file, links: search.links, clip: clip, step: search.step)
      } catch {
        return LoadedSound(name: name, file: nil, links: search.links, clip: .failure(error), step: search.step)
      }
    }
  }

  /// Decodes each file once, on as many threads at once as there are processors. With `isConfined` another process decodes those that
  /// are not trusted.
  private func decode(_ files: [SoundFile]) -> [SoundFile.Identity: Result<Clip, SoundError>] {
    var rest = Dictionary(files.map { ($0.identity, $0.path) }) { first, _ in first }
    var clips: [SoundFile.Identity: Result<Clip, SoundError>] = [:]
    let strange = isConfined ? files.filter { !$0.isTrusted } : []
    let unique = Dictionary(strange.map { ($0.identity, $0.path) }) { first, _ in first }.sorted { $0.value < $1.value }
    if !unique.isEmpty, let results = DecodingCell(self).decode(unique.map(\.value)) {
      for (file, result) in zip(unique, results) { (clips[file.key], rest[file.key]) = (result, nil) }
    }
    let work = Guarded((rest: Array(rest), clips: clips))
    let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    DetachedThread.concurrently("soundd-decoder", others: min(processors, rest.count) - 1) {
      while let (identity, path) = work.withLock({ $0.rest.popLast() }) {
        let clip = Result { () throws(SoundError) in try load(path: path) }
        work.withLock { $0.clips[identity] = clip }
      }
    }
    return work.withLock { $0.clips }
  }
}
