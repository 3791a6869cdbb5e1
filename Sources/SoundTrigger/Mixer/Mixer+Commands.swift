import CMixer
import Synchronization

extension Mixer {
  /// Carries out all commands that wait.
  @_noLocks mutating func applyCommands() {
    catchUp()
    var slot = queues.commands.slotToRead()
    while slot >= 0 {
      let command = queues.commandSlots + slot
      switch command.pointee.kind {
      case .start: start(command)
      case .endLoop: endLoop(command.pointee.voice)
      case .stop: stop(command.pointee.voice, frames: command.pointee.frames)
      case .stopAll: stopAll(frames: command.pointee.frames)
      case .setGain: setGain(command)
      case .setMasterGain: setMaster(command.pointee.gain.left, frames: command.pointee.frames)
      }
      queues.commands.release()
      slot = queues.commands.slotToRead()
    }
  }

  @_noLocks private mutating func start(_ command: UnsafeMutablePointer<MixerCommand>) {
    guard let source = command.pointee.source else { return }
    let isFull = count &- stopping >= voiceLimit
    if count >= capacity || (isFull && !steal(for: command.pointee.importance)) {
      queues.counters.refused.add(1, ordering: .relaxed)
      retire(command.pointee.voice, isRefusal: true)
      return
    }
    voices[count] = Voice(command, source: source, order: nextOrder)
    count &+= 1
    nextOrder &+= 1
    if command.pointee.arrival != 0 && startCount < capacity {
      starts[startCount].voice = command.pointee.voice
      starts[startCount].arrival = command.pointee.arrival
      startCount &+= 1
    }
  }

  /// Lets the least important voice, among equals the oldest, fade out quickly. Returns false if all of them are more
  /// important than the newcomer.
  @_noLocks private mutating func steal(for importance: UInt8) -> Bool {
    var victim = -1
    var index = 0
    while index < count {
      let voice = voices + index
      if !voice.pointee.isStopping {
        if victim < 0 || goesBefore(voice, voices + victim) { victim = index }
      }
      index &+= 1
    }
    if victim < 0 || voices[victim].importance > importance { return false }
    fadeOut(victim, frames: stealFrames)
    queues.counters.stolen.add(1, ordering: .relaxed)
    return true
  }

  @_noLocks private func goesBefore(_ one: UnsafeMutablePointer<Voice>, _ other: UnsafeMutablePointer<Voice>) -> Bool {
    if one.pointee.importance != other.pointee.importance { return one.pointee.importance < other.pointee.importance }
    // The difference, since `order` wraps around.
    return Int32(bitPattern: one.pointee.order &- other.pointee.order) < 0
  }

  /// Where a voice stands; -1: it has ended.
  @_noLocks private mutating func place(of id: UInt32) -> Int {
    var index = 0
    while index < count {
      if voices[index].id == id { return index }
      index &+= 1
    }
    return -1
  }

  @_noLocks private mutating func stop(_ id: UInt32, frames: Int32) {
    let index = place(of: id)
    if index >= 0 { fadeOut(index, frames: frames) }
  }

  @_noLocks private mutating func endLoop(_ id: UInt32) {
    let index = place(of: id)
    if index >= 0 { voices[index].loops = false }
  }

  @_noLocks private mutating func stopAll(frames: Int32) {
    var index = 0
    while index < count {
      fadeOut(index, frames: frames)
      index &+= 1
    }
  }

  /// A voice that already fades faster keeps its pace. At least one frame, so that there is a ramp to end with.
  @_noLocks private mutating func fadeOut(_ index: Int, frames: Int32) {
    let voice = voices + index
    let length = max(1, frames)
    if voice.pointee.isStopping {
      if voice.pointee.rampLeft <= length { return }
    } else {
      voice.pointee.isStopping = true
      stopping &+= 1
    }
    voice.pointee.ramp(to: cmixer_gain(left: 0, right: 0), frames: length)
  }

  /// A voice that fades out goes on doing so.
  @_noLocks private mutating func setGain(_ command: UnsafeMutablePointer<MixerCommand>) {
    let index = place(of: command.pointee.voice)
    if index < 0 || voices[index].isStopping { return }
    voices[index].change(to: command.pointee.gain, frames: command.pointee.frames)
  }

  @_noLocks private mutating func setMaster(_ gain: Float, frames: Int32) {
    let now = master.left == 0 ? master.target : master.from + master.step * Float(master.position)
    master.target = gain
    master.left = max(0, frames)
    if master.left > 0 {
      master.from = now
      master.step = (gain - now) / Float(master.left)
      master.position = 0
    }
  }

  /// Hands a voice back.
  @_noLocks mutating func retire(_ id: UInt32, isRefusal: Bool = false, isCut: Bool = false) {
    hasRetired = true
    report(MixerReport(ended: id, isRefusal: isRefusal, isCut: isCut))
  }

  /// The queue has room: the control side starts no more voices than it holds reports for.
  @_noLocks func report(_ report: MixerReport) {
    let slot = queues.reports.slotToWrite()
    if slot < 0 { return }
    queues.reportSlots[slot] = report
    queues.reports.publish()
  }
}
