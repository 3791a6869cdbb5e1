/// How a device stores one sample; always little-endian.
///
/// It has no raw value, because comparing raw values calls a generic function, which the render path may not do.
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

  /// Whether a sample takes three bytes, which no machine word has.
  @_noLocks func isPacked() -> Bool {
    switch self {
    case .int24Packed: true
    default: false
    }
  }
}
