/// Mixes any number of channels to two.
struct Downmix {
  /// The gains of a channel on the left and on the right.
  private typealias Share = (left: Float, right: Float)

  private static let half: Float = 0.707_106_77
  private static let left: Share = (1, 0)
  private static let right: Share = (0, 1)
  private static let centre: Share = (half, half)
  private static let low: Share = (0, 0)
  private static let leftSide: Share = (half, 0)
  private static let rightSide: Share = (0, half)

  private let shares: [Share]

  /// One channel goes to both sides; two stay as they are, to the bit. More are scaled so that full scale in all of them
  /// stays full scale.
  init(channels: Int) {
    let layout = Self.layout(channels)
    if channels <= 2 {
      shares = layout
      return
    }
    let scale = 1 / max(1, layout.reduce(0) { $0 + $1.left }, layout.reduce(0) { $0 + $1.right })
    shares = layout.map { ($0.left * scale, $0.right * scale) }
  }

  /// The layouts of WAVE_FORMAT_EXTENSIBLE, by the number of channels, with the factors of ITU-R BS.775: centre and surround
  /// 3 dB down, without the low-frequency channel. Other numbers alternate between left and right.
  private static func layout(_ channels: Int) -> [Share] {
    switch channels {
    case 1: [(1, 1)]
    case 3: [left, right, centre]
    case 4: [left, right, leftSide, rightSide]
    case 5: [left, right, centre, leftSide, rightSide]
    case 6: [left, right, centre, low, leftSide, rightSide]
    case 7: [left, right, centre, low, centre, leftSide, rightSide]
    case 8: [left, right, centre, low, leftSide, rightSide, leftSide, rightSide]
    default: (0..<channels).map { $0 % 2 == 0 ? left : right }
    }
  }

  /// Writes frames of all channels as interleaved stereo. `samples` contains `frames` frames, `stereo` has room for as many.
  func write(_ samples: UnsafePointer<Float>, frames: Int, to stereo: UnsafeMutablePointer<Float>) {
    if shares.count == 1 {
      for frame in 0..<frames {
        stereo[2 * frame] = samples[frame]
        stereo[2 * frame + 1] = samples[frame]
      }
      return
    }
    shares.withUnsafeBufferPointer { shares in
      var sample = samples
      for frame in 0..<frames {
        var sum: Share = (0, 0)
        for share in shares {
          sum.left += sample.pointee * share.left
          sum.right += sample.pointee * share.right
          sample += 1
        }
        stereo[2 * frame] = sum.left
        stereo[2 * frame + 1] = sum.right
      }
    }
  }
}
