/// Mixes more than two channels to two.
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

  /// How many channels are mixed.
  var channels: Int { shares.count }

  /// One channel and two stay as they are, to the bit. More are scaled so that full scale in all of them stays full scale.
  init(channels: Int) {
    let layout = Self.layout(channels)
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

  /// Appends frames of all channels, interleaved: one channel as it is, others as stereo.
  func mix(_ samples: ArraySlice<Float>, appendingTo output: inout [Float]) {
    if channels <= 2 {
      output += samples
      return
    }
    for first in stride(from: samples.startIndex, to: samples.endIndex, by: channels) {
      var sum: Share = (0, 0)
      for (channel, share) in shares.enumerated() {
        sum.left += samples[first + channel] * share.left
        sum.right += samples[first + channel] * share.right
      }
      output.append(sum.left)
      output.append(sum.right)
    }
  }
}
