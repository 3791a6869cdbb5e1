import Logging
import SoundTrigger
import SoundWire

/// What the daemon remembers from one reload to the next.
struct ReloadState {
  /// What reads the configuration.
  let reader: BoundedWorker
  /// The configuration file in use; `nil` if there is none.
  var file: String?
  /// What was read last, whether or not it was taken: a save that changes nothing of it needs no reload.
  var lastRead: ConfigurationText?
  var watch: ConfigurationWatch?
  /// An empty file may be about to be filled.
  var emptiness = Emptiness()
  /// How many good configurations were read. Only the last one is used, whichever of them has loaded its sounds first.
  var readCount = 0
  /// Called when the last good configuration is in use, or with why it is not.
  var waiting: [(Failure?) -> Void] = []
  /// Whether what the file says of [output] or [limits] needs a restart.
  var needsRestart = false
  /// Why the last reload failed, so that the file is not what runs.
  var problem: Failure?
  /// What is wrong with the file, if it could be read.
  var errors: [ConfigurationMessage] = []
  /// The file that was bad at the start, until a good one is used.
  var bad: StartingConfiguration.BadFile?
}

/// The configuration file as it is now.
private struct ConfigurationLook: Sendable {
  /// The first path at which there is a file; `nil`: there is none.
  var path: String?
  /// What the files hold, or why they cannot be read.
  var text: Result<ConfigurationText, Failure>
  /// That of the first empty file; `nil`: there is none.
  var stamp: FileStamp?

  /// Looks at the paths (access), and reads the file that counts.
  init(_ paths: [String], fallback: String?) {
    path = ConfigurationFile.first(of: paths)
    let file = path ?? fallback ?? ""
    text = Result { () throws(Failure) in try ConfigurationFile.text(file) }
    let empty = (try? text.get().emptyFiles) ?? []
    stamp = empty.lazy.compactMap { try? FileReading.status(of: $0) }.first.map(FileStamp.init)
  }
}

/// What happens when the configuration is read again.
extension Daemon {
  /// Reads the configuration again. If anything is wrong with it, nothing changes.
  ///
  /// `done` is called when the sounds are loaded and the configuration is in use, or with what is wrong, which is logged.
  func reload(then done: @escaping (Failure?) -> Void) {
    guard let fallback = reloads.file ?? plan.paths.first else {
      let failure = Failure(.refused, "there is no configuration file to reload")
      reloadFailed(failure)
      return done(failure)
    }
    look(fallback) { [unowned self] look in
      guard !isLeaving else { return }
      attempt(done) { () throws(Failure) in try reload(text(look), then: done) }
    }
  }

  /// Looks whether the file in use was changed, or another one counts now, and reloads it if so.
  func configurationMayHaveChanged() {
    look(nil) { [unowned self] look in
      // Nothing counts from here on, or a mount does not answer: its thread reports when it does.
      guard !isLeaving, let look else { return }
      // Who removes the last part, by 'soundd remove' for example, means it.
      let hadOnlyParts = reloads.lastRead.map { $0.bytes.isEmpty && !$0.parts.isEmpty } ?? false
      if look.path == nil, !hadOnlyParts { return noteRemoval() }
      var text = ConfigurationText(file: reloads.file ?? "", bytes: [])
      do throws(Failure) { if look.path != nil { text = try self.text(look) } } catch {
        // Once, however often the file is touched.
        if error != reloads.problem { reloadFailed(error) }
        return
      }
      reloads.watch?.follow(text.parts.map { plan.environment.absolute($0.file) })
      if text == reloads.lastRead { return }
      if let stamp = look.stamp, let time = reloads.emptiness.found(stamp, isBeingWritten: false, at: loop.now) {
        reloads.watch?.lookAgain(at: time)
        return
      }
      reloads.emptiness.end()
      attempt({ _ in }) { () throws(Failure) in try reload(text) { _ in } }
    }
  }

  /// Looks for the file and reads it, on a thread of its own. `fallback`: which one to read if there is none at any path. `nil`:
  /// the file system does not answer.
  private func look(_ fallback: String?, then done: @escaping (ConfigurationLook?) -> Void) {
    reloads.reader.perform({ [paths = plan.paths] in ConfigurationLook(paths, fallback: fallback) }, then: done)
  }

  /// The text that was found. If it cannot be read now, the same text is new later.
  private func text(_ look: ConfigurationLook?) throws(Failure) -> ConfigurationText {
    let file = reloads.file ?? plan.paths.first ?? ""
    let silence = Failure(
      .noInput, "cannot read \(file): its file system does not answer; soundd reads it as soon as it does")
    let text = look?.text ?? .failure(silence)
    if case .failure = text { reloads.lastRead = nil }
    return try text.get()
  }

  /// What was loaded continues, so a removal by mistake does no harm.
  private func noteRemoval() {
    guard let file = reloads.file else { return }
    let problem = Failure(
      .noInput, "\(file) was removed: what it said holds until there is a file again, or soundd ends")
    if problem == reloads.problem { return }
    log.warning("\(problem)")
    reloads.problem = problem
    reloads.lastRead = nil
  }

  /// Reports to the service manager, logs and calls `done` if `body` throws.
  private func attempt(_ done: (Failure?) -> Void, _ body: () throws(Failure) -> Void) {
    do throws(Failure) { try body() } catch {
      reloadFailed(error)
      done(error)
    }
  }

  /// `done` is not called if this throws.
  private func reload(_ text: ConfigurationText, then done: @escaping (Failure?) -> Void) throws(Failure) {
    service.reloading()
    reloads.lastRead = text
    reloads.errors = []
    let draft = ConfigurationDraft(text, environment: plan.environment)
    if !draft.errors.isEmpty { noteErrors(of: draft, text) }
    var next = try draft.checked
    reloads.readCount += 1
    reloads.waiting.append(done)
    let number = reloads.readCount
    let begin = loop.now
    if let device = plan.device { next.output.device = device }
    let needsRestart = next.output != configuration.output || next.limits != configuration.limits
    next.output = configuration.output
    next.limits = configuration.limits
    let before = reloads.file
    sounds.move(to: text.file, plan.environment.soundLocator(configurationFile: text.file, next))
    sounds.load(next.soundNames) { [unowned self] in
      // Unless a later one was read meanwhile.
      guard !isLeaving, number == reloads.readCount else { return }
      let waiting = reloads.waiting
      reloads.waiting = []
      do throws(Failure) {
        pipeline.store.carryUpdates(since: begin)
        try use(next, of: text.file) { [unowned self] in
          reloaded()
          for done in waiting { done(nil) }
        }
      } catch {
        sounds.move(to: before, plan.environment.soundLocator(configurationFile: before, configuration))
        sounds.removeUnused()
        reloadFailed(error)
        for done in waiting { done(error) }
        return
      }
      // Unless a later save has failed meanwhile.
      if reloads.lastRead == text { reloads.problem = nil }
      reloads.bad = nil
      memory.keep(good: text)
      reloads.needsRestart = needsRestart
    }
  }

  /// Notes what is wrong with a configuration that was read, and as soon as they were looked at, which of its sounds cannot be played.
  func noteErrors(of draft: ConfigurationDraft, _ text: ConfigurationText) {
    reloads.errors = draft.errors
    let locator = plan.environment.soundLocator(configurationFile: text.file, draft.configuration)
    sounds.check(Set(draft.sounds.map(\.name)), locator) { [unowned self] in
      if reloads.lastRead == text { reloads.errors += draft.soundErrors($0, file: text.file) }
    }
  }

  /// Reports that the configuration is in use, after the first looks at its new paths.
  private func reloaded() {
    guard !isLeaving else { return }
    log.notice("reloaded: \(summary)")
    findWarnings { [log] in for warning in $0 { log.warning("\(warning)") } }
    service.ready(status: summary)
  }

  private func reloadFailed(_ failure: Failure) {
    reloads.problem = failure
    log.error("\(failure)\nthe configuration was not changed")
    service.ready(status: summary)
  }

  /// Uses another configuration, whose sounds are loaded. `done` is called when its new paths were looked at.
  private func use(_ next: Configuration, of file: String, then done: @escaping () -> Void) throws(Failure) {
    let changed = pipeline.triggers(notAmong: next.triggers.map(\.definition))
    do throws(ValueStoreError) {
      try pipeline.replace(next, at: loop.now) {
        configuration = next
        pipeline.conductor.player.keepRecords(of: Set(next.triggers.map(\.definition.name)))
        sounds.use(next)
      }
    } catch {
      throw Failure(.configuration, "\(file): \(error)")
    }
    for trigger in changed where trigger.waits {
      log.notice("trigger '\(trigger.name)' has changed: what it waited for is called off")
    }
    reloads.file = file
    memory.use(next)
    feeds.follow(next, then: done)
  }

  // MARK: Warnings

  /// How many warnings of one kind there may be; a generated configuration may have thousands.
  private static let longestList = 20
  /// At how many paths the daemon looks for warnings.
  private static let mostPaths = 200
  /// Finds out why the file is not what runs; what is valid and can never sound, as it is now; which mounts do not answer; and
  /// names that are probably misspelt. Calls `found` at the latest after `patience`.
  func findWarnings(patience: Duration = .milliseconds(100), then found: @escaping ([Warning]) -> Void) {
    if plan.paths.isEmpty { return found(feeds.files.unavailable.map { Warning(.unavailable, $0) }) }
    // What was read needs no second look: this may be asked for often.
    feeds.files.findProblems(by: reloads.reader, limit: Self.mostPaths, patience: patience) { [unowned self] in
      found(warnings($0, unseen: $1))
    }
  }

  static func unpitched(_ sound: String) -> String {
    "the sound '\(sound)' keeps its pitch, because limits.memory has no room for a copy of it: raise it, or use shorter sounds"
  }

  private func warnings(_ paths: [ValueName: PathProblem], unseen: Int) -> [Warning] {
    let beginning = reloads.bad == nil ? "not reloaded" : "not used"
    var list: [Warning] = []
    if let problem = reloads.problem {
      list =
        reloads.errors.isEmpty || problem.code != .configuration
        ? Self.abridged(problem.description.split(separator: "\n").map { Warning(.notReloaded, "\(beginning): \($0)") })
        : reloads.errors.map { error in
          var warning = Warning(.notReloaded, error)
          let lines = "\(error)".split(separator: "\n").map { $0.drop { $0 == " " } }
          warning.description = "\(beginning): \(lines.joined(separator: "; "))"
          return warning
        }
    }
    if let bad = reloads.bad {
      let code = bad.copyKeptAt == nil ? WarningCode.noConfiguration : .lastGood
      list.insert(Warning(code, bad.description(at: .now())), at: 0)
    }
    if let problem = reloads.watch?.problem { list.append(Warning(.notWatched, problem)) }
    list += memory.warnings
    guard let file = reloads.file else {
      if reloads.bad != nil { return list }
      let text = "\(ConfigurationFile.missing(plan.paths)), and this daemon takes it at once"
      return list + [Warning(.noConfiguration, text)]
    }
    if reloads.needsRestart {
      list.append(
        Warning(.restart, "\(file): [output] and [limits] need a restart: systemctl --user restart soundd"))
    }
    list += feeds.files.unavailable.map { Warning(.unavailable, $0) }
    list += Self.abridged(feeds.commands.warnings(file: file)) + fullPatterns
    list += Self.abridged(configuration.warnings(file: file, paths))
    if unseen > 0 {
      list.append(
        Warning(.unchecked, "the paths of \(unseen) more values were not looked at; 'soundd check' looks at all"))
    }
    list += pipeline.conductor.player.unpitched.sorted().map { Warning(.pitch, Self.unpitched($0)) }
    return list + configuration.warnings(sounds.loaded, file: file) + remembered.misspeltNames.warnings(declaredNames)
  }

  private static func abridged(_ list: [Warning]) -> [Warning] {
    list.count <= longestList
      ? list
      : list.prefix(longestList) + [Warning(.more, "\(list.count - longestList) more; 'soundd check' lists all")]
  }
}
