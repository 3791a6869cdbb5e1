import CLinux
import Foundation
import TestSupport
import Testing

@testable import SoundTrigger

@Suite struct OutputTests {
  let folder = TemporaryFolder()

  /// Waits until every voice has ended; a real thread plays in real time.
  private func drain(_ output: Output) {
    let deadline = Date().addingTimeInterval(atMost(20))
    while !output.isSilent, Date() < deadline {
      _ = clinux_wait(output.reportDescriptor, Int16(POLLIN), 1_000_000_000)
      #expect(output.collect() == nil)
    }
    #expect(output.isSilent)
  }

  private func floats(_ path: String) throws -> [Float] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
  }

  @Test func `ALSA's file device receives a clip sample for sample`() throws {
    let path = folder("out.raw")
    let samples = noise(frames: 4801, seed: 5)
    do {
      let output = try Output(OutputSettings(device: "file:\(path),raw"))
      let device = try #require(output.device)
      #expect(device.format == .float32)
      #expect(device.rate == 48_000)
      #expect(device.channels == 2)
      for _ in 0..<2 {
        #expect(output.control.start(Clip(stereo: samples, rate: output.rate)) != nil)
        output.wake()
        drain(output)
      }
      #expect(output.statistics.xruns == 0)
      output.stop()
    }
    let written = try floats(path)
    let first = try #require(written.firstIndex { $0 != 0 })
    let isFirstExact = Array(written[first..<first + samples.count]) == samples
    #expect(first % 2 == 0)
    #expect(isFirstExact)
    let rest = written[(first + samples.count)...]
    let second = try #require(rest.firstIndex { $0 != 0 })
    let isSecondExact = Array(written[second..<second + samples.count]) == samples
    let isTailSilent = written[(second + samples.count)...].allSatisfy { $0 == 0 }
    #expect(isSecondExact)
    #expect(isTailSilent)
  }

  @Test func `by the clock the end of a sound is told while another one goes on`() throws {
    let output = try Output(OutputSettings(device: "none"))
    let clip = Clip(stereo: noise(frames: 480, seed: 1), rate: output.rate)
    let endless = try #require(output.control.start(clip, loops: true))
    let short = try #require(output.control.start(clip))
    output.wake()
    var ended: [VoiceID] = []
    let deadline = Date().addingTimeInterval(atMost(20))
    while !ended.contains(short), Date() < deadline {
      _ = clinux_wait(output.reportDescriptor, Int16(POLLIN), 1_000_000_000)
      #expect(output.collect { if case .ended(let voice, .finished) = $0 { ended.append(voice) } } == nil)
    }
    #expect(ended == [short])
    output.control.stop(endless, fadeFrames: 1)
    output.wake()
    drain(output)
    output.stop()
  }

  @Test func `the clock plays in real time where there is no device`() throws {
    let output = try Output(OutputSettings(device: "none", rate: 44_100))
    #expect(output.device == nil)
    #expect(output.deviceError == nil)
    #expect(output.rate == 44_100)
    let start = Date()
    #expect(output.control.start(Clip(stereo: noise(frames: 4410, seed: 1), rate: 44_100)) != nil)
    output.wake()
    drain(output)
    #expect(Date().timeIntervalSince(start) > 0.095)
  }

  @Test func `a device that does not exist is reported and the clock takes over`() throws {
    let output = try Output(OutputSettings(device: "hw:31"))
    #expect(output.device == nil)
    let error = try #require(output.deviceError)
    #expect("\(error)".hasPrefix("cannot play on 'hw:31': "))
    #expect(output.finishOpening(output.beginOpening()()) != nil)
    #expect(output.control.start(Clip(stereo: noise(frames: 100, seed: 1), rate: 48_000)) != nil)
    output.wake()
    drain(output)
  }

  @Test func `a trigger's latency is measured from its arrival`() throws {
    let output = try Output(OutputSettings(device: "none"))
    let arrival = clinux_monotonic() - 5_000_000
    let voice = try #require(
      output.control.start(Clip(stereo: noise(frames: 100, seed: 1), rate: 48_000), arrival: arrival))
    output.wake()
    var latencies: [VoiceReport.Latency] = []
    let deadline = Date().addingTimeInterval(atMost(20))
    while latencies.isEmpty, Date() < deadline {
      _ = clinux_wait(output.reportDescriptor, Int16(POLLIN), 1_000_000_000)
      let error = output.collect { if case .heard(voice, let latency?) = $0 { latencies.append(latency) } }
      #expect(error == nil)
    }
    #expect(latencies.count == 1)
    #expect(try #require(latencies.first).ours >= .milliseconds(5))
    // The clock has no way to the ear.
    #expect(latencies.first?.device == .zero)
    drain(output)
  }

  @Test func `a rendering is exact, repeatable and as long as its last sound`() throws {
    let samples = noise(frames: 1000, seed: 9)
    func render(_ name: String) throws -> Data {
      let path = folder(name)
      do {
        let output = OfflineOutput(writer: try WAVWriter(path: path, rate: 48_000), rate: 48_000)
        let clip = Clip(stereo: samples, rate: 48_000)
        for milliseconds in [10, 250] {
          let time = Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
          while try output.advance(to: time) < time { _ = output.collect() }
          #expect(output.control.start(clip) != nil)
        }
        output.wake()
        while !output.isSilent {
          _ = output.collect()
          if !output.isSilent { _ = try output.advance(to: nil) }
        }
        try output.finish()
      }
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    let first = try render("a.wav")
    #expect(try render("b.wav") == first)
    // The sizes of the RIFF, `fmt ` and `data` chunks, after "Multimedia Programming Interface and Data Specifications 1.0".
    func number(at offset: Int) -> Int {
      first[offset..<(offset + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(number(at: 4) == first.count - 8)
    #expect(number(at: 16) == 18)
    #expect(number(at: 54) == first.count - 58)
    let decoded = try ClipLoader(rate: 48_000).load(path: folder("a.wav")).samples
    for frame in [480, 12_000] {
      let isExact = Array(decoded[2 * frame..<2 * frame + 2000]) == samples
      #expect(isExact)
    }
    let isSilentBefore = decoded[..<960].allSatisfy { $0 == 0 }
    #expect(isSilentBefore)
  }

  @Test(arguments: [true, false])
  func `a virtual clock stops at each end of a voice, written or not`(isWritten: Bool) throws {
    let writer = isWritten ? try WAVWriter(path: folder("ends.wav"), rate: 48_000) : nil
    let output = OfflineOutput(writer: writer, rate: 48_000, voiceLimit: 2)
    let clip = Clip(stereo: noise(frames: 4800, seed: 3), rate: 48_000)
    let loop = try #require(output.control.start(clip, loops: true))
    let once = try #require(output.control.start(clip))
    var reports: [VoiceReport] = []
    func advance(toMilliseconds time: Int64?) throws -> Int64 {
      reports = []
      let now = try output.advance(to: time.map { Instant(nanoseconds: $0 * 1_000_000) })
      _ = output.collect { reports.append($0) }
      return now.nanoseconds / 1_000_000
    }
    // What begins is heard with its first frame, not before.
    output.wake()
    #expect(try advance(toMilliseconds: 0) == 0)
    #expect(reports == [])
    #expect(try advance(toMilliseconds: 1000) == 0)
    #expect(output.frame == 1)
    #expect(reports == [.heard(loop, nil), .heard(once, nil)])
    // 4800 frames are 100 ms; the loop plays until it is stopped, and then fades for 480.
    #expect(try advance(toMilliseconds: 1000) == 100)
    #expect(reports == [.ended(once, .finished)])
    #expect(try advance(toMilliseconds: 1000) == 1000)
    #expect(reports.isEmpty)
    output.control.stop(loop, fadeFrames: 480)
    #expect(try advance(toMilliseconds: nil) == 1010)
    #expect(reports == [.ended(loop, .stopped)])
    #expect(output.isSilent)
    try output.finish()
  }

  @Test func `a file that must be new takes the place of nothing, and follows no link`() throws {
    let folder = TemporaryFolder()
    folder.write("old.wav", [1, 2, 3])
    symlink(folder("victim.wav"), folder("link.wav"))
    for name in ["old.wav", "link.wav"] {
      #expect(throws: WAVError(path: folder(name), reason: "File exists")) {
        _ = try WAVWriter(path: folder(name), rate: 48_000, isNew: true)
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder("old.wav"))) == Data([1, 2, 3]))
    #expect(access(folder("victim.wav"), F_OK) < 0)
    _ = try WAVWriter(path: folder("new.wav"), rate: 48_000, isNew: true)
  }

  @Test func `a rendering that cannot be written says why`() {
    #expect(throws: WAVError(path: "/nonexistent/out.wav", reason: "No such file or directory")) {
      _ = try WAVWriter(path: "/nonexistent/out.wav", rate: 48_000)
    }
  }
}
