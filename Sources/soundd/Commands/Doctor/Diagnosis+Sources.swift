import SoundTrigger

/// Where values come from, and what became of their changes.
extension Diagnosis {
  /// The feeds whose lines were refused. A warning of the daemon says which do not work.
  var feeds: [DoctorRow] {
    let reports = facts.status.map(RefusalText.feedReports) ?? []
    let rows = reports.compactMap { feed in
      RefusalText.sentence(feed, now: facts.now).map { refusal in
        DoctorRow(
          "feed", .note, "'\(feed.shown("name"))': lines \(refusal)",
          remedy: "correct what its program prints ('man soundd.toml', FEEDS)")
      }
    }
    return Self.abridged(rows, "soundd list")
  }

  var sources: [DoctorRow] {
    // Values with the same problem, such as a missing folder, share a row.
    var rows: [DoctorRow] = []
    var names: [DoctorRow: [String]] = [:]
    var good = 0
    for source in facts.sources {
      if let row = row(of: source) {
        if names[row] == nil { rows.append(row) }
        names[row, default: []].append(NameEscape.original(source.value))
      } else if source.key != nil {
        good += 1
      }
    }
    for index in rows.indices {
      rows[index].finding = "\(Self.listed(names[rows[index]] ?? [])): \(rows[index].finding)"
    }
    let summary = good == 0 ? [] : [DoctorRow("sources", .ok, "files, folders and pipes that can be read: \(good)")]
    return Self.abridged(DoctorRow.worstFirst(rows), "soundd list") + summary
  }

  /// What is wrong with a source, without its name; `nil`: nothing.
  private func row(of source: DoctorFacts.Source) -> DoctorRow? {
    func note(_ finding: String, _ remedy: String) -> DoctorRow { DoctorRow("source", .note, finding, remedy: remedy) }
    if let problem = source.problem {
      return DoctorRow("source", problem.isThere ? .problem : .note, problem.finding, remedy: problem.remedy)
    }
    if source.isMissing {
      let end = source.hasContent == true ? "is not there; the last content stays" : "does not exist yet"
      return note("\(source.path) \(end)", "write it, or correct the path in the configuration")
    }
    if let refusal = source.refusal {
      return note("updates \(refusal)", "correct its 'type', 'json' or 'match', or what its writer sends")
    }
    if source.isStale {
      return note("overdue: no update came within 'expect_every'", "find out why its writer is silent")
    }
    if source.hasContent == false, let key = source.key, key != "fifo" {
      return note(
        "\(source.path) is there, and the value has no content",
        "it is empty, or 'type', 'json' or 'match' accepts nothing of it")
    }
    return nil
  }

  // MARK: Changes

  var changes: [DoctorRow] {
    if facts.triggers.isEmpty || facts.status == nil { return [] }
    return unchanged + silent + heard
  }

  /// The triggers that have seen no change. An alarm may have played without one.
  private var unchanged: [DoctorRow] {
    let unchanged = facts.triggers.filter { $0.changes == 0 && $0.problem == nil && $0.lastPlay == nil }
    guard let first = unchanged.first else { return [] }
    let command = Self.explanation(of: first.name)
    // No value's name has a comma.
    let value = origin(of: String(first.values.prefix { $0 != "," }))
    let source = facts.sources.first { $0.value == value }
    let remedy =
      if let source, source.key != nil {
        "change \(source.path), then run: \(command)"
      } else if source?.isFed == true {
        "run the command of \(NameEscape.original(value)) by hand, to see what it prints; then run: \(command)"
      } else {
        source?.isEvent == true
          ? "send one (soundd set \(Excerpt.shellWord("\(value)=1"))), then run: \(command)"
          : "change \(value) twice, because a first content may be no change, then run: \(command)"
      }
    let names = Self.listed(unchanged.map { NameEscape.original($0.name) })
    return [DoctorRow("no change yet", .note, "triggers that have seen none: \(names)", remedy: remedy)]
  }

  /// The value from which a derived one follows; any other value itself.
  private func origin(of value: String) -> String {
    let bases = Dictionary(facts.sources.map { ($0.value, $0.base) }) { first, _ in first }
    var origin = value
    // No value follows from more of them than there are.
    for _ in facts.sources {
      guard let base = bases[origin] ?? nil else { break }
      origin = base
    }
    return origin
  }

  /// The latest changes that were not heard, if they are their triggers' last.
  private var silent: [DoctorRow] {
    let silent = facts.triggers.compactMap { trigger in trigger.lastChange.map { (trigger: trigger, change: $0) } }
      .filter { !Self.isHeardOrPending($0.change.verdict) }
      .sorted { $0.change.at > $1.change.at }
    return silent.prefix(3).map { trigger, change in
      DoctorRow(
        "last silence", .note,
        "\(Table.localTime(change.at, now: facts.now)) '\(NameEscape.original(trigger.name))': \(change.reason)",
        remedy: remedy(for: change.verdict, of: trigger.name)
          ?? Self.explanation(of: trigger.name))
    }
  }

  private var heard: [DoctorRow] {
    let heard = facts.triggers.compactMap { trigger in trigger.lastPlay.map { (trigger: trigger, at: $0) } }
    guard let last = heard.max(by: { $0.at < $1.at }) else { return [] }
    return [
      DoctorRow(
        "last play", .ok, "\(Table.localTime(last.at, now: facts.now)) '\(NameEscape.original(last.trigger.name))'")
    ]
  }

  /// Whether a change played, may yet play, or is no change.
  static func isHeardOrPending(_ verdict: String) -> Bool {
    ["played", "starting", "waiting", "delayed", "queued", "already_looping", "acknowledged", "appeared", "as_before"]
      .contains(verdict)
  }

  /// What helps if changes are silent for a reason that is not the trigger's own; `nil`: `explain` says more.
  func remedy(for verdict: String, of trigger: String) -> String? {
    switch verdict {
    case "muted": "soundd unmute; or soundd unmute \(Self.option(trigger))"
    case "profile": profileRemedy
    case "no_device": "see 'device'; 'fresh' is how long a sound may wait for it"
    case "late": "'fresh' is how late a sound may start; soundd doctor --latency"
    case "crowded": "[limits] voices; or a higher 'importance' of the trigger"
    default: nil
    }
  }
}
