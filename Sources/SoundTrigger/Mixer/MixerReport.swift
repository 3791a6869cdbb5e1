import Synchronization

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
  /// Its mixer was left behind with a device that blocks, and cannot say whether that took it.
  case lost
}

/// A report of the mixer about a voice. Plain bytes, which a queue copies.
struct MixerReport {
  enum Kind: UInt8 {
    /// A device accepted its first frames.
    case heard
    /// The mixer had no voice for it, and rendered none of its frames.
    case refused
    /// It has ended, and the mixer no longer reads its clip.
    case ended
  }

  var kind: Kind
  var ending = VoiceEnding.finished
  var voice: UInt32
  /// `heard`: from the arrival of the cause until the device had the first frames, in nanoseconds; negative: unknown.
  var after: Int64 = -1
  /// `heard`: from then until the device plays them, by its own account, in nanoseconds.
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

  @_noLocks init(ended voice: UInt32, _ ending: VoiceEnding) {
    kind = .ended
    self.voice = voice
    self.ending = ending
  }
}

/// A voice that no device has taken yet.
struct VoiceStart {
  var voice: UInt32
  /// How it ended meanwhile; `nil` if it has not.
  var ending: VoiceEnding?
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

/// Reports of voices. If a voice ends before a device has taken it, its end is reported once that is decided.
extension Mixer {
  /// Whether there are voices that no device has taken yet.
  @_noLocks func hasStarts() -> Bool { starts.count > 0 }

  /// Adds a voice. The list has room, because it holds as many voices as may be started and not collected.
  @_noLocks mutating func noteStart(_ id: UInt32, arrival: Int64) {
    starts.first[starts.count] = VoiceStart(voice: id, arrival: arrival)
    starts.count &+= 1
  }

  /// Reports every voice started since the last call as heard, and its end if it has already ended.
  ///
  /// The device accepted their first frames at `now`, in nanoseconds of CLOCK_MONOTONIC, and plays them `delay` nanoseconds
  /// later.
  @_noLocks package mutating func reportStarts(at now: Int64, delay: Int64) {
    var index = 0
    while index < starts.count {
      let start = starts.first + index
      let arrival = start.pointee.arrival
      report(MixerReport(heard: start.pointee.voice, after: arrival == 0 ? -1 : max(0, now &- arrival), delay: delay))
      if let ending = start.pointee.ending { report(MixerReport(ended: start.pointee.voice, ending)) }
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
        report(MixerReport(ended: start.voice, .unheard))
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
  @_noLocks mutating func retire(_ id: UInt32, _ ending: VoiceEnding) {
    let index = startIndex(of: id)
    if index < 0 { report(MixerReport(ended: id, ending)) } else { starts.first[index].ending = ending }
  }

  /// Reports a voice without a rendered frame as refused, or as stolen if a device took its beginning and gave it back.
  @_noLocks mutating func refuseOrRetire(_ id: UInt32) {
    if forgetStart(of: id) {
      queues.counters.refused.add(1, ordering: .relaxed)
      report(MixerReport(refused: id))
    } else {
      queues.counters.stolen.add(1, ordering: .relaxed)
      report(MixerReport(ended: id, .stolen))
    }
  }

  /// Reports the end of a voice that was stopped before any of its frames was rendered.
  @_noLocks mutating func retireUnrendered(_ id: UInt32) {
    report(MixerReport(ended: id, forgetStart(of: id) ? .unheard : .stopped))
  }

  /// Removes a voice from the list of voices that no device has taken. Returns false if a device took its beginning.
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

  /// Adds a report. The queue has room, because it holds two reports of each voice that the control side may start.
  @_noLocks mutating func report(_ report: MixerReport) {
    hasReports = true
    let slot = queues.reports.slotToWrite()
    if slot < 0 { return }
    queues.reportSlots[slot] = report
    queues.reports.publish()
  }
}
