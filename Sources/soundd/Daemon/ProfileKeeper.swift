import Logging
import SoundTrigger

/// Keeps the profile that is in force as the time of day has it.
///
/// Belongs to the event loop. Without quiet hours it waits for nothing; with them it wakes up when they begin and end, and
/// when the clock or the time zone is changed.
final class ProfileKeeper {
  private let loop: EventLoop
  private let log: Logger
  private let zone: FileSetWatch?
  private var timer: CivilTimer?
  private var hours: QuietHours?
  private(set) var choice: ProfileChoice
  private(set) var situation = ProfileChoice.Situation()
  /// Told of a profile that came into force.
  private let changed: (Profile) -> Void

  /// Nothing is in force but `full` until `setHours` is called.
  ///
  /// With `watchesZone` changes of the system's time zone are noticed at once.
  init(
    _ choice: ProfileChoice, watchesZone: Bool, watcher: FolderWatcher, on loop: EventLoop, log: Logger,
    changed: @escaping (Profile) -> Void
  ) {
    self.loop = loop
    self.log = log
    self.choice = choice
    self.changed = changed
    let early = Relay()
    zone = watchesZone ? FileSetWatch(watcher: watcher) { _ in early.handler() } : nil
    early.handler = { [unowned self] in
      watchZone()
      look()
    }
  }

  /// Takes over other quiet hours.
  func setHours(_ hours: QuietHours?) {
    self.hours = hours
    watchZone()
    look()
  }

  /// Takes over what somebody chose just now.
  func choose(_ profile: Profile) {
    choice = ProfileChoice(profile: profile, chosenAt: Timestamp.now().seconds)
    look()
  }

  private func watchZone() {
    if let problem = zone?.watch(folders: [], files: hours == nil ? [] : [LocalTime.file]) {
      log.warning("\(problem); another time zone is noticed when quiet hours begin or end")
    }
  }

  /// Finds out what holds now and until when.
  private func look() {
    LocalTime.refresh()
    let before = situation
    do throws(SystemError) {
      // A clock that is set time and again gets its next look from the timer all the same.
      for _ in 0..<4 {
        situation = choice.situation(at: Timestamp.now().seconds, hours: hours, offset: LocalTime.offset)
        if try wake(at: situation.nextLook) { break }
      }
    } catch {
      log.error("\(error); quiet hours begin and end only when the profile is set or the configuration reloaded")
    }
    if situation.profile == before.profile { return }
    let reason = situation.profile == choice.profile ? "" : " (quiet hours)"
    log.info("profile \(situation.profile.rawValue)\(reason)")
    changed(situation.profile)
  }

  private func wake(at second: Int64?) throws(SystemError) -> Bool {
    if timer == nil, second == nil { return true }
    if let timer { return try timer.set(second) }
    let timer = try CivilTimer(on: loop) { [unowned self] in look() }
    self.timer = timer
    return try timer.set(second)
  }
}

/// Events may come before there is anybody to handle them.
private final class Relay {
  var handler: () -> Void = {}
}
