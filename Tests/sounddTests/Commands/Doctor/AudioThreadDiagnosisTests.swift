import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// What the doctor concludes of the audio thread from a status.
struct AudioThreadDiagnosisTests {
  private let diagnosis = Diagnosis(facts: DoctorFacts(user: "me"))

  private func realTime(_ json: String) throws -> RealTimeMessage { try RealTimeMessage(Array(json.utf8)) }

  private func memory(_ json: String) throws -> LockedMemoryMessage { try LockedMemoryMessage(Array(json.utf8)) }

  @Test func `a daemon that got everything has nothing to mend`() throws {
    var status = StatusMessage()
    status.realTime = try realTime(
      #"{"policy":"rr","priority":10,"way":"rtkit","runtime_limit":100000,"flushes_denormals":true}"#)
    status.memory = try memory(#"{"wanted_bytes":4194304,"locked_bytes":4194304,"limit_bytes":8388608}"#)
    let rows = diagnosis.audioThread(status)
    #expect(rows.map(\.subject) == ["priority", "runaway limit", "locked memory", "denormals"])
    for row in rows {
      #expect(row.state == .ok, "\(row)")
      #expect(row.remedy == nil, "\(row)")
      #expect(!row.finding.isEmpty)
    }
  }

  @Test(arguments: [
    ("not-permitted", ["apt install rtkit", "@audio - rtprio 20", "usermod -aG audio"]),
    ("refused", ["@audio - rtprio 20", "usermod -aG audio"]), ("failed", ["@audio - rtprio 20"]),
    ("silent", ["systemctl status rtkit-daemon", "@audio - rtprio 20"]),
    ("overran", ["systemctl --user restart soundd"]),
    ("taken-away", ["journalctl -u rtkit-daemon"]),
  ])
  func `without real-time priority the row has the reason and what helps against it`(
    obstacle: String, remedies: [String]
  ) throws {
    let row = diagnosis.priority(
      try realTime(#"{"policy":"other","obstacle":"\#(obstacle)","reason":"RLIMIT_RTPRIO is 0"}"#), .init())
    #expect(row.state == .note)
    #expect(row.finding == "no real-time priority: RLIMIT_RTPRIO is 0")
    for remedy in remedies { #expect(row.remedy?.contains(remedy) == true) }
  }

  @Test(arguments: [("rtkit", "rr", "RealtimeKit"), ("kernel", "fifo", "the kernel")])
  func `the row says who granted priority`(way: String, policy: String, words: String) throws {
    let row = diagnosis.priority(
      try realTime(#"{"policy":"\#(policy)","priority":10,"way":"\#(way)"}"#), .init())
    #expect(row.finding == "real-time priority 10 (\(policy)), from \(words)")
  }

  @Test func `a real-time thread without a limit is a danger, an ordinary one is none`() throws {
    let danger = diagnosis.runtime(try realTime(#"{"policy":"fifo"}"#))
    #expect(danger.state == .note)
    #expect(danger.remedy?.contains("LimitRTTIME=200ms") == true)
    #expect(diagnosis.runtime(try realTime(#"{"policy":"other"}"#)).state == .note)
  }

  @Test func `memory that may be swapped out has the line that lets it be locked`() throws {
    let some = diagnosis.lockedMemory(
      try memory(#"{"wanted_bytes":9437184,"locked_bytes":8388608,"reason":"1024 of 9216 KiB"}"#))
    #expect(some.state == .note)
    #expect(some.finding == "1024 of 9216 KiB")
    // limits.conf(5): memlock is in KiB. 256 MiB, or twice what is wanted.
    #expect(some.remedy?.contains("@audio - memlock 262144\\n") == true)
    let much = diagnosis.lockedMemory(try memory(#"{"wanted_bytes":1073741824,"locked_bytes":0}"#))
    #expect(much.remedy?.contains("@audio - memlock 2097152\\n") == true)
    let unlimited = diagnosis.lockedMemory(try memory(#"{"wanted_bytes":4194304,"locked_bytes":4194304}"#))
    #expect(unlimited.finding == "all 4096 KiB (RLIMIT_MEMLOCK is unlimited)")
  }

  @Test func `of a daemon that does not say there is no row`() {
    #expect(diagnosis.audioThread(StatusMessage()) == [])
  }

  @Test func `a processor that computes with denormals is worth knowing`() throws {
    #expect(diagnosis.denormals(try realTime(#"{"flushes_denormals":false}"#)).state == .note)
  }
}
