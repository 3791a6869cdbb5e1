import CLinux

/// Opens the device of an output, each time on a thread of its own, because that may block for ever.
///
/// It exists before the output, because the daemon handles signals while the device opens for the first time.
package final class DeviceOpener: Sendable {
  private enum Result: Sendable {
    /// Nothing was opened, or somebody has taken it.
    case none
    case opened(OpenedDevice)
    /// Nobody takes a device any more: it is closed.
    case unwanted
  }

  let settings: OutputSettings
  /// Readable when an opening has ended. The output reports in the same place.
  let report: EventDescriptor
  private let result = Guarded(Result.none)

  package init(_ settings: OutputSettings) throws(OutputError) {
    self.settings = settings
    do throws(SystemError) { report = try EventDescriptor() } catch {
      throw OutputError(error, device: settings.device)
    }
  }

  /// Begins to open the device for the first time, unless none is wanted. Returns at once.
  package func begin() { if isWanted { begin { [settings] in OpenedDevice.open(settings) } } }

  /// Becomes readable when the opening has ended and, once there is an output, when that reports.
  package var reportDescriptor: Int32 { report.raw }

  /// Whether the result is there, or none will come.
  package var isDone: Bool {
    if !isWanted { return true }
    return result.withLock { if case .opened = $0 { true } else { false } }
  }

  /// Blocks until the device is open, at most for `BoundedCall.patience`. A device that opens later is taken then.
  func wait() { if !isDone { report.wait(for: BoundedCall.patience) } }

  private var isWanted: Bool { settings.device != OutputSettings.noDevice }

  /// Runs `open` on a thread of its own. Without a thread, that is why the device is not open.
  func begin(_ open: @escaping @Sendable () -> OpenedDevice) {
    do throws(SystemError) {
      try BoundedCall.start("sound-open") { [self] in deliver(open()) }
    } catch {
      deliver(OpenedDevice(result: .failure(OutputError(error, device: settings.device)), wanted: settings))
    }
  }

  private func deliver(_ opened: OpenedDevice) {
    let isUnwanted = result.withLock { result in
      if case .unwanted = result { return true }
      result = .opened(opened)
      return false
    }
    if isUnwanted { opened.close() } else { report.signal() }
  }

  /// What the last opening came to, once.
  func take() -> OpenedDevice? {
    result.withLock { result in
      guard case .opened(let opened) = result else { return nil }
      result = .none
      return opened
    }
  }

  /// What the first opening came to, or that it has not ended; `nil` if no device is wanted.
  func takeFirst() -> OpenedDevice? { isWanted ? take() ?? .unanswered(settings) : nil }

  /// Closes each device that opens from now on. Returns a device that is open and was not taken.
  func stop() -> OpenedDevice? {
    result.withLock { result in
      defer { result = .unwanted }
      guard case .opened(let opened) = result else { return nil }
      return opened
    }
  }
}
