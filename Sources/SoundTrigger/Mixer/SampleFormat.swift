/// How a device stores one sample; always little-endian.
///
/// It has no raw value: comparing one is a generic function, which the render path may not call.
package enum SampleFormat: CaseIterable, Sendable {
  /// 32-bit float, ±1.
  case float32
  /// 32-bit integer.
  case int32
  /// The low three bytes of 32 bits.
  case int24
  /// Three bytes.
  case int24Packed
  /// 16-bit integer.
  case int16

  /// Bytes per sample.
  @_noLocks package func width() -> Int {
    switch self {
    case .float32, .int32, .int24: 4
    case .int24Packed: 3
    case .int16: 2
    }
  }

  /// Whether it is the mixer's own format.
  @_noLocks func isFloat() -> Bool {
    switch self {
    case .float32: true
    default: false
    }
  }

  /// Whether a sample is no whole machine word.
  @_noLocks func isPacked() -> Bool {
    switch self {
    case .int24Packed: true
    default: false
    }
  }
}
