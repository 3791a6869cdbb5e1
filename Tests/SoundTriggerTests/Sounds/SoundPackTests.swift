import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

struct SoundPackTests {
  private let folder = TemporaryFolder()
  private var locator: SoundLocator { SoundLocator(folders: [], packs: [folder("none"), folder("packs")]) }

  init() {
    for (frames, name) in [(10, "one"), (20, "two"), (30, "three")] {
      write("packs/demo/sounds/\(name).wav", frames: frames)
    }
    write("packs/demo/top.wav", frames: 40)
    write("packs/out.wav", frames: 50)
    folder.write(
      "packs/demo/openpeon.json",
      """
      {"cesp_version": "1.0", "name": "demo", "display_name": "Demo", "license": "CC-BY-4.0", "speech_text": [{}],
       "categories": {
         "task.complete": {"sounds": [{"file": "one.wav", "label": "1"}, {"file": "sounds/two.wav"}, {"file": "three.wav"}]},
         "task.error": {"sounds": [{"file": "./top.wav"}]},
         "input.required": {"sounds": [{"file": "../out.wav"}, {"file": "one.wav"}, {"file": "gone.wav"}]},
         "user.spam": {"sounds": [{"file": "../out.wav"}]},
         "session.end": {"sounds": []}},
       "category_aliases": {"done": "task.complete", "round": "round"}}
      """)
  }

  private func write(_ name: String, frames: Int) {
    folder.write(name, WAVBuilder.int16([Int16](repeating: 1, count: 2 * frames), channels: 2, rate: 48_000))
  }

  private func load(_ name: String) throws -> LoadedSound {
    try #require(ClipLoader(rate: 48_000).load([name], locator: locator).first)
  }

  @Test func `a category plays its sounds, and an alias those of its category`() throws {
    for category in ["task.complete", "done"] {
      let sound = try load("pack:demo/\(category)")
      #expect(sound.variants.map(\.clip.frameCount) == [10, 20, 30])
      #expect(sound.step == "of the pack 'demo', one of 3")
    }
    let error = try load("pack:demo/task.error")
    #expect(try error.clip.get().frameCount == 40 && error.variants.isEmpty)
  }

  @Test func `a file that a category has twice plays each time`() throws {
    write("packs/twice/sounds/one.wav", frames: 10)
    let files = #"[{"file": "one.wav"}, {"file": "sounds/one.wav"}]"#
    folder.write("packs/twice/openpeon.json", #"{"categories": {"task.complete": {"sounds": \#(files)}}}"#)
    let sound = try load("pack:twice/task.complete")
    var picker = VariantPicker(seed: 1)
    picker.sounds.set(sound)
    for _ in 0..<3 { #expect(picker.clip(of: sound.name)?.frameCount == 10) }
  }

  @Test(arguments: ["session.end", "resource.limit", "round", "nothing"]) func `a category without sounds is silence`(
    category: String
  ) throws {
    let sound = try load("pack:demo/\(category)")
    #expect(throws: SoundError.disabled(path: folder("packs/demo/openpeon.json"))) { try sound.clip.get() }
  }

  @Test func `a category with nearly the name of one is silence, and that one is named`() throws {
    var sounds = LoadedSounds()
    sounds.set(try load("pack:demo/task.complte"))
    #expect(sounds["pack:demo/task.complte"] == nil && sounds.problem(of: "pack:demo/task.complte") == nil)
    #expect(sounds.nearest(to: "pack:demo/task.complte") == "pack:demo/task.complete")
  }

  @Test func `a file outside of the pack is not touched, and the others play`() throws {
    let sound = try load("pack:demo/input.required")
    #expect(try sound.clip.get().frameCount == 10)
    #expect(sound.step == "of the pack 'demo', one of 1; 2 cannot be read")
    let outside = folder("packs/demo/../out.wav")
    #expect(throws: SoundError.unreadable(path: outside, reason: "it leads out of its pack")) {
      try load("pack:demo/user.spam").clip.get()
    }
    #expect(symlink(folder("packs/out.wav"), folder("packs/demo/sounds/link.wav")) == 0)
    folder.write("packs/demo/openpeon.json", #"{"categories": {"a": {"sounds": [{"file": "link.wav"}]}}}"#)
    let link = folder("packs/demo/sounds/link.wav")
    #expect(throws: SoundError.unreadable(path: link, reason: "it leads out of its pack")) {
      try load("pack:demo/a").clip.get()
    }
  }

  @Test func `a file whose name has a NUL is refused`() throws {
    folder.write("packs/demo/openpeon.json", #"{"categories": {"a": {"sounds": [{"file": "one.wav\u0000"}]}}}"#)
    let problem = SoundError.unreadable(path: folder("packs/demo/sounds/one.wav\\u{0}"), reason: "its name has a NUL")
    #expect(throws: problem) { try load("pack:demo/a").clip.get() }
  }

  @Test func `a folder without a manifest is no pack, and is not proposed`() throws {
    folder.write("packs/empty/readme", "")
    #expect(throws: SoundError.notFound(name: "pack:empty", searched: locator.packs)) { try locator.pack("empty") }
    #expect(throws: SoundError.notFound(name: "pack:emty", searched: locator.packs)) { try locator.pack("emty") }
    #expect("\(SoundError.notFound(name: "pack:emty", searched: []))" == "no pack is called 'emty'")
  }

  @Test func `a huge file of a pack is refused`() throws {
    truncate(folder("packs/demo/top.wav"), 17 << 20)
    let problem = SoundError.unreadable(
      path: folder("packs/demo/./top.wav"), reason: "it has 17 MiB, and a sound of a pack at most 16")
    #expect(throws: problem) { try load("pack:demo/task.error").clip.get() }
  }

  @Test(arguments: [
    (#"{"#, nil),
    (#"[]"#, nil), (#"{}"#, "expected 'categories', found none"),
    (
      #"{"cesp_version": "2.0", "categories": {"a": {"sounds": []}}}"#,
      "its cesp_version is '2.0', and soundd reads 1.0"
    ),
    (#"{"categories": {"a": {"sounds": ["x"]}}}"#, nil), (String(repeating: " ", count: 1 << 20 + 1), nil),
  ]) func `a damaged manifest is one error`(text: String, reason: String?) throws {
    folder.write("packs/demo/openpeon.json", text)
    let path = folder("packs/demo/openpeon.json")
    let error = try #require(throws: SoundError.self) { try load("pack:demo/task.complete").clip.get() }
    guard case .unreadable(path, let found) = error else {
      Issue.record("\(error)")
      return
    }
    if let reason { #expect(found == reason) }
  }

  @Test func `a pack that is not there is not found, with the nearest one`() throws {
    let error = SoundError.notFound(name: "pack:demp", searched: locator.packs, near: "pack:demo")
    #expect(throws: error) { try load("pack:demp/task.complete").clip.get() }
  }

  @Test(arguments: ["pack:", "pack:demo", "pack:demo/", "pack:/a", "pack:../demo/a", "pack:demo/a/b", "demo/a"])
  func `what is no name of a category of a pack is refused`(name: String) {
    #expect(SoundPack.parts(of: name) == nil)
  }

  @Test func `no sound plays twice in a row, and all of them play`() throws {
    var picker = VariantPicker(seed: 1)
    picker.sounds.set(try load("pack:demo/task.complete"))
    let played = (0..<300).map { _ in picker.clip(of: "pack:demo/task.complete")?.frameCount ?? 0 }
    #expect(zip(played, played.dropFirst()).allSatisfy { $0 != $1 })
    for frames in [10, 20, 30] { #expect(played.filter { $0 == frames }.count > 60) }
  }

  @Test func `once a sound was removed and is loaded again, any of its clips may be the first`() throws {
    let name = "pack:demo/task.complete"
    var picker = VariantPicker(seed: 1)
    let first = try (0..<60).map { _ in
      picker.sounds.set(try load(name))
      defer { picker.sounds.remove(name) }
      return picker.clip(of: name)?.frameCount
    }
    // The new clips lie where the old ones did, and are others nevertheless.
    #expect(zip(first, first.dropFirst()).contains { $0 == $1 })
  }

  @Test func `the sounds of packs and themes alone are normalized`() throws {
    var locator = locator
    (locator.normalizes, locator.base) = (true, folder.path)
    let names = ["pack:demo/task.error", "./packs/demo/top.wav"]
    let sounds = ClipLoader(rate: 48_000).load(names, locator: locator)
    let peaks = try sounds.map { try $0.clip.get().frames[0] * 32_768 }
    // A sound of 40 frames is so quiet that it gets all that there is.
    #expect(abs(peaks[0] - 10) < 0.001 && peaks[1] == 1)
  }

  @Test func `the list of a pack has its title, its licence and its files`() throws {
    let pack = try locator.pack("demo")
    #expect(pack.summary == "Demo, which claims the licence CC-BY-4.0\n")
    #expect(pack.categories == ["input.required", "task.complete", "task.error", "user.spam"])
    #expect(pack.catalogue[1].sounds.map(\.name) == ["sounds/one.wav", "sounds/two.wav", "sounds/three.wav"])
  }
}
