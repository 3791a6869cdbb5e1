/// The type of a value: which contents it accepts, and which of them are equal.
///
/// The raw value is the configuration's word for it.
package enum ValueKind: String, CaseIterable, Sendable, BitwiseCopyable {
  /// Any bytes; equal if the bytes are.
  case text
  /// A decimal number; equal by value, so `1` is `1.0`. NaN is refused.
  case number
  /// `true/false`, `yes/no`, `on/off` or `1/0`.
  case bool
  /// A JSON document; equal as JSON: white space and the order of keys do not matter.
  case json
  /// Any bytes; every arrival is a change.
  case event
}
