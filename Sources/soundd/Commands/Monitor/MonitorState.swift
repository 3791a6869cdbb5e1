import SoundTrigger
import SoundWire

/// What the monitor shows and asks for. Pure: the daemon's lines and the user's keys come in, requests and pictures come out.
struct MonitorState {
  /// A row that can be selected, wherever it moves.
  struct Item: Equatable {
    enum Kind { case alarm, sound, verdict }

    var kind: Kind
    /// `nil`: a sound that is played by hand.
    var trigger: String?
    /// What tells it from other rows of its trigger: the number of a play or a change.
    var number: Int?
    var sound = ""
  }

  /// What covers the picture.
  enum Page {
    case help
    /// The reply to `explain`, and how many rows it is scrolled back from its end.
    case explanation(ExplainMessage, back: Int)
  }

  /// What a request is for, by which its reply is understood.
  private enum Purpose: Equatable {
    case follow, status, history, explanation, level, snooze(String), acknowledgement(String)
  }

  /// At the beginning, the last verdicts of so many triggers are asked for.
  private static let historyLimit = 24

  let isUnicode: Bool
  /// Kept up to date, also while the drawing pauses.
  private(set) var live = MonitorFacts()
  /// What is shown while the drawing pauses.
  private(set) var paused: MonitorFacts?
  /// Why there is no connection; `nil`: there is one.
  private(set) var loss: String? = "connecting"
  var page: Page?
  /// What the last order led to, until the next key.
  private(set) var message: (text: String, isError: Bool)?
  private(set) var selection: Item?
  /// The alarm that the picture on the screen shows as selected.
  private(set) var shownAlarm: (name: String, id: Int?)?
  private var hadAlarms = false
  private(set) var isLeaving = false
  /// Whether something has happened after which the status may be out of date.
  private(set) var isOutdated = false
  private var wantsHistory = false
  private var purposes: [Purpose] = []
  private var requests: [String] = []

  init(isUnicode: Bool) { self.isUnicode = isUnicode }

  var facts: MonitorFacts { paused ?? live }
  /// Whether replies are missing.
  var isWaiting: Bool { !purposes.isEmpty }

  /// The lines to send to the daemon.
  mutating func takeRequests() -> [String] {
    defer { requests = [] }
    return requests
  }

  private mutating func ask(_ line: String, _ purpose: Purpose) {
    // A line break in a name would end the request, and begin another one.
    if loss != nil || line.utf8.contains(where: { $0 == 10 || $0 == 13 }) {
      message = (loss == nil ? "no request can have this name" : "there is no connection to soundd", true)
    } else {
      requests.append(line)
      purposes.append(purpose)
    }
  }

  // MARK: The daemon

  mutating func connected(follows: Bool = true) {
    (loss, wantsHistory) = (nil, true)
    if follows { ask("events --state --why", .follow) }
    refresh()
  }

  /// There is no daemon, or no longer. What is unknown then is not shown as if it were known, not even in a pause.
  mutating func lost(_ reason: String) {
    (loss, paused, purposes, requests, isOutdated) = (reason, nil, [], [], false)
    live.forget()
  }

  /// Asks for what no event tells.
  mutating func refresh() {
    isOutdated = false
    if !purposes.contains(.status) { ask("status", .status) }
  }

  /// Takes a line of the daemon; returns whether the picture may have changed.
  mutating func receive(_ line: [UInt8]) -> Bool {
    guard line.starts(with: EventHead.mark) else { return reply(line) }
    // The picture shows nothing of the most frequent ones.
    if Self.skipped.contains(where: { line.starts(with: $0) }) { return false }
    guard let event = try? Event(line) else { return false }
    isOutdated = true
    switch event.content {
    case .alarm(let alarm): live.take(alarm: alarm)
    case .verdict(let verdict): live.take(verdict: verdict, at: event.at ?? .now())
    case .play(let play): live.take(play: play)
    case .stop(let stop): live.take(stop: stop)
    case .settings: refresh()
    case .value, .trigger, .ready, .change, .unset, .unknown: return false
    }
    return paused == nil
  }

  private static let skipped = [EventHead.Kind.change, .value, .trigger].map(EventHead.mark)

  private mutating func reply(_ line: [UInt8]) -> Bool {
    let purpose = purposes.isEmpty ? nil : purposes.removeFirst()
    if let refusal = DaemonRefusal(reply: line) {
      message = (Excerpt.escaping(refusal.text), true)
      return true
    }
    do throws(Failure) {
      switch purpose {
      case .status, .level:
        let status: StatusMessage = try Failure.reading(line)
        live.take(status: status)
        if wantsHistory { askForHistory(status.triggers) }
        if purpose == .level {
          message = ("volume \(VolumeText.level(status.level.volume)), \(status.level.mute())", false)
        }
      case .history: live.take(history: try Failure.reading(line))
      case .explanation: page = .explanation(try Failure.reading(line), back: 0)
      case .snooze(let name):
        message = ("\(Excerpt.escaping(NameEscape.original(name))) is snoozed for 10 min", false)
      case .acknowledgement(let name):
        // The daemon also accepts an acknowledgement of an alarm that has begun anew, and changes nothing.
        let life = live.alarm(name)?.life.text ?? AlarmLife.acknowledged.rawValue
        let isRefused = life != AlarmLife.acknowledged.rawValue
        message = (
          "\(isRefused ? "not acknowledged: " : "")\(Excerpt.escaping(NameEscape.original(name))) is now \(Excerpt.escaping(life))",
          isRefused
        )
      case .follow, nil: return false
      }
    } catch {
      message = (Excerpt.escaping(error.description), true)
    }
    if let note = Reply.note(in: line) { message = (Excerpt.escaping(note), true) }
    return true
  }

  /// The last verdicts of the triggers that played last.
  private mutating func askForHistory(_ triggers: [TriggerMessage]) {
    wantsHistory = false
    let changed = triggers.compactMap { trigger in trigger.lastChange.map { (trigger: trigger, at: $0.at) } }
      .sorted { $0.at > $1.at }
    for (trigger, _) in changed.prefix(Self.historyLimit) { ask("explain \(trigger.name)", .history) }
  }

  // MARK: Keys

  mutating func press(_ key: MonitorKey) {
    message = nil
    switch (page, key) {
    case (_, .character("q")): isLeaving = true
    case (.explanation(let reply, let back), .up): page = .explanation(reply, back: back + 1)
    case (.explanation(let reply, let back), .down): page = .explanation(reply, back: max(0, back - 1))
    case (.some, _): page = nil
    case (nil, .character("?")): page = .help
    case (nil, .up): move(by: -1)
    case (nil, .down): move(by: 1)
    case (nil, .character(" ")): paused = paused == nil && loss == nil ? live : nil
    case (nil, .enter): explain()
    case (nil, .character("a")):
      orderForAlarm { name, id in ("ack \(id.map { "id=\($0) " } ?? "")\(name)", .acknowledgement(name)) }
    case (nil, .character("s")): orderForAlarm { name, _ in ("snooze for=10min \(name)", .snooze(name)) }
    case (nil, .character("m")): setLevel("mute toggle")
    case (nil, .character("+")): setLevel("volume up")
    case (nil, .character("-")): setLevel("volume down")
    default: break
    }
  }

  private mutating func setLevel(_ line: String) {
    ask(line, .follow)
    if loss == nil { ask("status", .level) }
  }

  /// What the user has seen counts, not what has happened since.
  private mutating func orderForAlarm(_ order: (String, Int?) -> (String, Purpose)) {
    guard let (name, id) = shownAlarm else { return message = ("no alarm is selected: use the arrow keys", true) }
    let (line, purpose) = order(name, id)
    ask(line, purpose)
  }

  private mutating func explain() {
    guard let trigger = selection?.trigger else {
      return message = ("no trigger is selected: use the arrow keys", true)
    }
    ask("explain \(trigger)", .explanation)
  }

  // MARK: Selection

  /// All rows that can be selected, in the order of the picture.
  var items: [Item] {
    (facts.alarms ?? []).map { Item(kind: .alarm, trigger: $0.name) }
      + otherSounds.map { Item(kind: .sound, trigger: $0.trigger, number: $0.id, sound: $0.sound) }
      + facts.verdicts.reversed().map { Item(kind: .verdict, trigger: $0.trigger, number: $0.id) }
  }

  /// What sounds, without alarms, which have rows of their own.
  var otherSounds: [MonitorFacts.Sounding] {
    let alarms = Set(facts.alarms?.map(\.name) ?? [])
    return facts.sounding.filter { !alarms.contains($0.trigger ?? "") }
  }

  private mutating func move(by step: Int) {
    let items = items
    let index = selection.flatMap { items.firstIndex(of: $0) }.map { $0 + step } ?? 0
    if !items.isEmpty { selection = items[min(max(0, index), items.count - 1)] }
  }

  /// The picture is about to be drawn. An alarm is selected by itself only if there was none before: otherwise a key that was
  /// meant for one alarm could reach another.
  mutating func settleSelection(isVisible: Bool) {
    if let item = selection, !items.contains(item) { selection = nil }
    if selection == nil, !hadAlarms, items.first?.kind == .alarm { selection = items.first }
    hadAlarms = facts.alarms?.isEmpty == false
    let name = isVisible && selection?.kind == .alarm ? selection?.trigger : nil
    shownAlarm = name.map { ($0, facts.alarm($0)?.id) }
  }
}
