/// The plays of several triggers that share a window: the first one is heard, and what follows in the window is held back.
struct PlayGroup: Sendable {
  /// A play that is held back.
  struct Held: Sendable {
    /// The index of its trigger.
    var trigger: Int
    var change: PendingChange
    var choice: SoundChoice.Selection
    var importance: PlaySettings.Importance
  }

  /// The longest window. Each one that follows a window with held plays is twice as long.
  static let longestWindow = Duration.seconds(300)
  /// How many held plays are kept; more are only counted.
  static let capacity = 256

  /// The length of the present window, or of the last one.
  private(set) var length = Duration.zero
  /// When the window ends; `nil`: none is open.
  private(set) var end: Instant?
  /// The most important play that was let through in this window.
  private var loudest = PlaySettings.Importance.low
  /// The play that opened the window.
  private(set) var opener: PlayID?
  private(set) var held: [Held] = []
  private(set) var heldCount = 0

  /// How many others are held, if a play of this importance is held back; `nil`: it plays.
  func othersIfHeld(_ importance: PlaySettings.Importance) -> Int? {
    end != nil && importance.rank <= loudest.rank ? heldCount : nil
  }

  mutating func hold(_ play: Held) {
    heldCount += 1
    if held.count < Self.capacity { held.append(play) }
  }

  /// A play was let through: it opens a window, or is the most important one of the present window.
  mutating func letThrough(_ play: PlayID, _ importance: PlaySettings.Importance, within: Duration, at now: Instant) {
    loudest = importance
    if end != nil { return }
    (length, opener, end) = (within, play, now.end(of: within))
  }

  /// A play was never heard: the window that it opened ends now.
  mutating func refused(_ play: PlayID, at now: Instant) { if opener == play, end != nil { end = now } }

  /// Removes what a trigger has in it, and returns that.
  mutating func remove(trigger: Int) -> [PendingChange] {
    let removed = held.filter { $0.trigger == trigger }.map(\.change)
    held.removeAll { $0.trigger == trigger }
    heldCount -= removed.count
    return removed
  }

  /// Ends the window; returns what was held in it, the most important first, among equals the oldest.
  mutating func endWindow() -> [Held] {
    let all = held.enumerated().sorted {
      (-Int($0.element.importance.rank), $0.offset) < (-Int($1.element.importance.rank), $1.offset)
    }
    (held, heldCount, end, opener) = ([], 0, nil, nil)
    return all.map(\.element)
  }

  /// A play stands for what was held: the next window is twice as long.
  mutating func openNext(_ play: PlayID, _ importance: PlaySettings.Importance, at now: Instant) {
    length = min(length * 2, Self.longestWindow)
    (loudest, opener, end) = (importance, play, now.end(of: length))
  }
}

extension TriggerMachine {
  /// Holds a play back if its group wants that.
  @inline(never)
  mutating func isHeldBack(
    _ change: PendingChange, _ choice: SoundChoice.Selection, _ context: inout DecisionContext
  ) -> Bool {
    guard let group = definition.group, settings.importance != .critical else { return false }
    let importance = settings.importance
    guard let others = context.groups[group.name]?.othersIfHeld(importance) else { return false }
    var held = change
    postpone(&held, .grouped(others: others), &context)
    context.groups[group.name]?.hold(
      PlayGroup.Held(trigger: index, change: held, choice: choice, importance: importance))
    return true
  }

  /// Opens the window of its group, or notes the play in it.
  @inline(never)
  mutating func letThrough(_ id: PlayID, at now: Instant, _ context: inout DecisionContext) {
    guard let group = definition.group, settings.importance != .critical else { return }
    context.groups[group.name, default: PlayGroup()]
      .letThrough(id, settings.importance, within: group.within, at: now)
  }

  /// Plays what stands for the held plays of a group: the sound of the group, or its own. Returns its number; `nil`: it cannot.
  mutating func playForGroup(
    _ held: PlayGroup.Held, at now: Instant, _ context: inout DecisionContext
  ) -> PlayID? {
    if let verdict = silentVerdict(settings.importance, at: now, context) {
      concludeSilenced(held.change, held.choice, verdict, &context)
      return nil
    }
    let sound = definition.group?.sound.map { SoundChoice.Selection.sound($0) }
    let id =
      sound.flatMap { start($0, for: held.change, standsForGroup: true, throttleStart: nil, at: now, &context) }
      ?? start(held.choice, for: held.change, standsForGroup: true, throttleStart: nil, at: now, &context)
    conclude(held.change, id == nil ? .broken : .starting, play: id, &context)
    return id
  }
}

extension TriggerEngine {
  /// Ends the windows of groups that are over, or `all`: one play stands for what was held back.
  mutating func endWindows(all: Bool = false) {
    for name in context.groups.keys.sorted() {
      guard let group = context.groups[name], let end = group.end, all || end <= clock else { continue }
      let count = group.heldCount
      var rest = context.groups[name]?.endWindow() ?? []
      while !rest.isEmpty {
        let first = rest.removeFirst()
        var id: PlayID?
        decide(first.trigger) { id = $0.playForGroup(first, at: $1, &$2) }
        guard let id else { continue }
        context.groups[name]?.openNext(id, first.importance, at: clock)
        break
      }
      for held in rest { decide(held.trigger) { $0.conclude(held.change, .grouped(others: count - 1), &$2) } }
    }
  }
}
