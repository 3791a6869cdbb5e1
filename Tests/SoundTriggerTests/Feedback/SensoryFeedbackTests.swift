import Foundation
import SoundTrigger
import Testing

@Suite struct SensoryFeedbackTests {
  static let shipped = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../sounds").standardized.path
  /// Every kind of SwiftUI from iOS 17 to 26, and the shipped sound that stands for it.
  static let kinds: [(SensoryFeedback, file: String)] = [
    (.success, "success"), (.warning, "warning"), (.error, "error"), (.start, "start"), (.stop, "stop"),
    (.increase, "increase"), (.decrease, "decrease"), (.levelChange, "level-change"), (.alignment, "alignment"),
    (.pathComplete, "path-complete"), (.selection, "selection"), (.selection(.on), "selection-on"),
    (.selection(.off), "selection-off"), (.selection(.minimum), "selection-off"),
    (.selection(.maximum), "selection-on"), (.impact, "impact"), (.impact(), "impact-medium"),
    (.impact(weight: .light), "impact-light"), (.impact(weight: .medium), "impact-medium"),
    (.impact(weight: .heavy), "impact-heavy"), (.impact(flexibility: .rigid), "impact-rigid"),
    (.impact(flexibility: .solid), "impact-solid"), (.impact(flexibility: .soft), "impact-soft"),
    (.press(.button), "press"), (.press(.buttonIconOnly), "press"), (.press(.slider), "press"),
    (.press(.tab), "press"), (.press(.toggle), "press"), (.release(.slider), "release"),
  ]

  @Test func `every kind has its own shipped sound or that of the nearest kind`() throws {
    let locator = SoundLocator(folders: [Self.shipped])
    for (kind, file) in Self.kinds {
      #expect(try locator.locate(kind.sound) == "\(Self.shipped)/\(file).wav")
    }
  }

  @Test func `no two kinds are equal`() {
    #expect(Set(Self.kinds.map(\.0)).count == Self.kinds.count - 1, "only impact() is impact(weight: .medium)")
  }

  @Test func `the intensity is a gain from 0 to 1 and part of equality`() {
    #expect(SensoryFeedback.impact(weight: .heavy, intensity: 0.7) != .impact(weight: .heavy))
    #expect(SensoryFeedback.impact(weight: .heavy, intensity: 1) == .impact(weight: .heavy))
    for (given, kept) in [(0.5, 0.5), (7, 1), (-1, 0), (.nan, 0), (.infinity, 1)] {
      #expect(SensoryFeedback.impact(intensity: given).intensity == kept)
    }
  }

  @Test(arguments: [
    ("dialog-error", "error"), ("dialog-warning", "warning"), ("message-new-instant", "message"),
    ("complete", "success"), ("alarm-clock-elapsed", "alarm"), ("button-pressed", "press"),
    ("audio-volume-change", "level-change"),
  ])
  func `a name of the freedesktop specification finds the shipped sound`(_ name: String, file: String) throws {
    #expect(try SoundLocator(folders: [Self.shipped]).locate(name) == "\(Self.shipped)/\(file).wav")
  }

  @Test func `a sound of ours finds the file of a theme that has only the other name`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("theme-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appendingPathComponent("dialog-error.oga"))
    let locator = SoundLocator(folders: [folder.path, Self.shipped])
    // A file of the name itself goes first, in whatever folder it is.
    #expect(try locator.locate("error") == "\(Self.shipped)/error.wav")
    #expect(try SoundLocator(folders: [folder.path]).locate("error") == folder.path + "/dialog-error.oga")
    #expect(try SoundLocator(folders: [folder.path]).locate("dialog-error") == folder.path + "/dialog-error.oga")
  }
}
