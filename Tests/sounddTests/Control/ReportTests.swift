import Foundation
import SoundTrigger
import Testing

@testable import soundd

@Suite struct ReportTests {
  private func object(_ json: [UInt8]) throws -> [String: Any] {
    #expect(!json.contains(0x0A))
    return try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
  }

  private func report(_ value: Value?, _ kind: ValueKind = .text) -> ValueReport {
    ValueReport(name: "a/b", value: value, kind: kind, updates: 3, changedAt: nil, source: "socket")
  }

  @Test(arguments: [true, false])
  func `a value that is expected tells whether it is stale`(isStale: Bool) throws {
    var report = report(.bool(true))
    report.isStale = isStale
    #expect(try object(report.json)["stale"] as? Bool == isStale)
  }

  @Test func `a value has the members of the contract, absent ones as null`() throws {
    let members = try object(report(nil).json)
    #expect(Set(members.keys) == ["name", "value", "type", "updates", "changed_at", "source"])
    #expect(members["value"] is NSNull)
    #expect(members["changed_at"] is NSNull)
    #expect(members["name"] as? String == "a/b")
    #expect(members["type"] as? String == "text")
    #expect(members["updates"] as? Int == 3)
    #expect(String(decoding: report(nil).json, as: UTF8.self).contains("a/b"))
  }

  @Test func `every kind of value becomes its own type of JSON`() throws {
    let all = String(UnicodeScalar(0)) + "\u{1}\u{1F}\u{7F}\"\\/\n\r\t é \u{2028} 𝄞"
    #expect(try object(report(.text(Array(all.utf8))).json)["value"] as? String == all)
    #expect(try object(report(.text([0x61, 0xFF])).json)["value"] as? String == "a\u{FFFD}")
    for number in [0.0, -0.0, 1, -15, 0.1, 1e15, 1e300, 2.5e-308, 123_456_789.125] {
      #expect(try object(report(.number(number), .number).json)["value"] as? Double == number)
    }
    #expect(String(decoding: report(.number(42)).json, as: UTF8.self).contains("\"value\":42,"))
    #expect(try object(report(.number(.infinity)).json)["value"] as? String == "inf")
    #expect(try object(report(.bool(true), .bool).json)["value"] as? Bool == true)
    #expect(try object(report(.json(Array("[1,{\"x\":null}]".utf8)), .json).json)["value"] is [Any])
    let digest = SIMD8<UInt32>(
      0xE3B0_C442, 0x98FC_1C14, 0x9AFB_F4C8, 0x996F_B924, 0x27AE_41E4, 0x649B_934C,
      0xA495_991B, 0x7852_B855)
    let long = try object(report(.fingerprint(Fingerprint(length: 70_000, digest: digest))).json)["value"]
    let members = try #require(long as? [String: Any])
    #expect(members["length"] as? Int == 70_000)
    // The SHA-256 of nothing, as FIPS 180-4's test vectors give it.
    #expect(
      members["sha256"] as? String == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test func `the status has the members of the contract`() throws {
    let status = StatusReport(
      uptime: .seconds(2),
      device: .init(
        name: "default", state: "stopped", format: nil, rate: 48_000, channels: 2, periodFrames: 64,
        bufferFrames: 128),
      voices: 1, xruns: 2, missing: 6, late: 3, missed: 7, values: 4, clients: 5, slowClients: 8,
      profile: .init(name: "quiet", chosen: "full", quietUntil: .init(seconds: 1_785_031_200, offset: -12_600)),
      volume: 0.5, muted: false,
      latency: .init(count: 1, p50: .microseconds(1500), p99: .nanoseconds(1499), max: nil, oursP50: nil, oursP99: nil),
      realTime: .init(
        policy: "other", priority: 0, way: "none", obstacle: "refused", reason: "no", priorityLimit: 0,
        runtimeLimit: .milliseconds(100), flushesDenormals: true),
      memory: .init(wanted: 10, locked: 5, limit: nil, reason: "too little"),
      triggers: [
        .init(
          name: "t", value: "v", sound: nil, state: "broken", problem: "no such file", queued: 3, changes: 1, played: 1,
          dropped: 2, last: Timestamp(seconds: 0), latency: .init(count: 0))
      ])
    let members = try object(status.json)
    #expect(
      Set(members.keys) == [
        "uptime", "device", "voices", "xruns", "missing_frames", "late", "missed", "values", "clients",
        "slow_clients", "profile",
        "profile_chosen", "quiet_until", "volume", "muted", "latency", "realtime", "memory", "triggers",
      ])
    #expect(members["uptime"] as? Int == 2_000_000)
    #expect(members["volume"] as? Double == 0.5)
    #expect(members["profile"] as? String == "quiet")
    #expect(members["profile_chosen"] as? String == "full")
    // date -u -d @1785031200 says 02:00 on 26 July 2026.
    #expect(members["quiet_until"] as? String == "2026-07-25T22:30:00-03:30")
    #expect(members["muted"] as? Bool == false)
    let device = try #require(members["device"] as? [String: Any])
    #expect(Set(device.keys) == ["name", "state", "format", "rate", "channels", "period_frames", "buffer_frames"])
    #expect(device["format"] is NSNull)
    #expect(device["buffer_frames"] as? Int == 128)
    let latency = try #require(members["latency"] as? [String: Any])
    #expect(Set(latency.keys) == ["count", "p50", "p99", "max", "ours_p50", "ours_p99", "device_p50", "device_p99"])
    #expect(latency["p50"] as? Int == 1500)
    #expect(latency["p99"] as? Int == 1)
    #expect(latency["max"] is NSNull)
    let realTime = try #require(members["realtime"] as? [String: Any])
    #expect(
      Set(realTime.keys) == [
        "policy", "priority", "way", "obstacle", "reason", "priority_limit", "runtime_limit", "flushes_denormals",
      ])
    #expect(realTime["runtime_limit"] as? Int == 100_000)
    let memory = try #require(members["memory"] as? [String: Any])
    #expect(Set(memory.keys) == ["wanted_bytes", "locked_bytes", "limit_bytes", "reason"])
    #expect(memory["limit_bytes"] is NSNull)
    let trigger = try #require((members["triggers"] as? [[String: Any]])?.first)
    #expect(
      Set(trigger.keys) == [
        "name", "value", "sound", "state", "problem", "queued", "changes", "played", "dropped", "last", "latency",
      ])
    #expect(trigger["queued"] as? Int == 3)
    #expect(trigger["dropped"] as? Int == 2)
    #expect(trigger["problem"] as? String == "no such file")
    #expect(trigger["last"] as? String == "1970-01-01T00:00:00.000000Z")
  }

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
}
