import Foundation
import SoundWire
import Testing

@testable import SoundTrigger
@testable import soundd

/// What `get`, `list`, `explain` and the parts of `status` answer.
@Suite struct RepliesTests {
  private func object(_ message: some Message) throws -> [String: Any] {
    let json = message.json
    #expect(!json.contains(0x0A))
    return try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
  }

  private func value(
    _ content: Value?, _ kind: ValueKind = .text, isStale: Bool? = nil, source: ValueSource = .client
  ) throws -> [String: Any] {
    let name = try #require(ValueName("a/b"))
    let snapshot = ValueSnapshot(
      name: name, kind: kind, source: source, isDeclared: true, updates: 3, refusals: 2)
    return try object(ValueMessage(snapshot, content, changedAt: nil, isStale: isStale))
  }

  // MARK: Values

  @Test(arguments: [true, false])
  func `a value that is expected says whether it is stale`(isStale: Bool) throws {
    #expect(try value(.bool(true), isStale: isStale)["stale"] as? Bool == isStale)
  }

  @Test func `a value has the members of the contract, absent ones as null`() throws {
    let members = try value(nil)
    #expect(
      Set(members.keys) == [
        "name", "value", "type", "updates", "refused", "refused_at", "refusal", "changed_at", "source",
      ])
    #expect(members["value"] is NSNull)
    #expect(members["changed_at"] is NSNull)
    #expect(members["name"] as? String == "a/b")
    #expect(members["type"] as? String == "text")
    #expect(members["updates"] as? Int == 3)
    #expect(members["refused"] as? Int == 2)
    #expect(members["source"] as? String == "socket")
    #expect(try value(nil, source: .file(path: "/a b", aspect: .lines))["source"] as? String == "lines /a b")
  }

  @Test func `every kind of value becomes its own type of JSON`() throws {
    let all = String(UnicodeScalar(0)) + "\u{1}\u{1F}\u{7F}\"\\/\n\r\t é \u{2028} 𝄞"
    #expect(try value(.text(Array(all.utf8)))["value"] as? String == all)
    #expect(try value(.text([0x61, 0xFF]))["value"] as? String == "a\u{FFFD}")
    for number in [0.0, -0.0, 1, -15, 0.1, 1e15, 1e300, 2.5e-308, 123_456_789.125] {
      #expect(try value(.number(number), .number)["value"] as? Double == number)
    }
    #expect(RawJSON(.number(42)).bytes == Array("42".utf8))
    #expect(try value(.number(.infinity))["value"] as? String == "inf")
    #expect(try value(.bool(true), .bool)["value"] as? Bool == true)
    #expect(try value(.json(Array("[1,{\"x\":null}]".utf8)), .json)["value"] is [Any])
    let digest = SIMD8<UInt32>(
      0xE3B0_C442, 0x98FC_1C14, 0x9AFB_F4C8, 0x996F_B924, 0x27AE_41E4, 0x649B_934C,
      0xA495_991B, 0x7852_B855)
    let long = try value(.fingerprint(Fingerprint(length: 70_000, digest: digest)))["value"]
    let members = try #require(long as? [String: Any])
    #expect(members["length"] as? Int == 70_000)
    // The SHA-256 of nothing, as FIPS 180-4's test vectors give it.
    #expect(
      members["sha256"] as? String == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test(arguments: [
    ("\u{1B}[2J", #""\u001b[2J""#), ("a\u{202E}b\u{2066}c", #""a\u202eb\u2066c""#), ("\u{9B}31m", #""\u009b31m""#),
    ("\u{2028}", #""\u2028""#), ("👩‍👩‍👧 é", #""👩‍👩‍👧 é""#),
  ])
  func `what acts on a terminal is escaped, in texts and in documents`(text: String, json: String) {
    let written = RawJSON(.text(Array(text.utf8)))
    #expect(String(decoding: written.bytes, as: UTF8.self) == json)
    // A document cannot hold the escape character itself.
    if text.contains("\u{1B}") { return }
    let document = RawJSON(.json(Array(#"{"\#(text)":"\#(text)\n"}"#.utf8)))
    #expect(String(decoding: document.bytes, as: UTF8.self) == #"{\#(json):\#(json.dropLast())\n"}"#)
  }

  // MARK: Changes

  @Test func `a judged change has the members of the contract`() throws {
    let name = try #require(ValueName("door"))
    let change = JudgedChange(
      at: Instant(nanoseconds: 0), old: .text(Array("open".utf8)), new: .text(Array("closed".utf8)), verdict: .notTo)
    let reason = change.verdict.description
    var members = try object(VerdictMessage(change, of: name, reason: reason, at: Timestamp(seconds: 0)))
    #expect(members.removeValue(forKey: "id") is Int)
    #expect(
      members.mapValues { $0 as? String } == [
        "at": "1970-01-01T00:00:00.000000Z", "value": "door", "old": "open", "new": "closed", "verdict": "not_to",
        "reason": "the new value is none of those in to",
      ])
  }

  @Test func `a content that was truncated is still JSON`() throws {
    func json(_ truncated: Value) -> String { String(decoding: RawJSON(truncated: truncated).bytes, as: UTF8.self) }
    #expect(json(.json(Array(#"{"a": [1, 2"#.utf8))) == #""{\"a\": [1, 2""#)
    #expect(json(.text(Array("caf".utf8) + [0xC3])) == #""caf""#)
    #expect(json(.text(Array("caf€".utf8.dropLast()))) == #""caf""#)
    #expect(json(.text(Array("caf𝄞".utf8.dropLast(2)))) == #""caf""#)
    #expect(json(.json(Array(#"{"a":[1,2]}"#.utf8))) == #"{"a":[1,2]}"#)
    #expect(try object(ChangeMessage())["old"] is NSNull)
  }

  // MARK: Status

  @Test func `the latency has the members of the contract`() throws {
    var record = LatencyRecord()
    let empty = try object(LatencyMessage(record, withHistogram: true))
    #expect(
      Set(empty.keys) == [
        "count", "p50", "p99", "max", "ours_p50", "ours_p99", "device_p50", "device_p99", "histogram",
      ])
    #expect(empty["max"] is NSNull)
    #expect((empty["histogram"] as? [Any])?.isEmpty == true)
    for _ in 0..<3 { record.record(.init(oursNanoseconds: 400_000, deviceNanoseconds: 600_000)) }
    record.record(.init(oursNanoseconds: 100_000_000_000, deviceNanoseconds: 0))
    let members = try object(LatencyMessage(record, withHistogram: true))
    #expect(members["count"] as? Int == 4)
    #expect(members["max"] as? Int == 100_000_000)
    // 1000 µs lie in the 31st of the 32 equal parts of 512 to 1024 µs; more than 67 s in the last bucket of all.
    #expect(members["histogram"] as? [[Double]] == [[1008, 3], [100_000_000, 1]])
    #expect(try object(LatencyMessage(record))["histogram"] == nil)
  }

  @Test func `a trigger has the members of the contract`() throws {
    let name = try #require(ValueName("v"))
    let definition = TriggerDefinition(name: "t", values: [name], sound: .sound("s"))
    var counters = TriggerCounters()
    counters.dropped = 2
    var trigger = TriggerMessage(
      definition, counters, TriggerActivity(state: .sounding, queued: 3), problem: "no such file")
    trigger.level = LevelMembers(volume: 0.5, isMuted: true, mutedUntil: Timestamp(seconds: 60))
    (trigger.waitsUntil, trigger.last) = (Timestamp(seconds: 90), Timestamp(seconds: 0))
    let members = try object(trigger)
    #expect(
      Set(members.keys) == [
        "name", "value", "sound", "state", "problem", "volume", "muted", "muted_until", "waits_until", "queued",
        "changes", "played", "dropped", "last", "last_change", "content", "latency",
      ])
    #expect(members["state"] as? String == "broken")
    #expect(members["queued"] as? Int == 3)
    #expect(members["dropped"] as? Int == 2)
    #expect(members["problem"] as? String == "no such file")
    #expect(members["volume"] as? Double == 0.5)
    #expect(members["muted"] as? Bool == true)
    #expect(members["muted_until"] as? String == "1970-01-01T00:01:00.000000Z")
    #expect(members["last"] as? String == "1970-01-01T00:00:00.000000Z")
    for (state, word) in [(TriggerActivity.State.resting, "ok"), (.looping, "looping")] {
      let members = try object(TriggerMessage(definition, counters, TriggerActivity(state: state), problem: nil))
      #expect(members["state"] as? String == word)
      #expect(members["last"] is NSNull)
    }
  }

  @Test func `the memory says how much is locked, and why it is not all`() throws {
    let usage = LockedMemoryUsage(wanted: 2048, locked: 1024, error: ENOMEM)
    let members = try object(LockedMemoryMessage(usage, limit: ResourceLimit(soft: 4096, hard: 4096)))
    #expect(Set(members.keys) == ["wanted_bytes", "locked_bytes", "limit_bytes", "reason"])
    #expect(members["limit_bytes"] as? Int == 4096)
    #expect(
      members["reason"] as? String
        == "1 of 2 KiB may be swapped out (Cannot allocate memory); RLIMIT_MEMLOCK is 4 KiB")
    let unlimited = ResourceLimit(soft: ResourceLimit.unlimited, hard: ResourceLimit.unlimited)
    let all = try object(LockedMemoryMessage(LockedMemoryUsage(wanted: 10, locked: 10, error: 0), limit: unlimited))
    #expect(all["limit_bytes"] is NSNull)
    #expect(all["reason"] is NSNull)
  }

  // MARK: Times

  /// Expected from `date -u -d @SECONDS +%FT%T`.
  @Test(arguments: [
    (Int64(0), Int32(0), "1970-01-01T00:00:00.000000Z"), (-1, 999_999_999, "1969-12-31T23:59:59.999999Z"),
    (951_782_400, 1_000, "2000-02-29T00:00:00.000001Z"), (4_107_542_399, 0, "2100-02-28T23:59:59.000000Z"),
    (4_107_542_400, 0, "2100-03-01T00:00:00.000000Z"), (1_769_847_300, 250_000_000, "2026-01-31T08:15:00.250000Z"),
    (-62_167_219_200, 0, "0000-01-01T00:00:00.000000Z"), (253_402_300_799, 0, "9999-12-31T23:59:59.000000Z"),
    (Int64.max, 0, "9999-12-31T23:59:59.999999Z"), (Int64.min, 5, "0000-01-01T00:00:00.000000Z"),
  ])
  func `times are RFC 3339 in UTC`(seconds: Int64, nanoseconds: Int32, text: String) {
    #expect(Timestamp(seconds: seconds, nanoseconds: nanoseconds).description == text)
  }

  @Test func `local times are RFC 3339 with the offset of the zone`() async {
    await #expect(processExitsWith: .success) {
      // Newfoundland: three and a half hours behind UTC, in summer two and a half.
      setenv("TZ", "NST3:30NDT,M3.2.0,M11.1.0", 1)
      tzset()
      // date -u -d @1785031200 says 02:00 on 26 July 2026, date -u -d @1769847300 says 08:15 on 31 January 2026.
      #expect(Timestamp(seconds: 1_785_031_200).localDescription == "2026-07-25T23:30:00-02:30")
      #expect(Timestamp(seconds: 1_769_847_300).localDescription == "2026-01-31T04:45:00-03:30")
    }
  }
}
