import SoundTrigger

/// Where values come from, and what became of their changes.
extension Diagnosis {
  var sources: [DoctorRow] {
    let bad = facts.sources.compactMap(row)
    let good = facts.sources.count { $0.key != nil && row($0) == nil }
    let summary = good == 0 ? [] : [DoctorRow("sources", .ok, "files, folders and pipes that can be read: \(good)")]
    // What can never sound comes first.
    let sorted = bad.filter { $0.state == .problem } + bad.filter { $0.state != .problem }
    return summary + Self.abridged(sorted, "soundd list")
  }

  /// What is wrong with a source; `nil`: nothing.
  private func row(_ source: DoctorFacts.Source) -> DoctorRow? {
    let (value, path) = ("'\(source.value)'", source.path)
    func row(_ state: DoctorRow.State, _ finding: String, _ remedy: String) -> DoctorRow {
      DoctorRow("source", state, "\(value): \(finding)", remedy: remedy)
    }
    switch source.obstacle {
    case .blocked(let obstacle):
      return row(obstacle.isDenied ? .problem : .note, obstacle.problem, obstacle.remedy)
    case .wrongKind(let reason): return row(.problem, "\(path): \(reason)", "correct the path in the configuration")
    case .missing:
      let end = source.hasContent == true ? "is not there; the last content stays" : "does not exist yet"
      return row(.note, "\(path) \(end)", "write it, or correct the path in the configuration")
    case nil: break
    }
    if source.refused > 0 {
      return row(
        .note, "contents that did not fit: \(source.refused)",
        "correct its 'type', 'json' or 'match', or what its writer sends: the reply, or the log, names the reason")
    }
    if source.isStale {
      return row(.note, "overdue: no update came within 'expect_every'", "find out why its writer is silent")
    }
    if source.hasContent == false, let key = source.key, key != "fifo" {
      return row(
        .note, "\(path) is there, and the value has no content",
        "it is empty, or 'type', 'json' or 'match' accepts nothing of it")
    }
    return nil
  }

  // MARK: Changes

  var changes: [DoctorRow] {
    if facts.triggers.isEmpty || facts.status == nil { return [] }
    return unchanged + silent + heard
  }

  /// The triggers that have seen no change.
  private var unchanged: [DoctorRow] {
    let unchanged = facts.triggers.filter { $0.changes == 0 && $0.problem == nil }
    guard let first = unchanged.first else { return [] }
    let names = unchanged.prefix(Self.mostRows).map { "'\($0.name)'" }.joined(separator: ", ")
    let more = unchanged.count > Self.mostRows ? " and \(unchanged.count - Self.mostRows) more" : ""
    // No value's name has a comma.
    let value = String(first.values.prefix { $0 != "," })
    let source = facts.sources.first { $0.value == value }
    let remedy =
      if let source, source.key != nil {
        "change \(source.path), then run: soundd explain '\(first.name)'"
      } else {
        "change \(value) twice, because a first content is no change, then run: soundd explain '\(first.name)'"
      }
    return [DoctorRow("no change yet", .note, "triggers that have seen none: \(names)\(more)", remedy: remedy)]
  }

  /// The latest changes that were not heard, if they are their triggers' last.
  private var silent: [DoctorRow] {
    let silent = facts.triggers.compactMap { trigger in trigger.lastChange.map { (trigger: trigger, change: $0) } }
      .filter { !Self.isHeardOrPending($0.change.verdict) }
      .sorted { $0.change.at > $1.change.at }
    return silent.prefix(3).map { trigger, change in
      DoctorRow(
        "last silence", .note, "\(Table.localTime(change.at, now: facts.now)) '\(trigger.name)': \(change.reason)",
        remedy: Self.remedy(for: change.verdict, of: trigger.name) ?? "soundd explain '\(trigger.name)'")
    }
  }

  private var heard: [DoctorRow] {
    let heard = facts.triggers.compactMap { trigger in trigger.lastPlay.map { (trigger: trigger, at: $0) } }
    guard let last = heard.max(by: { $0.at < $1.at }) else { return [] }
    return [DoctorRow("last play", .ok, "\(Table.localTime(last.at, now: facts.now)) '\(last.trigger.name)'")]
  }

  /// Whether a change played, may yet play, or is no change.
  static func isHeardOrPending(_ verdict: String) -> Bool {
    ["played", "starting", "waiting", "delayed", "queued", "already_looping", "appeared", "as_before"].contains(verdict)
  }

  /// What helps if changes are silent for a reason that is not the trigger's own; `nil`: `explain` says more.
  static func remedy(for verdict: String, of trigger: String) -> String? {
    switch verdict {
    case "muted": "soundd unmute; or soundd unmute --trigger '\(trigger)'"
    case "profile": "soundd profile full; or a higher 'importance' of the trigger"
    case "no_device": "see 'device' above; 'fresh' is how long a sound may wait for it"
    case "late": "'fresh' is how late a sound may start; soundd doctor --latency"
    case "crowded": "[limits] voices; or a higher 'importance' of the trigger"
    default: nil
    }
  }
}
