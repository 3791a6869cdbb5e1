import Glibc

/// Loaded sounds by name: for each its clip, or why it cannot be played.
///
/// Only `load` reads files; it blocks.
package struct LoadedSounds: Sendable {
  private var results: [String: Result<Clip, SoundError>] = [:]
  /// The clips of sounds that have several, of which one plays at a time.
  fileprivate private(set) var variants: [String: [Clip]] = [:] { didSet { hasVariants = !variants.isEmpty } }
  /// Asked at each play, and a look at the table would cost some forty instructions.
  fileprivate private(set) var hasVariants = false

  /// The last good clips of sounds that cannot be loaded any more.
  private var kept: [String: Clip] = [:]

  /// Whether a name that was set is that of a spoken text. Asked at each play, and a comparison of names takes 90 instructions.
  private var hasSpeech = false

  /// Clips that are kept beside those of the sounds.
  package var others: [Clip] = []
  /// The themes of the configuration that cannot be used.
  package var themeProblems: [ThemeProblem] = []
  /// Why sounds lack some of their clips, by their names.
  package private(set) var losses: [String: [SoundError]] = [:]

  /// No sounds.
  package init() {}

  /// The clips, each once.
  package var clips: [Clip] {
    var known: Set<ObjectIdentifier> = []
    let all = results.values.compactMap { try? $0.get() } + variants.values.joined() + kept.values + others
    return all.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  /// Looks up and decodes these sounds. Blocks until all are loaded. `room` and `refusal` are as in `ClipLoader.load`.
  package static func load(
    _ names: [String], locator: SoundLocator, loader: ClipLoader, room: ClipRoom? = nil,
    refusal: (String) -> String? = { _ in nil }
  ) -> LoadedSounds {
    var sounds = LoadedSounds()
    for sound in loader.load(names, locator: locator, room: room, refusal: refusal) { sounds.set(sound) }
    sounds.themeProblems = locator.themes?.problems(refusal: refusal) ?? []
    return sounds
  }

  /// The clip of a sound; `nil` if it failed to load or was never set.
  package subscript(name: String) -> Clip? { try? results[name]?.get() }

  /// The last good clip of a sound that can no longer be loaded, or `nil`. Alarms play it.
  package func keptClip(of name: String) -> Clip? { kept.isEmpty ? nil : kept[name] }

  /// Whether a sound that was set is a spoken text.
  @inline(__always)
  func isSpeech(_ name: String) -> Bool { hasSpeech && name.hasPrefix(Speech.prefix) }

  /// Why a sound cannot be played; `nil` if it can, or was never set.
  package func problem(of name: String) -> SoundError? {
    if case .failure(let problem) = results[name], !isDisabled(name) { problem } else { nil }
  }

  /// Whether a sound theme wants silence for it.
  package func isDisabled(_ name: String) -> Bool {
    if case .failure(.disabled) = results[name] { true } else { false }
  }

  /// If a pack has silence for it: the category of the pack with a similar name.
  package func nearest(to name: String) -> String? {
    if case .failure(.disabled(_, let near)) = results[name] { near } else { nil }
  }

  /// Sets or replaces a sound. Voices that play the old clip keep it.
  package mutating func set(_ name: String, _ result: Result<Clip, SoundError>) {
    results[name] = result
    if name.hasPrefix(Speech.prefix) { hasSpeech = true }
  }

  /// The same, with all of its clips.
  package mutating func set(_ sound: LoadedSound) {
    set(sound.name, sound.clip)
    variants[sound.name] = sound.variants.isEmpty ? nil : sound.variants.map(\.clip)
    losses[sound.name] = sound.losses.isEmpty ? nil : sound.losses
    kept[sound.name] = sound.kept
  }

  /// Removes a sound. Voices that play its clip keep it.
  package mutating func remove(_ name: String) {
    (results[name], variants[name], losses[name], kept[name]) = (nil, nil, nil, nil)
  }
}

/// Loaded sounds, and which of its clips a sound plays: a random one, but never the same one twice in a row.
struct VariantPicker {
  var sounds = LoadedSounds()
  private var random: SplitMix64
  private var last: [String: LastClip] = [:]

  /// A clip that played last. Weak, so that it does not outlive its sound. Its address alone could be that of a clip that was
  /// loaded later.
  private struct LastClip: Sendable {
    weak let clip: Clip?
  }

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The clip to play; `nil` if the sound cannot be played.
  @inline(__always)
  mutating func clip(of sound: String) -> Clip? { sounds.hasVariants ? anyClip(of: sound) : sounds[sound] }

  @inline(never)
  private mutating func anyClip(of sound: String) -> Clip? {
    guard let variants = sounds.variants[sound] else { return sounds[sound] }
    let known = last[sound]?.clip
    let clip = variants[random.index(of: variants) { $0 === known }]
    last[sound] = LastClip(clip: clip)
    return clip
  }
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
  /// If it cannot be played: its last good clip.
  package var kept: Clip?
  /// If the sound has several files: all that can be played.
  package var variants: [(file: SoundFile, clip: Clip)] = []
  /// If some of its files cannot be played while others can: why.
  package var losses: [SoundError] = []

  package init(
    name: String, file: SoundFile?, links: [String], clip: Result<Clip, SoundError>, step: String? = nil
  ) {
    (self.name, self.file, self.links, self.clip, self.step) = (name, file, links, clip, step)
  }

  /// The same, with the last good clip of an earlier result if it cannot be played.
  package func keeping(_ earlier: LoadedSound?) -> LoadedSound {
    guard case .failure(let problem) = clip else { return self }
    if case .disabled = problem { return self }
    var sound = self
    sound.kept = earlier.flatMap { (try? $0.clip.get()) ?? $0.kept }
    return sound
  }

  /// Whether it plays what another one does, or fails as that does.
  package func isSame(as other: LoadedSound) -> Bool {
    guard variants.map({ ObjectIdentifier($0.clip) }) == other.variants.map({ ObjectIdentifier($0.clip) }) else {
      return false
    }
    return switch (clip, other.clip) {
    case (.success(let one), .success(let other)): one === other
    case (.failure(let one), .failure(let other)): one == other
    case (.success, .failure), (.failure, .success): false
    }
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
    /// Whether the clip has the loudness of the shipped sounds.
    var isNormalized = false
  }

  package let path: String
  package var identity: Identity
  /// Whether it is shipped, or root's.
  let isTrusted: Bool
}

extension ClipLoader {
  /// Looks up and decodes sounds, in the order of their names; blocks. A file to which several names lead is decoded once.
  ///
  /// `known` are results that there are already: they are reused if their files have not changed. `room` bounds what the clips of themes
  /// and packs take beside the others, or all of them (`ClipRoom.isForAll`): the first ones have it. `refusal` is as in
  /// `SoundLocator.search`.
  package func load(
    _ names: [String], locator: SoundLocator, known: [SoundFile.Identity: Result<Clip, SoundError>] = [:],
    room: ClipRoom? = nil, refusal: (String) -> String? = { _ in nil }
  ) -> [LoadedSound] {
    let themes = locator.themes.map { $0.load(refusal: refusal) }
    var locator = locator
    if names.contains(where: { $0.hasPrefix(Speech.prefix) }) {
      let problem = locator.speechProblem(refusal)
      locator.speechProblem = { _ in problem }
    }
    let found = names.map { name in
      let search = locator.search(name, in: themes, refusal: refusal)
      let files = ([search.path] + search.others.map { .success($0) }).map { path in
        Result { () throws(SoundError) in
          var file = try SoundDecoder.file(at: try path.get())
          file.identity.isNormalized = search.isFromCollection && locator.normalizes
          return file
        }
      }
      return (name: name, search: search, files: files)
    }
    func files(_ isChosen: (SoundLocator.Search) -> Bool) -> [SoundFile] {
      found.filter { isChosen($0.search) }.flatMap(\.files).compactMap { try? $0.get() }
    }
    let isBounded = { (search: SoundLocator.Search) in room.map { $0.isForAll || search.isFromCollection } ?? false }
    var clips = known
    let free = files { !isBounded($0) }
    clips.merge(decode(free.filter { clips[$0.identity] == nil })) { known, _ in known }
    if let room {
      fill(room, with: files(isBounded), besides: Set(free.map(\.identity)), &clips)
    }
    return found.map { name, search, files in
      let results = files.map { file in
        Result { () throws(SoundError) -> (file: SoundFile, clip: Clip) in
          let file = try file.get()
          guard let clip = clips[file.identity] else { throw .noMemory(path: file.path, reason: "it was not decoded") }
          return (file, try clip.get())
        }
      }
      let playable = results.compactMap { try? $0.get() }
      let clip = (playable.first.map { .success($0) } ?? results[0]).map(\.clip)
      var sound = LoadedSound(
        name: name, file: playable.first?.file ?? (try? files[0].get()), links: search.links, clip: clip,
        step: search.step)
      if playable.count > 1 { sound.variants = playable }
      if !playable.isEmpty {
        sound.losses = results.compactMap { if case .failure(let problem) = $0 { problem } else { nil } }
      }
      return sound
    }
  }

  /// Decodes the files that share `room`, in their order, as far as it goes. Those of `free` take none of it.
  private func fill(
    _ room: ClipRoom, with files: [SoundFile], besides free: Set<SoundFile.Identity>,
    _ clips: inout [SoundFile.Identity: Result<Clip, SoundError>]
  ) {
    var room = room
    var seen = free
    if !room.isForAll { room.bytes -= free.reduce(0) { $0 + ((try? clips[$1]?.get())?.byteCount ?? 0) } }
    let rest = files.filter { seen.insert($0.identity).inserted }
    for file in rest {
      // A sound that a trigger has loaded takes no more memory if it is also played by hand.
      guard case .success(let clip) = clips[file.identity], !room.isForAll else { continue }
      clips[file.identity] = Result { () throws(SoundError) in
        try room.take(clip, of: file.path)
        return clip
      }
    }
    let new = rest.filter { clips[$0.identity] == nil }
    let strange = isConfined ? new.filter { !$0.isTrusted } : []
    if !strange.isEmpty, let results = DecodingCell(self, room: room).decode(strange.map(\.path)) {
      for (file, result) in zip(strange, results) {
        clips[file.identity] = Result { () throws(SoundError) in
          let clip = try result.get()
          try room.take(clip, of: file.path)
          return try normalized(clip, file.path, file.identity)
        }
      }
    }
    for file in new where clips[file.identity] == nil {
      clips[file.identity] = Result { () throws(SoundError) in
        let clip = try load(path: file.path, room: room)
        try room.take(clip, of: file.path)
        return try normalized(clip, file.path, file.identity)
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
      for (file, result) in zip(unique, results) {
        rest[file.key] = nil
        clips[file.key] = Result { () throws(SoundError) in try normalized(try result.get(), file.value, file.key) }
      }
    }
    let work = Guarded((rest: Array(rest), clips: clips))
    let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    DetachedThread.concurrently("soundd-decoder", others: min(processors, rest.count) - 1) {
      while let (identity, path) = work.withLock({ $0.rest.popLast() }) {
        let clip = Result { () throws(SoundError) in try normalized(try load(path: path), path, identity) }
        work.withLock { $0.clips[identity] = clip }
      }
    }
    return work.withLock { $0.clips }
  }

  private func normalized(_ clip: Clip, _ path: String, _ identity: SoundFile.Identity) throws(SoundError) -> Clip {
    if !identity.isNormalized { return clip }
    do throws(OutOfMemory) { return try clip.normalized() } catch { throw .noMemory(path: path, reason: "\(error)") }
  }
}
