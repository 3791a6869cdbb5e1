import CFuzz
import Glibc
import Harness

@testable import SoundTrigger

/// Whatever the bytes of a sound file are, the clip made of them is within its limit, whole and the same again; or the error
/// says what is wrong with the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let file = MemoryFile(UnsafeRawBufferPointer(start: start, count: count))
  // A rate that most files have, or one that most have to be resampled to.
  let rate = count % 2 == 0 ? 48_000 : 44_100
  let before = peakMemory()
  let outcome = load(file.path, rate: rate)
  let more = peakMemory() - before
  Finding.unless(more < 64 << 20, "a file of \(count) bytes took \(more >> 20) MiB more than any before")
  Finding.unless(load(file.path, rate: rate) == outcome, "loaded twice, the clip or the error is not the same")
  checkCell(file, UnsafeRawBufferPointer(start: start, count: count), rate: rate, outcome)
  cfuzz_note_outcome(outcome.signature)
  return 0
}

/// The most memory that this process ever had, in bytes (getrusage).
private func peakMemory() -> Int {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return usage.ru_maxrss << 10
}

/// What a load came to.
private enum Outcome: Equatable {
  case samples([UInt32])
  case error(SoundError)

  /// A number that is the same for outcomes of a kind: libsndfile's code is not instrumented, so it is by them that libFuzzer
  /// finds its way.
  var signature: UInt32 {
    let text =
      switch self {
      case .samples(let samples):
        "\(samples.count.bitWidth - samples.count.leadingZeroBitCount) \(Set(samples.prefix(64)).count)"
      // A number in a reason is no news.
      case .error(let error): String(error.description.filter { !$0.isNumber })
      }
    return text.utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}

/// The longest clip, in seconds.
private let limit = 2

private func load(_ path: String, rate: Int) -> Outcome {
  do throws(SoundError) {
    return .samples(check(try ClipLoader(rate: rate, limitSeconds: limit).load(path: path)))
  } catch {
    ShownText.check(error.description)
    if case .notFound = error { Finding.report("a file that is there was not found") }
    return .error(error)
  }
}

/// Decoded in a cell, the file gives the same samples. If the process of the cell was taken over and these bytes are its answer, a
/// line and frames, the clip made of them can be played, or there is none.
private func checkCell(_ file: borrowing MemoryFile, _ bytes: UnsafeRawBufferPointer, rate: Int, _ outcome: Outcome) {
  let loader = ClipLoader(rate: rate, limitSeconds: limit)
  let frames = MemoryFile(UnsafeRawBufferPointer(start: nil, count: 0))
  var room = ClipRoom(bytes: .max, limit: .max)
  let line = loader.decode(open(file.path, O_RDONLY | O_CLOEXEC), to: frames.descriptor, room: &room)
  let decoded = Result { () throws(SoundError) in
    try DecodingCell(loader).clip(of: file.path, frames.descriptor, line[...])
  }
  switch (outcome, decoded) {
  case (.samples(let samples), .success(let clip)):
    Finding.unless(check(clip) == samples, "decoded in a cell, the clip is not the same")
  case (.error, .failure(let error)): ShownText.check(error.description)
  default: Finding.report("decoded in a cell, the outcome is not the same: \(line)")
  }
  let words = bytes.prefix { $0 != 10 }
  let answer = MemoryFile(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(words.count + 1)))
  do throws(SoundError) {
    let text = String(decoding: words, as: UTF8.self)
    let clip = try DecodingCell(loader).clip(of: file.path, answer.descriptor, text[...])
    Finding.unless(clip.samples.allSatisfy { abs($0) <= 64 }, "a sample of the cell is not a number or much too large")
    if let truncation = clip.truncation { ShownText.check(truncation) }
  } catch {
    ShownText.check(error.description)
  }
}

/// The samples of a clip, bit by bit.
private func check(_ clip: Clip) -> [UInt32] {
  Finding.unless(clip.frameCount >= 1, "a clip has no frame")
  // The resampler may round up.
  Finding.unless(
    clip.frameCount <= limit * clip.rate + 1, "a clip of \(clip.frameCount) frames is longer than \(limit) s")
  let samples = clip.samples
  // 24 dB beyond full scale is let in, and a resampler swings over by less than that again.
  Finding.unless(samples.allSatisfy { abs($0) <= 64 }, "a sample is not a number or much too large")
  let padding = 2 * Clip.padding
  for index in 0..<padding {
    Finding.unless(
      clip.frames[index - padding] == 0 && clip.frames[2 * clip.frameCount + index] == 0, "the padding is not silent")
  }
  return samples.map(\.bitPattern)
}
