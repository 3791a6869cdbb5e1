import Glibc
import Logging
import SoundTrigger
import SoundWire

/// What clients of the socket ask for.
extension Daemon: RequestHandler {
  func handle(_ request: Request, line: Span<UInt8>, from client: ClientConnection) -> Reply {
    switch request {
    case .assignment, .object:
      do throws(AssignmentRefusal) {
        _ = try pipeline.apply(request, of: line, at: loop.now)
        return .silent
      } catch {
        return .error("\(error)", error.code)
      }
    case .blank: return .silent
    case .sync: return .ok
    case .get(let name): return get(name)
    case .list: return .long(list)
    case .status: return status(for: client)
    case .play(let sound): return play(sound, for: client)
    case .reload: return reload(for: client)
    case .explain(let trigger): return explain(trigger)
    case .report: return report
    case .stop(let target): return stop(target)
    case .mute(let change, let trigger): return mute(change, trigger)
    case .unmute(let trigger): return unmute(trigger)
    case .volume(let change, let trigger): return setVolume(change, trigger)
    case .profile(let profile, let time):
      memory.profile.choose(profile, for: time)
      memory.keeper?.mayHaveChanged()
      return .ok
    case .alarms(let all): return alarmList(all: all)
    case .testAlarm(let trigger): return test(trigger, for: client)
    case .acknowledge(let trigger, let occurrence): return acknowledge(trigger, occurrence, for: client)
    case .snooze(let trigger, let time): return snooze(trigger, for: time, client)
    case .unsnooze(let trigger): return unsnooze(trigger, for: client)
    case .unset(let names): return unset(names)
    case .events(let names, let withState, let withVerdicts):
      return follow(names, withState: withState, withVerdicts: withVerdicts, client)
    }
  }

  func willReply() { clients.subscriptions.send() }

  func clientDidClose(_ client: ClientConnection) { clients.subscriptions.remove(client) }

  // MARK: The socket

  /// The socket that the service manager passed.
  static func passedSocket(_ plan: DaemonPlan) -> Int32? {
    ListeningSocket.passed(to: getpid(), environment: plan.environment.variable)
  }

  func openSocket(_ path: String) throws -> ControlServer {
    allowManyClients()
    let passed = Self.passedSocket(plan)
    let socket = if let passed { try ListeningSocket(activated: passed) } else { try ListeningSocket(path: path) }
    var limits = ControlServer.Limits()
    let files = ResourceLimit(.openFiles).soft
    limits.descriptors = Int32(clamping: files - min(files / 4, 256))
    return try ControlServer(socket, on: loop, handler: self, limits: limits)
  }

  /// The socket's file may have been removed: makes it again.
  func keepSocket() {
    guard let server = clients.server, let path = server.path, !isLeaving, access(path, F_OK) != 0 else { return }
    do {
      try server.listenAgain()
      log.warning("somebody removed the socket \(path); it was made again")
    } catch {
      log.error("somebody removed the socket \(path), and it cannot be made again: \(error); restart soundd")
    }
  }

  func clientsMustWait(_ reason: Int32) {
    if !remembered.clientsWait.allows(at: loop.now) { return }
    let count = clients.server?.clientCount ?? 0
    let limit = reason == EMFILE ? ", at most \(ResourceLimit(.openFiles).soft) (LimitNOFILE=, ulimit -Hn)" : ""
    log.warning(
      "\(count) clients are connected, others wait until some leave: \(SystemError.text(reason))\(limit)")
  }

  func clientMakesRoom(idleFor time: Duration) {
    if !remembered.clientMadeRoom.allows(at: loop.now) { return }
    let count = clients.server?.clientCount ?? 0
    let closed = clients.server?.counters.evictedClients ?? 0
    log.warning(
      """
      \(count) clients are connected and another one waits: closed the one that was idle for longest (\(time.rounded)); \
      closed so far: \(closed) (for more clients: LimitNOFILE=, ulimit -Hn)
      """)
  }

  func refusedPeer(uid: UInt32) {
    log.warning("refused a client of another user (uid \(uid)): the socket is for uid \(geteuid()) and root")
  }

  /// Raises the soft limit of descriptors. It is low for programs that use select, which soundd does not.
  private func allowManyClients() {
    var limit = ResourceLimit(.openFiles)
    limit.soft = limit.hard
    if limit.set(.openFiles) != 0 { log.notice("at most \(ResourceLimit(.openFiles).soft) files and clients at once") }
  }

  // MARK: Values

  /// All values, each as it is when it is written. Values that are new meanwhile are left out, and those that a configuration
  /// had before a reload if they never had content.
  private var list: LongReply {
    let named = Set(declaredNames)
    var ids = pipeline.store.ids.makeIterator()
    var separator = "["
    var isOver = false
    return LongReply { [weak self] in
      guard let self, !isOver else { return nil }
      var part: [UInt8] = []
      while !isOver, part.count < 16_384 {
        if let id = ids.next() {
          if !isListed(id, named) { continue }
          part += separator.utf8
          part += message(of: id).json
          separator = ","
        } else {
          isOver = true
          part += (separator == "[" ? "[]" : "]").utf8
        }
      }
      return part
    }
  }

  /// Whether a value counts: it has content, it is expected, or the configuration names it. A reload leaves names without content
  /// behind.
  func isListed(_ id: ValueID, _ named: Set<String>) -> Bool {
    pipeline.store.value(of: id) != nil || pipeline.expectations.expects(id)
      || named.contains(pipeline.store.name(of: id).description)
  }

  /// How many values `list` has.
  var valueCount: Int {
    let named = Set(declaredNames)
    return pipeline.store.ids.count { isListed($0, named) }
  }

  /// Logs which of the names that are new since the last call are probably misspelt, of a few at once.
  func checkNames() {
    let new = remembered.misspeltNames.checkedCount..<pipeline.store.indices.upperBound
    if new.isEmpty { return }
    let declared = declaredNames
    var checks = 0
    for index in new where checks < MisspeltNames.mostAtOnce {
      remembered.misspeltNames.checkedCount = index + 1
      let id = ValueID(index: index)
      // The names that are in the store though nothing was set are the configuration's.
      if !pipeline.store.isPresent(id) || pipeline.store.lastUpdate(of: id) == nil { continue }
      checks += 1
      // A feed has names of its own, and so have the members of a pattern.
      if case .feed = pipeline.store.source(of: id) { continue }
      if pipeline.store.isMember(id) { continue }
      let name = pipeline.store.name(of: id).description
      if let warning = remembered.misspeltNames.check(name, among: declared) { log.warning("\(warning)") }
    }
  }

  /// The patterns that have refused members.
  var fullPatterns: [Warning] {
    pipeline.store.refusedMembers.map {
      .fullPattern($0.pattern, refused: $0.count, limit: configuration.limits.members)
    }
  }

  /// Logs each pattern that has refused members, once.
  func refusedMember() {
    for (warning, pattern) in zip(fullPatterns, pipeline.store.refusedMembers.map(\.pattern))
    where remembered.fullPatterns.insert(pattern).inserted { log.warning("\(warning)") }
  }

  /// The names that the configuration has for values.
  var declaredNames: [String] {
    let names = configuration.values.map(\.name) + configuration.used
    return names.map(\.description)
  }

  private func get(_ name: String) -> Reply {
    guard let id = pipeline.store.id(of: Array(name.utf8).span),
      isListed(id, Set(declaredNames))
    else {
      return .error("there is no value '\(name)' (see 'soundd list')", .unknown)
    }
    return .json(message(of: id).json)
  }

  private func unset(_ names: [String]) -> Reply {
    do throws(UnsetProblem) {
      try pipeline.unset(names, at: loop.now)
      return .ok
    } catch {
      switch error {
      case .unknown(let name):
        return .error("there is no value '\(name)' (see 'soundd list'); nothing was forgotten", .unknown)
      case .declared(let name):
        let location = ValueName(name).flatMap { configuration.valueLocations[$0] }
        let file = reloads.file.flatMap { file in location.map { " in \($0.text(in: file))" } } ?? ""
        return .error("'\(name)' is declared\(file), and only values that nothing declares can be forgotten", .owned)
      case .fedByFeed(let name, let feed):
        return .error("'\(name)' belongs to the feed '\(feed)', and nobody else can forget it", .owned)
      }
    }
  }

  // MARK: Activity

  /// `report`: what was counted until now.
  private var report: Reply {
    var message = ActivityMessage()
    if let counts = memory.activity?.counts { (message.until, message.counts) = (.now(), counts.lines) }
    message.standing = [StandingMessage](
      pipeline.alarms(all: false).compactMap { alarm in alarm.since.map { (alarm.name, Timestamp(of: $0)) } })
    return .json(message.json)
  }

  // MARK: Sounds

  /// `play SOUND`: answers when it is known whether a device took the sound.
  private func play(_ sound: String, for client: ClientConnection) -> Reply {
    sounds.fetch(sound, room: pipeline.roomByHand) { [unowned self, weak client] result in
      switch result {
      case .failure(let problem):
        if case .noRoom = problem { pipeline.refusedSounds += 1 }
        client?.reply(.error(problem.line, ReplyCode(problem)))
      case .success(let clip) where !pipeline.hasRoom(for: clip):
        pipeline.refusedSounds += 1
        let problem = pipeline.roomByHand.refusal(of: sound)
        client?.reply(.error(problem.line, ReplyCode(problem)))
      case .success(let clip):
        let id = pipeline.makePlayID()
        clients.handPlays[id] = client
        pipeline.play(sound, clip, as: id, at: loop.now)
      }
    }
    return .later
  }

  /// `stop [--all|TRIGGER]`.
  private func stop(_ target: StopTarget) -> Reply {
    if case .trigger(let trigger) = target, pipeline.conductor.engine.trigger(named: trigger) == nil,
      !pipeline.conductor.player.playing.contains(where: { $0.trigger == trigger })
    {
      return noTrigger(trigger)
    }
    pipeline.stop(target, at: loop.now)
    sounds.speaker.stop(target, pipeline, at: loop.now)
    return .ok
  }

  // MARK: Events and reload

  /// `events [--state] [--why] [NAME …]`. Replaces what the client followed before.
  private func follow(
    _ names: [String], withState: Bool, withVerdicts: Bool, _ client: ClientConnection
  ) -> Reply {
    let filter = Set(names.compactMap { ValueName($0) })
    let longest = EventSubscriptions<ClientConnection>.longestFilter
    if filter.count > longest {
      return .error("'events' takes at most \(longest) names; without any it follows all values", .limit)
    }
    clients.subscriptions.send()
    // The client may have left unread too much of what it followed before.
    if client.isClosed { return .silent }
    client.isSubscribed = true
    if clients.subscriptions.isEmpty { rememberSettings() }
    let unwritten = withState ? UnwrittenState(values: pipeline.store.indices) : nil
    clients.subscriptions.add(client, names: filter, unwritten: unwritten, wantsVerdicts: withVerdicts)
    return unwritten.map { .long(state(of: filter, $0)) } ?? .ok
  }

  private func reload(for client: ClientConnection) -> Reply {
    reload { [weak client] failure in
      // One line: the log has all of them.
      client?.reply(
        failure.map { .error("\($0)".split(separator: "\n").joined(separator: "; "), .configuration) } ?? .ok)
    }
    return .later
  }

  /// `status`: answers as soon as the file threads have looked at the paths without content.
  private func status(for client: ClientConnection) -> Reply {
    var atOnce: Reply?
    var isLater = false
    findWarnings { [unowned self, weak client] warnings in
      let reply = Reply.json(status(warnings: warnings).json)
      if isLater { client?.reply(reply) } else { atOnce = reply }
    }
    isLater = true
    return atOnce ?? .later
  }
}

/// Names that were set although nothing declares them, while a declared name is close: probably misspelt.
struct MisspeltNames {
  /// So many are remembered; then, and after so many names, no more are looked for: they are not typed by hand.
  private static let longest = 8
  private static let mostChecks = 100
  /// How many names are checked in one turn: a check takes time, and other clients wait.
  static let mostAtOnce = 8
  /// With more declared names none is checked.
  private static let mostDeclared = 200

  /// Where the next check begins in the store.
  var checkedCount = 0
  private var checks = 0
  private var found: [(name: String, declared: String)] = []

  /// Checks a name that was set for the first time; returns a warning if it is probably misspelt.
  mutating func check(_ name: String, among declared: [String]) -> Warning? {
    if found.count == Self.longest || checks == Self.mostChecks || declared.count > Self.mostDeclared { return nil }
    if declared.contains(name) { return nil }
    checks += 1
    guard let near = Suggestion.nearest(to: name, among: declared) else { return nil }
    found.append((name, near))
    return Self.warning(name, near)
  }

  /// A warning for each that is still not declared, while the name close to it is.
  func warnings(_ declared: [String]) -> [Warning] {
    found.filter { !declared.contains($0.name) && declared.contains($0.declared) }.map {
      Self.warning($0.name, $0.declared)
    }
  }

  private static func warning(_ name: String, _ near: String) -> Warning {
    Warning(
      .misspelt, "'\(name)' was set, but nothing in the configuration names it\(Suggestion.question(near))", value: name
    )
  }
}

extension ReplyCode {
  /// Why a sound cannot be played.
  init(_ problem: SoundError) {
    self =
      switch problem {
      case .notFound, .missing: .unknown
      case .noRoom: .limit
      case .disabled, .unreadable, .foreign, .corrupt, .tooLong, .noMemory, .unavailable, .unspoken: .broken
      }
  }
}
