import Glibc
import Logging
import SoundTrigger

/// The profile that the user chose, and what holds because of it and of quiet hours.
struct ProfileChoice: Equatable, Sendable {
  /// What holds at a moment.
  struct Situation: Equatable, Sendable {
    /// The profile that decides what is heard.
    var profile = Profile.full
    /// When the present quiet hours end, in seconds of UTC since 1970; `nil` outside of them.
    var quietUntil: Int64?
    /// When it may change, unless the clock or the time zone is changed before.
    var nextChange: Int64?
  }

  var profile = Profile.full
  /// When the user chose it, in seconds of UTC since 1970; `nil`: never.
  var chosenAt: Int64?
  /// Until when it holds, in seconds of UTC since 1970; `nil`: until the user chooses another one.
  var until: Int64?
  /// What holds then.
  var before = Profile.full

  /// The second at which a time ends; the first after it, so that it never ends early.
  static func end(of time: Duration, from now: Timestamp) -> Int64 {
    let (seconds, attoseconds) = (time + .nanoseconds(Int64(now.nanoseconds))).components
    return now.seconds + seconds + (attoseconds > 0 ? 1 : 0)
  }

  /// What holds at a moment; `quiet` are the present quiet hours or the next, `nil` if the configuration has none.
  ///
  /// During quiet hours `full` becomes `quiet`, unless the user chose it during these very hours. The result depends on
  /// nothing before: however the clock jumps, only where it stands counts.
  func situation(at now: Int64, quiet: Range<Int64>?) -> Situation {
    if let until, now >= until { return ProfileChoice(profile: before).situation(at: now, quiet: quiet) }
    guard let quiet, quiet.contains(now) else {
      let next = [quiet?.lowerBound, until].compactMap(\.self).min()
      return Situation(profile: profile, nextChange: next)
    }
    let isChosenMeanwhile = chosenAt.map(quiet.contains) ?? false
    let next = min(quiet.upperBound, until ?? .max)
    return Situation(
      profile: profile == .full && !isChosenMeanwhile ? .quiet : profile, quietUntil: quiet.upperBound,
      nextChange: next)
  }
}

/// What a choice and quiet hours mean at a moment, in seconds of UTC since 1970.
struct ProfileTimes: Equatable, Sendable {
  var choice: ProfileChoice
  var hours: QuietHours?
  var now: Int64
  /// What was applied last.
  var situation: ProfileChoice.Situation

  /// What the user has chosen, or what holds again after a choice for a time.
  var chosen: Profile { hasEnded ? choice.before : choice.profile }

  /// When the choice ends by itself, and what holds then; `nil`: it holds until the next one.
  var ending: (at: Int64, then: Profile)? {
    guard let until = choice.until, !hasEnded else { return nil }
    let next = choice.situation(at: until, quiet: hours.map { $0.period(endingAfter: until) })
    return (until, next.profile)
  }

  /// When the present profile ends by itself; `nil`: at no certain time.
  var end: Int64? { situation.profile == chosen ? ending?.at : situation.quietUntil }

  private var hasEnded: Bool { choice.until.map { $0 <= now } ?? false }
}

extension ProfileTimes {
  init(_ choice: ProfileChoice, _ hours: QuietHours?, at now: Int64) {
    let situation = choice.situation(at: now, quiet: hours.map { $0.period(endingAfter: now) })
    self.init(choice: choice, hours: hours, now: now, situation: situation)
  }
}

/// Keeps the profile that holds now, by the time of day.
///
/// Belongs to the event loop. Without quiet hours it never wakes up; with them it wakes up when they begin and end, and
/// when the clock or the time zone is changed.
final class ProfileKeeper {
  /// The file that holds the machine's time zone, unless `TZ` does.
  private static let zoneFile = "/etc/localtime"

  private let loop: EventLoop
  private let log: Logger
  private let watchesZone: Bool
  private let files: FileThreads
  /// The number of the zone's file among the paths of `files`.
  private var zone: Int?
  private var timer: CivilTimer?
  private var hours: QuietHours?
  private(set) var choice: ProfileChoice
  private(set) var situation = ProfileChoice.Situation()
  /// Called with each profile that replaces another one.
  private let changed: (Profile) -> Void

  /// `full` holds until `setHours` is called.
  ///
  /// With `watchesZone` it also reacts when the system's time zone changes.
  init(
    _ choice: ProfileChoice, watchesZone: Bool, files: FileThreads, on loop: EventLoop, log: Logger,
    changed: @escaping (Profile) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.log = log
    self.choice = choice
    self.changed = changed
    self.watchesZone = watchesZone
    self.files = files
    timer = try CivilTimer(on: loop) { [unowned self] in update() }
  }

  /// What holds now, until when, and what holds then.
  var times: ProfileTimes {
    ProfileTimes(choice: choice, hours: hours, now: Timestamp.now().seconds, situation: situation)
  }

  /// Replaces the quiet hours.
  func setHours(_ hours: QuietHours?) {
    self.hours = hours
    watchZone()
    update()
  }

  /// Applies a profile that the user chose just now, for a time or until the next choice (`nil`).
  func choose(_ profile: Profile, for time: Duration? = nil) {
    let now = Timestamp.now()
    // After a choice for a time, what held before it.
    let before = choice.until == nil ? choice.profile : choice.before
    choice = ProfileChoice(
      profile: profile, chosenAt: now.seconds, until: time.map { ProfileChoice.end(of: $0, from: now) }, before: before)
    update()
  }

  private func watchZone() {
    if let zone { files.close(zone) }
    zone = nil
    if !watchesZone || hours == nil { return }
    zone = files.open(Self.zoneFile, FileSource.self) { [unowned self] report in
      switch report {
      case .content, .nothing: update()
      case .begun(let reason?): log.warning("\(reason); polling \(Self.zoneFile) every second")
      default: break
      }
    }
  }

  /// Finds out what holds now and until when.
  private func update() {
    tzset()
    let before = situation
    do throws(SystemError) {
      // If the clock is set again and again, the timer comes back all the same.
      for _ in 0..<4 {
        let now = Timestamp.now().seconds
        situation = ProfileTimes(choice, hours, at: now).situation
        if try timer?.set(situation.nextChange) ?? true { break }
      }
    } catch {
      log.error("\(error); quiet hours begin and end only when you choose a profile or reload the configuration")
    }
    if situation.profile == before.profile { return }
    let reason = situation.profile == times.chosen ? "" : " (quiet hours)"
    log.info("profile \(situation.profile.rawValue)\(reason)")
    changed(situation.profile)
  }
}
