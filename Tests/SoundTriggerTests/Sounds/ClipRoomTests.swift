import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

/// What clips take of `limits.memory`.
struct ClipRoomTests {
  private let folder = TemporaryFolder()
  private var locator: SoundLocator { SoundLocator(folders: [folder.path], packs: [folder("packs")]) }
  /// A clip of 10,000 frames of stereo float32.
  private static let size = 10_000 * 8

  init() {
    for name in ["own", "packs/demo/sounds/one", "packs/demo/sounds/two", "packs/demo/sounds/three"] {
      let samples = [Int16](repeating: Int16(name.count), count: 20_000)
      folder.write("\(name).wav", WAVBuilder.int16(samples, channels: 2, rate: 48_000))
    }
    let files = ["one", "two", "three"].map { #"{"file": "\#($0).wav"}"# }.joined(separator: ", ")
    folder.write("packs/demo/openpeon.json", #"{"categories": {"a": {"sounds": [\#(files)]}}}"#)
  }

  private func load(_ names: [String], bytes: Int, isForAll: Bool = false) -> [LoadedSound] {
    ClipLoader(rate: 48_000).load(
      names, locator: locator, room: ClipRoom(bytes: bytes, limit: 1 << 20, isForAll: isForAll))
  }

  /// How many of the sounds of the pack can be played.
  private func count(_ sound: LoadedSound?) -> Int {
    guard let sound, case .success = sound.clip else { return 0 }
    return max(1, sound.variants.count)
  }

  @Test func `a sound that the configuration names is loaded in any case`() {
    let sounds = load(["own", "pack:demo/a"], bytes: 10)
    #expect(count(sounds[0]) == 1)
    #expect(count(sounds[1]) == 0)
    let problem = SoundError.noRoom(path: folder("packs/demo/sounds/one.wav"), left: 0, limit: 1 << 20)
    #expect(throws: problem) { try sounds[1].clip.get() }
    #expect(
      "\(problem)"
        == "the sound \(folder("packs/demo/sounds/one.wav")) takes more than the 0 bytes that contents and other "
        + "sounds leave of limits.memory (1 MiB): raise it, or use a shorter sound")
  }

  @Test func `sounds of packs are loaded as far as there is room beside those`() {
    #expect(count(load(["pack:demo/a"], bytes: 4 * Self.size)[0]) == 3)
    let sounds = load(["own", "pack:demo/a"], bytes: 4 * Self.size)
    #expect(count(sounds[1]) == 2)
    #expect(sounds[1].losses.map { if case .noRoom = $0 { true } else { false } } == [true])
  }

  @Test func `by hand each sound needs room`() {
    #expect(count(load(["own"], bytes: Self.size / 2, isForAll: true)[0]) == 0)
    #expect(count(load(["own"], bytes: 2 * Self.size, isForAll: true)[0]) == 1)
  }

  @Test func `clips that are there already are counted, too`() throws {
    let first = load(["pack:demo/a"], bytes: 9 * Self.size)[0]
    let known = Dictionary(
      uniqueKeysWithValues: first.variants.map { ($0.file.identity, Result<Clip, SoundError>.success($0.clip)) })
    let again = ClipLoader(rate: 48_000).load(
      ["pack:demo/a"], locator: locator, known: known,
      room: ClipRoom(bytes: 2 * Self.size + Self.size / 2, limit: 1 << 20))
    #expect(again[0].variants.count == 2)
    #expect(
      again[0].variants.map { ObjectIdentifier($0.clip) } == first.variants.prefix(2).map { ObjectIdentifier($0.clip) })
  }

  @Test func `a file that promises more than there is room for is not decoded`() throws {
    // A FLAC of one STREAMINFO block alone: mono, 48 kHz, 10,000,000 samples (RFC 9639, section 8.2).
    let streamInfo: [UInt8] = [0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x0B, 0xB8, 0x00, 0xF0, 0x00, 0x98, 0x96, 0x80]
    folder.write(
      "promise.flac", Array("fLaC".utf8) + [0x80, 0, 0, 34] + streamInfo + [UInt8](repeating: 0, count: 16))
    #expect {
      try load(["promise"], bytes: 1000 * Self.size / 2, isForAll: true)[0].clip.get()
    } throws: {
      if case SoundError.noRoom = $0 { true } else { false }
    }
  }

  @Test func `a file that promises nothing is decoded until the room is full`() throws {
    let wav = folder.write(
      "long.wav", WAVBuilder.int16([Int16](repeating: 0, count: 400_000), channels: 2, rate: 48_000))
    let process = try Process.run(URL(fileURLWithPath: "/usr/bin/sox"), arguments: [wav, folder("unknown.flac")])
    process.waitUntilExit()
    var flac = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder("unknown.flac"))))
    flac.replaceSubrange(21..<26, with: [flac[21] & 0xF0, 0, 0, 0, 0])
    folder.write("unknown.flac", flac)
    #expect(count(load(["unknown"], bytes: 25 * Self.size, isForAll: true)[0]) == 1)
    #expect {
      try load(["unknown"], bytes: 10 * Self.size, isForAll: true)[0].clip.get()
    } throws: {
      if case SoundError.noRoom = $0 { true } else { false }
    }
  }
}
