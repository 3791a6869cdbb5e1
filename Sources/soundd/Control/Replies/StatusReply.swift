import SoundTrigger

/// The parts of the reply to `status`. All durations are in microseconds.
extension JSONWriter {
  /// The device and the format that it agreed to. `stream` is `nil` while none is open; `error` says why none can be.
  ///
  /// `since` is when the device was found or lost.
  mutating func device(
    _ name: String, state: String, since: Timestamp?, rate: Int, stream: StreamFormat?, server: SoundServer? = nil,
    error: OutputError?, wake: Duration = .zero
  ) {
    object { writer in
      writer.member("name", name)
      writer.member("state", state)
      writer.member("since", since)
      writer.member("problem", error.map { "\($0)" })
      writer.member("errno", error.map { Int(-$0.code) })
      writer.member("detail", error?.detail)
      writer.member("format", stream.map { "\($0.format)" })
      writer.member("rate", stream?.rate ?? rate)
      writer.member("channels", stream?.channels)
      writer.member("period_frames", stream?.periodFrames)
      writer.member("buffer_frames", stream?.bufferFrames)
      writer.member("server", server?.rawValue)
      writer.member("wake", wake)
    }
  }

  /// The latency from the arrival of a change to its sound: in total, soundd's part (until the device has the first frames),
  /// and the device's part.
  mutating func latency(_ record: LatencyRecord, withHistogram: Bool = false) {
    func duration(_ microseconds: Double?) -> Duration? { microseconds.map { .nanoseconds(Int64($0 * 1000)) } }
    let (total, ours, device) = (record.total.summary, record.ours.summary, record.device.summary)
    object { writer in
      writer.member("count", Int(clamping: total.count))
      writer.member("p50", duration(total.median))
      writer.member("p99", duration(total.percentile99))
      writer.member("max", duration(total.maximum))
      writer.member("ours_p50", duration(ours.median))
      writer.member("ours_p99", duration(ours.percentile99))
      writer.member("device_p50", duration(device.median))
      writer.member("device_p99", duration(device.percentile99))
      if !withHistogram { return }
      writer.member("histogram") { writer in
        writer.array(record.total.buckets) { bucket, writer in
          writer.array([bucket.upperBoundMicroseconds, bucket.count]) { $1.number(Double($0)) }
        }
      }
    }
  }

  /// The priority of the audio thread in the kernel, and its limits.
  mutating func realTime(_ output: Output) {
    let priority = output.priority
    object { writer in
      writer.member("policy", priority.policy.rawValue)
      writer.member("priority", priority.priority)
      writer.member("way", priority.way.rawValue)
      writer.member("obstacle", priority.problem?.rawValue)
      writer.member("reason", priority.reason.isEmpty ? nil : priority.reason)
      writer.member("priority_limit", Int(exactly: ResourceLimit(.realTimePriority).soft))
      writer.member("runtime_limit", Int(exactly: ResourceLimit(.realTimeRuntime).soft))
      writer.member("flushes_denormals", output.flushesDenormals)
    }
  }

  /// The memory that soundd wants to lock in RAM, in bytes; `limit` is RLIMIT_MEMLOCK.
  mutating func memory(_ usage: LockedMemoryUsage, limit: ResourceLimit = ResourceLimit(.lockedMemory)) {
    object { writer in
      writer.member("wanted_bytes", usage.wanted)
      writer.member("locked_bytes", usage.locked)
      writer.member("limit_bytes", Int(exactly: limit.soft))
      writer.member("reason", usage.shortage(limit))
    }
  }

  /// How many bytes of `limits.memory` the values' contents and the loaded sounds use.
  mutating func memoryUse(contents: Int, clips: Int, limit: Int) {
    object { writer in
      writer.member("content_bytes", contents)
      writer.member("clip_bytes", clips)
      writer.member("limit_bytes", limit)
    }
  }

  /// A trigger as `status` shows it, or with `asEvent` as `events --state` does.
  ///
  /// `problem` says why one of its sounds cannot be played.
  mutating func trigger(
    _ definition: TriggerDefinition, _ counters: TriggerCounters, _ activity: TriggerActivity, level: PlayLevel,
    mutedUntil: Timestamp?, waitsUntil: Timestamp?, lastPlay: Timestamp?, problem: String?, members: Int? = nil,
    loudest: String? = nil, latency: LatencyRecord, asEvent: Bool = false
  ) {
    object { writer in
      if asEvent { writer.member("event", "trigger") }
      writer.member("name", definition.name)
      writer.member("value", definition.valueNames)
      writer.member("sound", definition.sound.names.joined(separator: ", "))
      writer.member("state", problem != nil ? "broken" : activity.state == .resting ? "ok" : activity.state.rawValue)
      writer.member("problem", problem)
      if let members {
        writer.member("members", members)
        writer.member("loudest", loudest)
      }
      writer.member("volume", level.volume)
      writer.member("muted", level.isMuted)
      writer.member("muted_until", mutedUntil)
      writer.member("waits_until", waitsUntil)
      writer.member("queued", activity.queued)
      writer.member("changes", counters.changes)
      writer.member("played", counters.played)
      writer.member("dropped", counters.dropped)
      writer.member("last", lastPlay)
      writer.member("latency") { $0.latency(latency) }
    }
  }
}

extension TriggerDefinition {
  /// The watched values, as replies name them.
  var valueNames: String { (values.map(\.description) + patterns.map(\.description)).joined(separator: ", ") }
}

extension LockedMemoryUsage {
  /// Why less memory is locked than wanted; `nil` if all of it is locked.
  func shortage(_ limit: ResourceLimit = ResourceLimit(.lockedMemory)) -> String? {
    if locked >= wanted { return nil }
    let missing = "\((wanted - locked + 1023) >> 10) of \((wanted + 1023) >> 10) KiB"
    let reason = "\(missing) may be swapped out (\(SystemError.text(error)))"
    return limit.soft == ResourceLimit.unlimited ? reason : "\(reason); RLIMIT_MEMLOCK is \(limit.soft >> 10) KiB"
  }
}
