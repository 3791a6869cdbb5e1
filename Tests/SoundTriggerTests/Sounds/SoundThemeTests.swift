import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

/// Themes, made up and those of Debian 12, and what libcanberra finds in them (`Fixtures/themes`).
struct SoundThemeTests {
  private struct Case {
    let theme, name, locale, profile, result: String
  }

  private let folder = TemporaryFolder()
  private let cases: [Case]
  private var bases: [String] { ["home", "a", "b", "usr"].map { "\(folder.path)/\($0)" } }

  init() throws {
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/themes")
    var files: [(path: String, lines: [String])] = []
    var cases: [Case] = []
    for line in try String(contentsOf: fixture, encoding: .utf8).split(separator: "\n") {
      let text = String(line.dropFirst(2))
      switch line.first {
      case "+": files.append((text, []))
      case "|": files[files.count - 1].lines.append(text.replacingOccurrences(of: "\\r", with: "\r"))
      case "?":
        let words = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        cases.append(Case(theme: words[0], name: words[1], locale: words[2], profile: words[3], result: words[4]))
      default: continue
      }
    }
    self.cases = cases
    for file in files {
      let path = "\(folder.path)/\(file.path)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try Data(file.lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: path))
    }
  }

  private func themes(_ names: String..., locale: String = "C") -> LoadedThemes {
    LoadedThemes(names, ThemeFiles(bases: bases, locale: locale))
  }

  private func found(_ sound: ThemeSound?) -> String {
    guard let sound else { return "-" }
    let path = String(sound.path.dropFirst(folder.path.count + 1))
    return switch sound.outcome {
    case .disabled: "disabled"
    case .failed: "system"
    // It decodes the file, we do so later.
    case .file: path == "a/sounds/broken/stereo/bell.oga" ? "corrupt" : path
    }
  }

  @Test func `each look-up ends as libcanberra's does`() {
    #expect(cases.count > 140)
    for one in cases {
      // Without a name it takes this one.
      let themes = themes(one.theme.isEmpty ? "freedesktop" : one.theme, locale: one.locale)
      let here = found(themes.find(one.name, profile: one.profile.isEmpty ? nil : one.profile))
      #expect(here == one.result, "\(one)")
    }
  }

  @Test func `of a list the first theme that has a sound decides, and the last one falls back`() {
    let both = themes("parent", "mine")
    #expect(found(both.find("parents")) == "a/sounds/parent/stereo/parents.oga")
    #expect(found(both.find("only-extra")) == "home/sounds/mine/extra/only-extra.wav")
    #expect(found(both.find("bell")) == "home/sounds/mine/stereo/bell.oga")
    #expect(found(both.find("dialog-warning")) == "usr/sounds/freedesktop/stereo/dialog-warning.oga")
    #expect(found(themes("nowhere", "mine").find("bell")) == "home/sounds/mine/stereo/bell.oga")
    #expect(
      found(themes("mine", "nowhere").find("dialog-warning")) == "usr/sounds/freedesktop/stereo/dialog-warning.oga")
  }

  @Test func `it is said how a sound was found`() {
    func step(_ name: String, _ themes: LoadedThemes) -> String? { themes.find(name)?.step }
    #expect(step("bell", themes("mine")) == "theme 'mine'")
    #expect(step("message-new-instant", themes("mine")) == "theme 'mine', shortened to 'message'")
    #expect(step("parents", themes("mine")) == "theme 'parent', which 'mine' inherits")
    #expect(step("greeting", themes("mine", locale: "de_CH.UTF-8")) == "theme 'mine', language 'de'")
    #expect(step("unthemed", themes("mine")) == "no theme")
    #expect(step("bell", themes("nowhere")) == "theme 'freedesktop'")
  }

  @Test func `an index that is too large, no file or not to be read breaks its theme`() throws {
    let path = "\(folder.path)/home/sounds/huge"
    try FileManager.default.createDirectory(atPath: path + "/index.theme", withIntermediateDirectories: true)
    #expect(found(themes("huge").find("dialog-warning")) == "-")
    try FileManager.default.removeItem(atPath: path + "/index.theme")
    let text = "[Sound Theme]\nDirectories=stereo\n" + String(repeating: "# nothing\n", count: 110_000)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/index.theme"))
    #expect(found(themes("huge").find("dialog-warning")) == "-")
  }

  // MARK: Among the other places

  private func locator(_ folders: [String], _ theme: String?) -> SoundLocator {
    let themes = theme.map { SoundThemes(names: [$0], bases: bases, locale: "C") { "Yaru" } }
    return SoundLocator(folders: folders, themes: themes)
  }

  @Test func `a theme comes after the folders, and before other names in the folders`() throws {
    let own = TemporaryFolder()
    own.write("bell.wav", [])
    own.write("success.wav", [])
    #expect(try locator([own.path], "mine").locate("bell") == own.path + "/bell.wav")
    // `complete` is another name of `success`.
    #expect(try locator([own.path], nil).locate("complete") == own.path + "/success.wav")
    let found = locator([own.path], "mine").search("complete")
    #expect(try found.path.get() == "\(bases[3])/sounds/freedesktop/stereo/complete.oga")
    #expect(found.step == "theme 'freedesktop', which 'mine' inherits")
    #expect(locator([own.path], nil).search("complete").step == "as 'success'")
    #expect(locator([], "mine").search("error").step == "as 'dialog-error', theme 'freedesktop', which 'mine' inherits")
    #expect(try locator([], "auto").locate("device-added") == "\(bases[3])/sounds/Yaru/stereo/device-added.oga")
  }

  @Test func `a sound that a theme disables is silent and not broken`() {
    let sounds = LoadedSounds.load(["quiet"], locator: locator([], "mine"), loader: ClipLoader(rate: 48_000))
    #expect(sounds["quiet"] == nil && sounds.problem(of: "quiet") == nil && sounds.isDisabled("quiet"))
  }

  @Test func `where a theme may change is watched`() {
    let links = locator([], "mine").search("bell").links
    #expect(links.contains(bases[0] + "/sounds/mine") && links.contains(bases[1] + "/sounds/mine/stereo"))
    #expect(links.contains(bases[3] + "/sounds/freedesktop/stereo"))
  }
}
