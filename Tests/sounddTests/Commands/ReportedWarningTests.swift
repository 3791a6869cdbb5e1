import SoundTrigger
import Testing

@testable import soundd

@Suite struct ReportedWarningTests {
  private func read(_ warnings: String) throws -> [ReportedWarning] {
    ReportedWarning.all(in: try JSONObject(Array(#"{"warnings":\#(warnings)}"#.utf8)))
  }

  @Test func `what the daemon writes is what a command reads`() throws {
    let message = ConfigurationMessage(
      file: "c.toml", location: TOMLLocation(line: 3, column: 1), key: "value.mail.count", message: "nobody reads this")
    let warnings = [Warning(.path, message), Warning(.misspelt, "'levl' was set", value: "levl")]
    let status = JSONWriter.object { $0.member("warnings") { $0.array(warnings) { $1.warning($0) } } }
    #expect(
      ReportedWarning.all(in: try JSONObject(status)) == [
        ReportedWarning(
          code: .path, message: "c.toml:3:1: value.mail.count: nobody reads this",
          place: .init(line: 3, column: 1, key: "value.mail.count")),
        ReportedWarning(code: .misspelt, message: "'levl' was set", value: "levl"),
      ])
  }

  @Test func `the texts of an older daemon, and the codes of a later one, are shown and mean nothing`() throws {
    #expect(try read(#"["not reloaded: x", "y"]"#) == ["not reloaded: x", "y"].map { ReportedWarning(message: $0) })
    #expect(
      try read(#"[{"code":"weather","message":"it rains","more":[1]},{}]"#) == [
        ReportedWarning(message: "it rains"), ReportedWarning(message: ""),
      ])
    for none in ["[]", "null", "1", "{}"] { #expect(try read(none) == []) }
  }
}
