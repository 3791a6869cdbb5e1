import Glibc
import SoundTrigger
import SoundWire
import TestSupport
import Testing

@testable import soundd

/// What `soundd doctor` sees while no daemon runs, of real files.
struct StartPreviewTests {
  private let folder = TemporaryFolder()

  private var state: StateFile { StateFile(path: folder("state")) }

  private func preview(_ text: String) throws -> StartPreview {
    let configuration = try ConfigurationText(file: "c.toml", bytes: Array(text.utf8)).configuration(.test)
    return try StartPreview(configuration, LoadedSounds(), state: state, rate: 48_000)
  }

  private func heat(_ file: String) -> String {
    """
    [value.heat]
    file = "\(file)"
    type = "number"
    [[trigger]]
    value = "heat"
    above = 90
    loop = true
    sound = "alarm"
    """
  }

  @Test func `an alarm whose file meets the condition is active`() throws {
    let preview = try preview(heat(folder.write("heat", "97\n")))
    #expect(preview.alarms.map(\.name) == ["heat"])
    #expect(preview.alarms.first?.life.kind == .active)
    #expect(preview.alarms.first?.content?.text == "97")
    #expect(preview.unknown.isEmpty)
  }

  @Test func `an alarm that was acknowledged and whose condition still holds stays acknowledged`() throws {
    var saved = SavedState()
    var record = AlarmRecord()
    (record.life, record.content, record.id) = (.acknowledged, .number(97), AlarmID(3))
    record.values = [try #require(ValueName("heat"))]
    record.since = EventLoop.clock()
    saved.alarms["heat"] = SavedAlarm(record)
    try state.write(saved.bytes)
    let preview = try preview(heat(folder.write("heat", "97\n")))
    #expect(preview.alarms.first?.life.kind == .acknowledged)
    #expect(preview.alarms.first?.id == 3)
  }

  @Test func `volume and profile are those that were saved`() throws {
    var saved = SavedState(volume: 0.25)
    saved.profile = ProfileChoice(profile: .silent)
    saved.volumes = ["heat": 0]
    try state.write(saved.bytes)
    let preview = try preview(heat(folder("missing")))
    #expect(preview.level.volume == 0.25)
    #expect(preview.profile.profile == .silent)
    #expect(preview.triggers.first?.level.volume == 0)
  }

  @Test func `a file whose value restricts the profile is seen`() throws {
    let text = "[profile]\nquiet_while = \"meeting\"\n[value.meeting]\nexists = \"\(folder.write("lock", ""))\"\n"
    let profile = try preview(text).profile
    #expect(profile.profile == .quiet)
    #expect(profile.gate == "meeting")
  }

  @Test func `no command starts and no pipe opens, and their values are named as unknown`() throws {
    let pipe = folder("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let text = """
      [value.build]
      command = ["touch", "\(folder("ran"))"]
      every = "1 s"
      [value.isDone]
      of = "build"
      equals = "done"
      [value.line]
      fifo = "\(pipe)"
      [value.there]
      exists = "\(folder("nothing"))"
      [[trigger]]
      value = "chat"
      sound = "message"
      """
    let preview = try preview(text)
    #expect(Set(preview.unknown.map(\.description)) == ["build", "isDone", "line", "chat"])
    #expect(access(folder("ran"), F_OK) != 0)
  }

  @Test func `a content that its value refuses is named`() throws {
    let value = try #require(try preview(heat(folder.write("heat", "hot\n"))).values.first)
    #expect(value.value == nil)
    #expect(value.refusals.count == 1)
  }

  @Test func `a damaged state is named, and stays as it is`() throws {
    folder.write("state", "nonsense")
    let problem = try #require(try preview("").stateProblem)
    #expect(problem.contains("\(state.path) is damaged"))
    #expect(try state.read() == Array("nonsense".utf8))
  }
}
