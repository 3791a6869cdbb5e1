import SoundTrigger
import SoundWire

/// Where values come from, and what became of their changes.
extension Diagnosis {
  /// The feeds whose lines were refused. A warning of the daemon says which do not work.
  var feeds: [DoctorRow] {
    let rows = (facts.status?.feeds ?? []).compactMap { feed in
      feed.refusals.sentence(now: facts.now).map { refusal in
        DoctorRow(
          "feed", .note, "'\(Excerpt.escaping(feed.name))': lines \(refusal)",
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
        names[row, default: []].append(NameEscape.original(source.value.name))
      } else if source.value.file != nil {
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
    let (value, path) = (source.value, source.value.file?.path ?? "")
    if let problem = source.problem {
      return DoctorRow("source", problem.isThere ? .problem : .note, problem.finding, remedy: problem.remedy)
    }
    if source.isMissing {
      let end = value.value != nil ? "is not there; the last content stays" : "does not exist yet"
      return note("\(path) \(end)", "write it, or correct the path in the configuration")
    }
    if let refusal = value.refusals.sentence(now: facts.now) {
      return note("updates \(refusal)", "correct its 'type', 'json' or 'match', or what its writer sends")
    }
    // A warning of the daemon says what is wrong with a command.
    if value.isStale, value.problem == nil {
      return note("overdue: no update came within 'expect_every'", "find out why its writer is silent")
    }
    if value.value == nil, let file = value.file, file.aspect != .fifo {
      return note(
        "\(path) is there, and the value has no content",
        "it is empty, or 'type', 'json' or 'match' accepts nothing of it")
    }
    return nil
  }

  /// The values that nobody knows while no daemon runs, because this command runs nothing of the user's.
  var unknown: [DoctorRow] {
    let names = facts.preview?.unknown ?? []
    if names.isEmpty { return [] }
    return [
      DoctorRow(
        "values", .note,
        "not known without a daemon, because commands, feeds, pipes or clients set them: "
          + Self.listed(names.map(\.original)), remedy: Self.startRemedy)
    ]
  }

  // MARK: Changes

  var changes: [DoctorRow] {
    if facts.triggers.isEmpty || facts.status == nil { return [] }
    return unchanged + silent + heard
  }

  /// The triggers that have seen no change. An alarm may have played without one.
  private var unchanged: [DoctorRow] {
    let unchanged = facts.triggers.filter { $0.changes == 0 && $0.problem == nil && $0.last == nil }
    guard let first = unchanged.first else { return [] }
    let command = Self.explanation(of: first.name)
    // No value's name has a comma.
    let value = origin(of: String(first.value.prefix { $0 != "," }))
    let source = facts.sources.first { $0.value.name == value }?.value
    let remedy =
      if let path = source?.file?.path {
        "change \(path), then run: \(command)"
      } else if source?.isFed == true {
        "run the command of \(NameEscape.original(value)) by hand, to see what it prints; then run: \(command)"
      } else {
        source?.type == ValueKind.event.rawValue
          ? "send one (soundd set \(Excerpt.shellWord("\(value)=1"))), then run: \(command)"
          : "change \(value) twice, because a first content may be no change, then run: \(command)"
      }
    let names = Self.listed(unchanged.map { NameEscape.original($0.name) })
    return [DoctorRow("no change yet", .note, "triggers that have seen none: \(names)", remedy: remedy)]
  }

  /// The value from which a derived one follows; any other value itself.
  private func origin(of value: String) -> String {
    let bases = Dictionary(facts.sources.map { ($0.value.name, $0.value.base) }) { first, _ in first }
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
      .filter { !($0.change.judged.verdict.kind?.isExpected ?? false) }
      .sorted { $0.change.at > $1.change.at }
    return silent.prefix(3).map { trigger, change in
      DoctorRow(
        "last silence", .note,
        "\(change.at.localTime(at: facts.now)) '\(NameEscape.original(trigger.name))': \(Excerpt.escaping(change.judged.reason))",
        remedy: remedy(for: change.judged.verdict, of: trigger.name)
          ?? Self.explanation(of: trigger.name))
    }
  }

  private var heard: [DoctorRow] {
    let heard = facts.triggers.compactMap { trigger in trigger.last.map { (trigger: trigger, at: $0) } }
    guard let last = heard.max(by: { $0.at < $1.at }) else { return [] }
    return [
      DoctorRow(
        "last play", .ok, "\(last.at.localTime(at: facts.now)) '\(NameEscape.original(last.trigger.name))'")
    ]
  }

  /// What helps if changes are silent for a reason that is not the trigger's own; `nil`: `explain` says more.
  func remedy(for verdict: Word<VerdictWord>, of trigger: String) -> String? {
    switch verdict.kind {
    case .muted: "soundd unmute; or soundd unmute \(Self.option(trigger))"
    case .profile: profileRemedy
    case .noDevice: "see 'device'; 'fresh' is how long a sound may wait for it"
    case .late: "'fresh' is how late a sound may start; soundd doctor --latency"
    case .crowded: "[limits] voices; or a higher 'importance' of the trigger"
    default: nil
    }
  }
}
