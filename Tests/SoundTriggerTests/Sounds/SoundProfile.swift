/// What a sound is like to the ear: the amplitude in each quarter octave, in each 43 ms of its first quarter second.
///
/// Its loudness is left out: of two profiles only the shape is compared.
struct SoundProfile {
  private let amplitudes: [Double]

  init(_ sound: ShippedSound) {
    let slice = 2_048
    let slices = 6
    let samples = Array(sound.samples.prefix(slice * slices))
    let padded = samples + [Double](repeating: 0, count: slice * slices - samples.count)

    var edges = [100.0]
    while let edge = edges.last, edge < 12_000 { edges.append(edge * 1.189207115) }

    amplitudes = (0..<slices).flatMap { index in
      let spectrum = PowerSpectrum(
        padded[(index * slice)..<((index + 1) * slice)], rate: Double(sound.rate), size: slice)
      return zip(edges, edges.dropFirst()).map { spectrum.power(in: $0..<$1).squareRoot() }
    }
  }

  /// 1 for the same shape, 0 for nothing in common.
  func likeness(to other: SoundProfile) -> Double {
    let product = zip(amplitudes, other.amplitudes).map { $0 * $1 }.reduce(0, +)
    return product / (length * other.length)
  }

  private var length: Double { amplitudes.map { $0 * $0 }.reduce(0, +).squareRoot() }
}
