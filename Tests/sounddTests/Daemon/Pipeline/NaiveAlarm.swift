import SoundTrigger

/// An alarm's trigger, as the configuration has it. Times in milliseconds.
struct AlarmSpec: Equatable {
  var name: String
  var values: [String]
  /// The texts that meet the condition; empty: the values are numbers, and it is met above `line`.
  var to: [String]
  /// Whether each text has a sound of its own.
  var isTable = false
  static let line = 5.0, hysteresis = 2.0
  var debounce: Int?
  var delay: Int?
  var throttle: Int?
  var offDelay: Int?
  var realarm: Int?
  var limit: Int?
  var latch = false
  /// Empty: it sounds without a gap.
  var every: [Int] = []
  var escalation: [(after: Int, importance: PlaySettings.Importance?, sound: String?)] = []
  var gates: [String] = []
  var cancel: String?
  var importance = PlaySettings.Importance.critical
  var fadeOut = 10

  /// Every sound that it may play.
  var sounds: [String] { (isTable ? to.map { "\(name)-\($0)" } : [name]) + escalation.compactMap(\.sound) }

  func sound(_ content: String?) -> String { isTable ? "\(name)-\(content ?? "")" : name }

  static func == (one: AlarmSpec, other: AlarmSpec) -> Bool { one.toml == other.toml }

  var toml: String {
    func time(_ key: String, _ time: Int?) -> String { time.map { "\(key) = \"\($0) ms\"\n" } ?? "" }
    func list(_ list: [String]) -> String { "[" + list.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
    var text = "[[trigger]]\nname = \"\(name)\"\nvalue = \(list(values))\n"
    text += to.isEmpty ? "above = \(Self.line)\nhysteresis = \(Self.hysteresis)\n" : "to = \(list(to))\n"
    text +=
      isTable
      ? "sounds = { \(to.map { "\($0) = \"\(sound($0))\"" }.joined(separator: ", ")) }\n" : "sound = \"\(name)\"\n"
    text += every.isEmpty ? "loop = true\n" : "loop_every = \(list(every.map { "\($0) ms" }))\n"
    text += time("debounce", debounce) + time("delay", delay) + time("throttle", throttle) + time("off_delay", offDelay)
    text += time("realarm", realarm) + time("loop_limit", limit) + time("fade_out", fadeOut)
    if latch { text += "latch = true\n" }
    if !escalation.isEmpty {
      let steps = escalation.map { step in
        "{ after = \"\(step.after) ms\"" + (step.importance.map { ", importance = \"\($0.rawValue)\"" } ?? "")
          + (step.sound.map { ", sound = \"\($0)\"" } ?? "") + " }"
      }
      text += "escalate = [\(steps.joined(separator: ", "))]\n"
    }
    if !gates.isEmpty { text += "unless = \(list(gates))\n" }
    if let cancel { text += "cancel = \"\(cancel)\"\n" }
    return text + "importance = \"\(importance.rawValue)\"\n"
  }
}

/// The life of an alarm by the plain rules of the manual: from what a value is, what people did, and what time it is.
struct NaiveAlarm {
  struct Watch {
    var content: String?
    /// What `debounce` waits for: since the content before it.
    var burst: (old: String?, isFirst: Bool, end: Int)?
    var delayEnd: Int?
    /// Whether the number crossed the line, and has not gone back far enough.
    var isCrossed = false
    var meets = false
    /// Whether `meets` is what an earlier run left.
    var isRestored = false
  }

  var spec: AlarmSpec
  var watches: [Watch]
  var life = AlarmLife.normal
  var since = 0
  var acknowledgedAt = 0
  var snoozedUntil: Int?
  var offEnd: Int?
  var sound = ""
  /// Whether `sound` is certain. Which sound of a table a reload, a restart or a return from latched leaves is no promise.
  var knowsSound = true

  init(_ spec: AlarmSpec) {
    self.spec = spec
    watches = spec.values.map { _ in Watch() }
  }

  var shownLife: AlarmLife { life == .normal && watches.indices.contains(where: isPending) ? .pending : life }

  /// Whether a value that meets the condition waits.
  func isPending(_ watch: Int) -> Bool {
    if watches[watch].delayEnd != nil { return true }
    guard let burst = watches[watch].burst, burst.isFirst || burst.old != watches[watch].content else { return false }
    var copy = watches[watch]
    return begins(&copy, isFirst: burst.isFirst)
  }

  func importance(at now: Int) -> PlaySettings.Importance {
    let steps = life.sounds ? spec.escalation.filter { since + $0.after <= now } : []
    return steps.last { $0.importance != nil }?.importance ?? spec.importance
  }

  // MARK: What values do

  /// Whether the present content begins the condition.
  private func begins(_ watch: inout Watch, isFirst: Bool) -> Bool {
    guard spec.to.isEmpty else { return watch.content.map(spec.to.contains) ?? false }
    guard let number = watch.content.flatMap(Double.init) else { return false }
    if isFirst { watch.isCrossed = false }
    defer { if number <= AlarmSpec.line - AlarmSpec.hysteresis { watch.isCrossed = false } }
    if number <= AlarmSpec.line { return false }
    defer { watch.isCrossed = true }
    return !watch.isCrossed
  }

  private func holds(_ watch: Watch) -> Bool {
    spec.to.isEmpty ? watch.isCrossed : watch.content.map(spec.to.contains) ?? false
  }

  /// Begins at a content without judging it.
  private mutating func start(_ watch: Int) {
    let number = watches[watch].content.flatMap(Double.init) ?? 0
    // A number on its way back still meets what it met before.
    let line =
      watches[watch].meets || watches[watch].delayEnd != nil ? AlarmSpec.line - AlarmSpec.hysteresis : AlarmSpec.line
    watches[watch].isCrossed = number > line
  }

  mutating func receive(_ watch: Int, _ content: String, at now: Int) {
    let old = watches[watch].content
    watches[watch].content = content
    let isFirst = old == nil
    if isFirst, watches[watch].isRestored {
      start(watch)
      watches[watch].isRestored = false
      if !holds(watches[watch]) { return end(watch) }
      if watches[watch].delayEnd == nil, !lasts(watch, at: now), life == .latched { begin(watch, at: now) }
      return
    }
    guard let debounce = spec.debounce else { return judge(watch, isFirst: isFirst, at: now) }
    let burst = watches[watch].burst
    watches[watch].burst = (burst.map(\.old) ?? old, burst?.isFirst ?? isFirst, now + debounce)
  }

  private mutating func judge(_ watch: Int, isFirst: Bool, at now: Int) {
    let begins = begins(&watches[watch], isFirst: isFirst)
    if !holds(watches[watch]) { return end(watch) }
    if lasts(watch, at: now) || !begins || watches[watch].delayEnd != nil { return }
    if let delay = spec.delay { watches[watch].delayEnd = now + delay } else { begin(watch, at: now) }
  }

  private mutating func end(_ watch: Int) {
    (watches[watch].delayEnd, watches[watch].meets) = (nil, false)
  }

  /// The condition still holds: a return within `off_delay`, or another sound.
  private mutating func lasts(_ watch: Int, at now: Int) -> Bool {
    if life == .normal { return false }
    let isReturning = offEnd != nil
    let other = spec.sound(watches[watch].content)
    let isOther = spec.isTable && other != sound && life != .latched
    if isReturning || isOther { (watches[watch].meets, offEnd) = (true, nil) }
    if isOther {
      sound = other
      if life == .acknowledged { activate(at: now) }
    }
    return isReturning || isOther
  }

  private mutating func begin(_ watch: Int, at now: Int) {
    let isNew = !watches[watch].meets
    (watches[watch].meets, offEnd) = (true, nil)
    switch life {
    case .latched: (life, knowsSound) = (.active, !spec.isTable)
    case .normal,
      .acknowledged where isNew:
      chooseSound(watch)
      activate(at: now)
    case .pending, .active, .acknowledged: break
    }
  }

  private mutating func chooseSound(_ watch: Int) {
    let content = watches[watch].content
    (sound, knowsSound) = (spec.sound(content), content != nil || !spec.isTable)
  }

  private mutating func activate(at now: Int) { (life, since) = (.active, now) }

  mutating func forget(_ watch: Int) {
    watches[watch].content = nil
    watches[watch].burst = nil
    end(watch)
  }

  /// After a transaction.
  mutating func settle(at now: Int) {
    if life == .normal || life == .latched || offEnd != nil || watches.contains(where: \.meets) { return }
    if let delay = spec.offDelay, life != .pending { offEnd = now + delay } else { endCondition() }
  }

  private mutating func endCondition() {
    if life != .active || !spec.latch { return end() }
    (life, offEnd) = (.latched, nil)
    for watch in watches.indices { watches[watch].isRestored = false }
  }

  private mutating func end() {
    (life, offEnd) = (.normal, nil)
    for watch in watches.indices { (watches[watch].meets, watches[watch].isRestored) = (false, false) }
  }

  // MARK: What people and the time do

  mutating func acknowledge(callsOff: Bool, at now: Int) {
    let before = shownLife
    if callsOff || before == .pending || before == .latched {
      for watch in watches.indices { callOff(watch) }
    }
    if before == .normal { return }
    snoozedUntil = nil
    let holds = watches.contains(where: \.meets)
    if before == .latched, !holds { return end() }
    if before == .acknowledged || before == .pending && !holds { return }
    (life, acknowledgedAt) = (.acknowledged, now)
    if before == .pending { since = now }
  }

  /// Ends what a value waits for. If it meets the condition, it has met it.
  private mutating func callOff(_ watch: Int) {
    var hasEnded = false
    if let burst = watches[watch].burst {
      let waits = shownLife != .normal
      let begins = begins(&watches[watch], isFirst: burst.isFirst)
      if burst.isFirst || burst.old != watches[watch].content {
        hasEnded = !holds(watches[watch])
        if hasEnded { watches[watch].meets = false }
        if !hasEnded, begins, waits { meet(watch) }
      }
      watches[watch].burst = nil
    }
    if watches[watch].delayEnd != nil, !hasEnded { meet(watch) }
    watches[watch].delayEnd = nil
  }

  private mutating func meet(_ watch: Int) {
    if life == .normal { chooseSound(watch) }
    watches[watch].meets = true
  }

  /// Does what is due at a time. If that passed while the machine slept until `awake`, a wait that ended long before ends then.
  mutating func advance(to now: Int, awake: Int) {
    func isOver(_ end: Int) -> Bool { end <= now && (now == awake || awake - end <= 500) }
    for watch in watches.indices {
      if let end = watches[watch].delayEnd, isOver(end) {
        watches[watch].delayEnd = nil
        // A table may have no sound for what the value is by now.
        if !spec.isTable || watches[watch].content.map(spec.to.contains) ?? true { begin(watch, at: now) }
        settle(at: now)
      }
      if let burst = watches[watch].burst, spec.delay == nil ? isOver(burst.end) : burst.end <= now {
        watches[watch].burst = nil
        if burst.isFirst || burst.old != watches[watch].content { judge(watch, isFirst: burst.isFirst, at: now) }
        settle(at: now)
      }
    }
    if let end = offEnd, end <= now { endCondition() }
    if let end = snoozedUntil, end <= now { snoozedUntil = nil }
    if life == .acknowledged, let realarm = spec.realarm, acknowledgedAt + realarm <= now { activate(at: now) }
    if life.sounds, let limit = spec.limit, since + limit <= now { acknowledge(callsOff: false, at: now) }
  }

  // MARK: A reload and a restart

  /// The alarm of another configuration.
  func continued(as spec: AlarmSpec, contents: [String: String], at now: Int) -> NaiveAlarm {
    var next = NaiveAlarm(spec)
    (next.snoozedUntil, next.knowsSound) = (snoozedUntil, !spec.isTable)
    let before = shownLife
    for (watch, name) in spec.values.enumerated() {
      let index = self.spec.values.firstIndex(of: name)
      let old = index.map { watches[$0] }
      next.watches[watch].content = contents[name]
      if before != .normal {
        next.watches[watch].meets = old.map { $0.meets || $0.isRestored } ?? false || index.map(isPending) ?? false
      }
      let isOpen = contents[name] == nil && next.watches[watch].meets
      next.watches[watch].isRestored = isOpen && old?.isRestored ?? false
      next.start(watch)
      next.watches[watch].meets =
        isOpen || before != .normal && contents[name] != nil && next.holds(next.watches[watch])
    }
    let content = next.watches.first(where: \.meets)?.content
    switch before {
    case .normal:
      for (watch, name) in spec.values.enumerated() {
        next.watches[watch].content = nil
        if let content = contents[name] { next.receive(watch, content, at: now) }
      }
    case .pending:
      for watch in next.watches.indices where next.watches[watch].meets {
        next.watches[watch].meets = false
        if let delay = spec.delay ?? spec.debounce {
          next.watches[watch].delayEnd = now + delay
        } else {
          next.begin(watch, at: now)
        }
      }
    case .active, .latched, .acknowledged:
      (next.life, next.since, next.acknowledgedAt) = (before, since, acknowledgedAt)
      next.sound = content.map(spec.sound) ?? sound
      if !next.watches.contains(where: \.meets) {
        if before == .active, spec.latch { next.life = .latched } else if before != .latched { next.life = .normal }
      } else if before == .latched {
        next.life = .active
      }
    }
    return next
  }
}
