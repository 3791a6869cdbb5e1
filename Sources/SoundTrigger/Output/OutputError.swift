/// Why a device cannot be played on; another device, or the same one later, may do.
package struct OutputError: Error, Equatable, CustomStringConvertible {
  /// The ALSA function that failed, for those who look deeper.
  package var operation: String
  package var device: String
  /// A negative errno.
  package var code: Int32
  package var reason: String

  package init(operation: String, device: String, code: Int32, reason: String) {
    self.operation = operation
    self.device = device
    self.code = code
    self.reason = reason
  }

  package var description: String { "cannot play on '\(device)': \(reason) (\(operation))" }
}
