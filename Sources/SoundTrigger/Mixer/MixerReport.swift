import Synchronization

/// What the mixer reports of a voice. Plain bytes, copied through a queue.
struct MixerReport {
  enum Kind: UInt8 {
    /// A device accepted its first frames.
    case heard
    /// No voice was left for it: not a frame of it was rendered.
    case refused
    /// It has ended, and the mixer no longer reads its clip.
    case ended
  }

  var kind: Kind
  /// `ended`: whether it was faded out before its end.
  var wasFadedOut = false
  /// `ended`: whether a device took it.
  var wasHeard = true
  var voice: UInt32
  /// `heard`: from the arrival of the cause until the device had the first frames, in nanoseconds; negative: unknown.
  var after: Int64 = -1
  /// `heard`: from then until the device plays them, as it says, in nanoseconds.
  var delay: Int64 = 0

  @_noLocks init(heard voice: UInt32, after: Int64, delay: Int64) {
    kind = .heard
    self.voice = voice
    self.after = after
    self.delay = delay
  }

  @_noLocks init(refused voice: UInt32) {
    kind = .refused
    self.voice = voice
  }

  @_noLocks init(ended voice: UInt32, wasFadedOut: Bool, wasHeard: Bool = true) {
    kind = .ended
    self.voice = voice
    self.wasFadedOut = wasFadedOut
    self.wasHeard = wasHeard
  }
}

/// A voice that no device has taken yet.
struct VoiceStart {
  var voice: UInt32
  /// Whether it ended meanwhile, and whether it was faded out before its end.
  var hasEnded = false
  var wasFadedOut = false
  /// When its cause arrived, in nanoseconds of CLOCK_MONOTONIC; 0: unknown.
  var arrival: Int64

  @_noLocks init(voice: UInt32, arrival: Int64) {
    self.voice = voice
    self.arrival = arrival
  }
}

/// The voices that no device has taken yet, in the order of their starts.
struct VoiceStarts {
  let first: UnsafeMutablePointer<VoiceStart>
  var count = 0
}

/// Reports of voices. What ends before a device takes it is reported only when it is known whether one did.
extension Mixer {
  /// Whether there are voices that no device has taken yet.
  @_noLocks func hasStarts() -> Bool { starts.count > 0 }

  /// There is room: the list holds as many voices as the control side may have started and not collected.
  @_noLocks mutating func noteStart(_ id: UInt32, arrival: Int64) {
    starts.first[starts.count] = VoiceStart(voice: id, arrival: arrival)
    starts.count &+= 1
  }

  /// Reports every voice started since the last call as heard, and its end if it has ended meanwhile.
  ///
  /// A device accepted their first frames at `now`, in nanoseconds of CLOCK_MONOTONIC, and plays them `delay` nanoseconds
  /// later.
  @_noLocks package mutating func reportStarts(at now: Int64, delay: Int64) {
    var index = 0
    while index < starts.count {
      let start = starts.first + index
      let arrival = start.pointee.arrival
      report(MixerReport(heard: start.pointee.voice, after: arrival == 0 ? -1 : max(0, now &- arrival), delay: delay))
      if start.pointee.hasEnded {
        report(MixerReport(ended: start.pointee.voice, wasFadedOut: start.pointee.wasFadedOut))
      }
      index &+= 1
    }
    starts.count = 0
  }

  /// Reports the voices that ended before a device took them.
  ///
  /// The others keep waiting for a device. How long that takes says nothing about latency, so it is not measured.
  @_noLocks package mutating func reportUnheard() {
    var kept = 0
    var index = 0
    while index < starts.count {
      var start = starts.first[index]
      if start.hasEnded {
        report(MixerReport(ended: start.voice, wasFadedOut: start.wasFadedOut, wasHeard: false))
      } else {
        start.arrival = 0
        starts.first[kept] = start
        kept &+= 1
      }
      index &+= 1
    }
    starts.count = kept
  }

  /// Reports the end of a voice; if no device has taken it yet, leaves that to `reportStarts` or `reportUnheard`.
  @_noLocks mutating func retire(_ id: UInt32, wasFadedOut: Bool) {
    let index = startIndex(of: id)
    if index < 0 {
      report(MixerReport(ended: id, wasFadedOut: wasFadedOut))
    } else {
      starts.first[index].hasEnded = true
      starts.first[index].wasFadedOut = wasFadedOut
    }
  }

  /// Reports a voice of which nothing was rendered as refused; if a device took its beginning and gave it back, as ended.
  @_noLocks mutating func refuseOrRetire(_ id: UInt32) {
    if forgetStart(of: id) {
      queues.counters.refused.add(1, ordering: .relaxed)
      report(MixerReport(refused: id))
    } else {
      queues.counters.stolen.add(1, ordering: .relaxed)
      report(MixerReport(ended: id, wasFadedOut: true))
    }
  }

  /// Reports the end of a voice that was stopped before anything of it was rendered.
  @_noLocks mutating func retireUnrendered(_ id: UInt32) {
    let wasHeard = !forgetStart(of: id)
    report(MixerReport(ended: id, wasFadedOut: true, wasHeard: wasHeard))
  }

  /// Takes a voice out of the list of those that no device has taken; returns false if a device took its beginning.
  @_noLocks private mutating func forgetStart(of id: UInt32) -> Bool {
    var index = startIndex(of: id)
    if index < 0 { return false }
    starts.count &-= 1
    while index < starts.count {
      starts.first[index] = starts.first[index &+ 1]
      index &+= 1
    }
    return true
  }

  @_noLocks private func startIndex(of id: UInt32) -> Int {
    var index = starts.count &- 1
    while index >= 0 && starts.first[index].voice != id { index &-= 1 }
    return index
  }

  /// The queue has room: the control side starts no more voices than it holds reports of.
  @_noLocks mutating func report(_ report: MixerReport) {
    hasReports = true
    let slot = queues.reports.slotToWrite()
    if slot < 0 { return }
    queues.reportSlots[slot] = report
    queues.reports.publish()
  }
}
