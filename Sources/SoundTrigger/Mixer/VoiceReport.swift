import Synchronization

/// The number by which the control side knows a playing voice.
package struct VoiceID: Hashable, BitwiseCopyable, Sendable {
  let rawValue: UInt32

  /// At most 2¹⁴ voices, far above `limits.voices`. The other bits distinguish the voices that use the same slot in turn.
  static let slotBits: UInt32 = 14

  /// The index of its slot on the control side, which it has until `collect` reports its end.
  var slot: Int { Int(rawValue & (1 << Self.slotBits - 1)) }
}

/// What became of a voice. Plain bytes, which a queue copies.
package enum VoiceReport: Equatable, BitwiseCopyable, Sendable {
  /// A device accepted its first frames. `nil` if the arrival of its cause is unknown, or if the voice waited for the device.
  case heard(VoiceID, Latency?)
  /// The mixer had no voice for it, because every voice plays something more important. None of its frames was played.
  case refused(VoiceID)
  /// It ended, and the mixer no longer reads its clip. Its number may soon be that of another voice.
  case ended(VoiceID, VoiceEnding)

  package struct Latency: Equatable, BitwiseCopyable, Sendable {
    // Whole nanoseconds, because arithmetic with `Duration` takes some hundred instructions.
    let oursNanoseconds: Int64
    let deviceNanoseconds: Int64?

    @_noLocks init(oursNanoseconds: Int64, deviceNanoseconds: Int64?) {
      self.oursNanoseconds = oursNanoseconds
      self.deviceNanoseconds = deviceNanoseconds
    }

    /// From the arrival of the cause until the device had the first frames.
    package var ours: Duration { .nanoseconds(oursNanoseconds) }
    /// From then until they are played, as the device says; `nil` if it does not.
    package var device: Duration? { deviceNanoseconds.map { .nanoseconds($0) } }
  }
}

/// How a voice ended, as the mixer saw it.
package enum VoiceEnding: UInt8, BitwiseCopyable, Sendable {
  /// With the end of its clip.
  case finished
  /// By a command to stop.
  case stopped
  /// It gave way to another voice, and no command had stopped it before.
  case stolen
  /// It ended before a device took it.
  case unheard
  /// Its mixer was abandoned with a blocked device and did not report how the voice ended.
  case lost
}

/// A voice that no device has taken yet.
struct VoiceStart {
  var voice: VoiceID
  /// How it ended meanwhile; `nil` if it has not.
  var ending: VoiceEnding?
  /// When its cause arrived, in nanoseconds of CLOCK_MONOTONIC; 0: unknown.
  var arrival: Int64

  @_noLocks init(voice: VoiceID, arrival: Int64) {
    self.voice = voice
    self.arrival = arrival
  }
}

/// The voices that no device has taken yet, in the order of their starts.
struct VoiceStarts {
  let first: UnsafeMutablePointer<VoiceStart>
  var count = 0
}

/// Reports of voices. If a voice ends before a device takes it, its end waits for `reportStarts` or `reportUnheard`.
extension Mixer {
  /// Whether there are voices that no device has taken yet.
  @_noLocks func hasStarts() -> Bool { starts.count > 0 }

  /// Adds a voice. The list has room, because it holds as many voices as may be started and not collected.
  @_noLocks mutating func noteStart(_ id: VoiceID, arrival: Int64) {
    starts.first[starts.count] = VoiceStart(voice: id, arrival: arrival)
    starts.count &+= 1
  }

  /// Reports every voice started since the last call as heard, and its end if it has already ended.
  ///
  /// The device accepted their first frames at `now`, in nanoseconds of CLOCK_MONOTONIC, and plays them `delay` nanoseconds
  /// later; `nil` if that is unknown.
  @_noLocks package mutating func reportStarts(at now: Int64, delay: Int64?) {
    var index = 0
    while index < starts.count {
      let start = starts.first + index
      let arrival = start.pointee.arrival
      let latency =
        arrival == 0
        ? nil : VoiceReport.Latency(oursNanoseconds: max(0, now &- arrival), deviceNanoseconds: delay)
      report(.heard(start.pointee.voice, latency))
      if let ending = start.pointee.ending { report(.ended(start.pointee.voice, ending)) }
      index &+= 1
    }
    starts.count = 0
  }

  /// Reports the voices that ended before a device took them.
  ///
  /// The others keep waiting for a device. That wait is not measured, because it says nothing about latency.
  @_noLocks package mutating func reportUnheard() {
    var kept = 0
    var index = 0
    while index < starts.count {
      var start = starts.first[index]
      if start.ending != nil {
        report(.ended(start.voice, .unheard))
      } else {
        start.arrival = 0
        starts.first[kept] = start
        kept &+= 1
      }
      index &+= 1
    }
    starts.count = kept
  }

  /// Reports the end of a voice. If no device has taken it yet, `reportStarts` or `reportUnheard` does so later.
  @_noLocks mutating func retire(_ id: VoiceID, _ ending: VoiceEnding) {
    let index = startIndex(of: id)
    if index < 0 { report(.ended(id, ending)) } else { starts.first[index].ending = ending }
  }

  /// Reports a voice without a rendered frame as refused, or as stolen if a device took its beginning and gave it back.
  @_noLocks mutating func refuseOrRetire(_ id: VoiceID) {
    if forgetStart(of: id) {
      queues.counters.refused.add(1, ordering: .relaxed)
      report(.refused(id))
    } else {
      queues.counters.stolen.add(1, ordering: .relaxed)
      report(.ended(id, .stolen))
    }
  }

  /// Reports the end of a voice that was stopped before any of its frames was rendered.
  @_noLocks mutating func retireUnrendered(_ id: VoiceID) {
    report(.ended(id, forgetStart(of: id) ? .unheard : .stopped))
  }

  /// Removes a voice from the list of voices that no device has taken. Returns false if a device took its beginning.
  @_noLocks private mutating func forgetStart(of id: VoiceID) -> Bool {
    var index = startIndex(of: id)
    if index < 0 { return false }
    starts.count &-= 1
    while index < starts.count {
      starts.first[index] = starts.first[index &+ 1]
      index &+= 1
    }
    return true
  }

  @_noLocks private func startIndex(of id: VoiceID) -> Int {
    var index = starts.count &- 1
    while index >= 0 && starts.first[index].voice.rawValue != id.rawValue { index &-= 1 }
    return index
  }

  /// Adds a report. The queue has room, because it holds two reports of each voice that the control side may start.
  @_noLocks mutating func report(_ report: VoiceReport) {
    hasReports = true
    let slot = queues.reports.slotToWrite()
    if slot < 0 { return }
    queues.reportSlots[slot] = report
    queues.reports.publish()
  }
}
