import Glibc

/// The sounds and configurations of the daemons that are measured.
enum Fixture {
  /// Writes into `folder`: `sound.wav`, and for each count `sounds-COUNT.toml`, in which a change of `x` plays it and
  /// COUNT triggers more have a sound each.
  static func make(in folder: String, counts: [Int]) throws(Problem) {
    // 50 ms at half of full scale from the first sample on, at 1 kHz.
    try write(wav((0..<2400).map { $0 / 24 % 2 == 0 ? 16_384 : -16_384 }), to: "\(folder)/sound.wav")
    mkdir("\(folder)/many", 0o700)
    let short = wav((0..<240).map { $0 / 24 % 2 == 0 ? 8192 : -8192 })
    for number in 0..<(counts.max() ?? 0) { try write(short, to: "\(folder)/many/\(number).wav") }
    for count in counts {
      var text = "[[trigger]]\nvalue = \"x\"\nsound = \"./sound.wav\"\n"
      for number in 0..<count { text += "[[trigger]]\nvalue = \"v\(number)\"\nsound = \"./many/\(number).wav\"\n" }
      try write(Array(text.utf8), to: "\(folder)/sounds-\(count).toml")
    }
  }

  /// A WAV file of 16 bits, mono, 48 kHz.
  private static func wav(_ samples: [Int16]) -> [UInt8] {
    func little(_ number: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let size = 2 * samples.count
    return Array("RIFF".utf8) + little(36 + size, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
      + little(1, 2) + little(48_000, 4) + little(96_000, 4) + little(2, 2) + little(16, 2) + Array("data".utf8)
      + little(size, 4) + samples.flatMap { little(Int($0), 2) }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(Problem) {
    let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(fd) }
    guard fd >= 0, Glibc.write(fd, bytes, bytes.count) == bytes.count else {
      throw Problem("\(path) cannot be written")
    }
  }
}
