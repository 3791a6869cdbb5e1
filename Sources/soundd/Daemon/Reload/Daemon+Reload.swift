import Logging
import SoundTrigger

/// What the daemon remembers from one reload to the next.
struct ReloadState {
  /// The configuration file in use; `nil` if there is none.
  var file: String?
  /// What was read last, whether or not it was taken: a save that changes nothing of it needs no reload.
  var lastRead: ConfigurationText?
  var watch: ConfigurationWatch?
  /// An empty file may be about to be filled.
  var emptiness = Emptiness()
  /// Whether what the file says of [output] or [limits] needs a restart.
  var needsRestart = false
  /// Why the last reload failed, so that the file is not what runs.
  var problem: Failure?
}

/// What happens when the configuration is read again.
extension Daemon {
  /// Reads the configuration again. If anything is wrong with it, nothing changes.
  ///
  /// Logs what is wrong. Throws what is found at once; otherwise `done` is called when the sounds are loaded and the
  /// configuration is in use, or with what was wrong after all.
  func reload(then done: @escaping (Failure?) -> Void) throws(Failure) {
    try attempt { () throws(Failure) in
      guard let place = ConfigurationFile.first(of: plan.places) ?? reloads.file ?? plan.places.first else {
        throw Failure(.refused, "there is no configuration file to reload")
      }
      try reload(read(place), then: done)
    }
  }

  /// Looks whether the file in use was changed, or another one counts now, and reloads it if so.
  func configurationMayHaveChanged() {
    if isLeaving { return }
    guard let place = ConfigurationFile.first(of: plan.places) else { return noteRemoval() }
    try? attempt { () throws(Failure) in
      let text: ConfigurationText
      do throws(Failure) { text = try read(place) } catch {
        // Once, however often the file is touched.
        if error == reloads.problem { return }
        throw error
      }
      if text == reloads.lastRead { return }
      if text.bytes.isEmpty, let time = reloads.emptiness.found(stamp(of: place), isBeingWritten: false, at: loop.now) {
        reloads.watch?.lookAgain(at: time)
        return
      }
      reloads.emptiness.end()
      try reload(text) { _ in }
    }
  }

  /// The text of a file. If it cannot be read now, the same text is new later.
  private func read(_ place: String) throws(Failure) -> ConfigurationText {
    do throws(Failure) { return try ConfigurationFile.text(place) } catch {
      reloads.lastRead = nil
      throw error
    }
  }

  private func stamp(of path: String) -> FileStamp? { (try? FileReading.status(of: path)).map(FileStamp.init) }

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

  /// Reports to the service manager and logs if `body` throws.
  private func attempt(_ body: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) { try body() } catch {
      reloadFailed(error)
      throw error
    }
  }

  private func reload(_ text: ConfigurationText, then done: @escaping (Failure?) -> Void) throws(Failure) {
    service.reloading()
    reloads.lastRead = text
    var next = try text.configuration(plan.environment)
    if let device = plan.device { next.output.device = device }
    let needsRestart = next.output != configuration.output || next.limits != configuration.limits
    next.output = configuration.output
    next.limits = configuration.limits
    let before = reloads.file
    sounds.move(to: text.file, plan.environment.soundLocator(configurationFile: text.file))
    sounds.load(next.soundNames) { [unowned self] in
      do throws(Failure) {
        try use(next, of: text.file)
      } catch {
        sounds.move(to: before, plan.environment.soundLocator(configurationFile: before))
        sounds.removeUnused()
        reloadFailed(error)
        return done(error)
      }
      // Unless a later save has failed meanwhile.
      if reloads.lastRead == text { reloads.problem = nil }
      reloads.needsRestart = needsRestart
      log.notice("reloaded: \(summary)")
      for warning in warnings { log.warning("\(warning)") }
      service.ready(status: summary)
      done(nil)
    }
  }

  private func reloadFailed(_ failure: Failure) {
    reloads.problem = failure
    log.error("\(failure)\nthe configuration was not changed")
    service.ready(status: summary)
  }

  /// Uses another configuration, whose sounds are loaded.
  private func use(_ next: Configuration, of file: String) throws(Failure) {
    let changed = pipeline.triggers(notAmong: next.triggers.map(\.definition))
    do throws(ValueStoreError) {
      try pipeline.replace(next, at: loop.now) {
        configuration = next
        pipeline.triggers.player.keepRecords(of: Set(next.triggers.map(\.definition.name)))
        sounds.use(next)
      }
    } catch {
      throw Failure(.configuration, "\(file): \(error)")
    }
    for trigger in changed where trigger.isBusy {
      log.notice("trigger '\(trigger.name)' has changed: what it waited for is called off")
    }
    reloads.file = file
    memory.use(next)
    feeds.follow(next.values)
  }

  // MARK: Warnings

  /// How many warnings of one kind there may be; a generated configuration may have thousands.
  private static let longestList = 20
  /// At how many paths the daemon looks for warnings.
  private static let mostPaths = 200
  /// Why the file is not what runs; what is valid and can never sound, as it is now; and names that are probably
  /// misspelt.
  var warnings: [Warning] {
    if plan.places.isEmpty { return [] }
    let problems = (reloads.problem?.description ?? "").split(separator: "\n")
    var list = Self.abridged(problems.map { Warning(.notReloaded, "not reloaded: \($0)") })
    if let problem = reloads.watch?.problem { list.append(Warning(.notWatched, problem)) }
    guard let file = reloads.file else {
      let text = "\(ConfigurationFile.missing(plan.places)), and this daemon takes it at once"
      return list + [Warning(.noConfiguration, text)]
    }
    if reloads.needsRestart {
      list.append(
        Warning(.restart, "\(file): [output] and [limits] need a restart: systemctl --user restart soundd"))
    }
    // What was read needs no second look: this may be asked for often, and the event loop waits meanwhile.
    let unread = feeds.unread
    let seen = Set(unread.prefix(Self.mostPaths))
    list += Self.abridged(configuration.warnings(file: file) { seen.contains($0) })
    if unread.count > seen.count {
      let count = unread.count - seen.count
      list.append(
        Warning(.unchecked, "the paths of \(count) more values were not looked at; 'soundd check' looks at all"))
    }
    if let warning = configuration.memoryWarning(sounds.loaded, file: file) { list.append(warning) }
    return list + complaints.misspeltNames.warnings(declaredNames)
  }

  private static func abridged(_ list: [Warning]) -> [Warning] {
    list.count <= longestList
      ? list
      : list.prefix(longestList) + [Warning(.more, "\(list.count - longestList) more; 'soundd check' lists all")]
  }
}
