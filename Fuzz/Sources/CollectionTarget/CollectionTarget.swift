import Glibc
import Harness

@testable import SoundTrigger

/// Where the bytes lie as the index of a theme and as the manifest of a pack.
private let folder: String = {
  var template = Array("/tmp/soundd-fuzz-XXXXXX".utf8CString)
  Finding.unless(mkdtemp(&template) != nil, "mkdtemp: \(String(cString: strerror(errno)))")
  let path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  for name in ["/sounds", "/sounds/t", "/sounds/freedesktop", "/pack", "/pack/sounds"] { mkdir(path + name, 0o700) }
  for name in ["/sounds/t/bell.oga", "/pack/sounds/a.wav", "/outside.wav"] { write(path + name, []) }
  // At its end libFuzzer leaves the process with exit.
  atexit {
    for name in files + ["/sounds/t", "/sounds/freedesktop", "/sounds", "/pack/sounds", "/pack", ""] {
      remove(folder + name)
    }
  }
  return path
}()

private let files = [
  "/sounds/t/bell.oga", "/pack/sounds/a.wav", "/outside.wav", "/sounds/t/index.theme", "/pack/openpeon.json",
]

private func write(_ path: String, _ bytes: [UInt8]) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  Finding.unless(file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count, "cannot write \(path)")
  close(file)
}

/// Whatever the index of a theme or the manifest of a pack says, a look-up ends, stays inside, and its error can be shown.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  write(folder + "/sounds/t/index.theme", bytes)
  lookUpInTheme()
  write(folder + "/pack/openpeon.json", bytes)
  lookUpInPack()
  return 0
}

private func lookUpInTheme() {
  let themes = LoadedThemes(["t"], ThemeFiles(bases: [folder], locale: "de_AT.UTF-8@euro"))
  let found = ["bell", "bell-window-system", ""].compactMap { themes.find($0) }
  for sound in found where sound.outcome == .file {
    Finding.unless(access(sound.path, F_OK) == 0, "it found \(sound.path), which is not there")
  }
  Finding.unless(themes.watched.count < 10_000, "it looks in \(themes.watched.count) folders")
}

private func lookUpInPack() {
  do throws(SoundError) {
    let pack = try SoundPack(folder: folder + "/pack")
    ShownText.check(String(pack.summary.dropLast()), limit: 20_000)
    for category in pack.categories + ["task.complete"] {
      for sound in pack.sounds(of: category) {
        switch sound {
        case .success(let path): checkInside(path)
        case .failure(let error): ShownText.check(error.description, limit: 40_000)
        }
      }
    }
  } catch {
    ShownText.check(error.description)
  }
}

private func checkInside(_ path: String) {
  let real = realpath(path, nil)
  defer { free(real) }
  Finding.unless(
    real.map { String(cString: $0).hasPrefix(folder + "/pack/") } ?? false, "\(path) is outside of the pack")
}
