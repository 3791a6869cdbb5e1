/// Closes devices, each on a thread of its own, because that may block for ever.
final class ClosingDevices: Sendable {
  private let count = Guarded(0)
  /// Readable while none is being closed.
  private let idle: EventDescriptor

  init() throws(SystemError) {
    idle = try EventDescriptor()
    idle.signal()
  }

  /// Begins to close a device (snd_pcm_close). Returns at once.
  func close(_ device: PCMDevice) {
    count.withLock { count in
      if count == 0 { idle.drain() }
      count += 1
    }
    do throws(SystemError) {
      try BoundedCall.start("sound-close") { [self] in
        device.close()
        ended()
      }
    } catch {
      // It stays open: without a thread its closing could hold up the caller.
      _ = Unmanaged.passRetained(device)
      ended()
    }
  }

  private func ended() {
    count.withLock { count in
      count -= 1
      if count == 0 { idle.signal() }
    }
  }

  /// Blocks until all are closed, at most for `patience` (`nil`: for ever); returns whether they are.
  ///
  /// A card can be opened only when it is closed.
  @discardableResult
  func wait(for patience: Duration? = nil) -> Bool { idle.wait(for: patience) }
}
