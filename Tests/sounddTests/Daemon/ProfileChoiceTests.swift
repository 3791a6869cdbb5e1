import SoundTrigger
import Testing

@testable import soundd

/// Which profile is in force. Times are hours of 1 January 1970 and the days after it.
struct ProfileChoiceTests {
  private let hours = try? QuietHours("22:00-07:00")

  private func inForce(
    _ profile: Profile, chosenAt: Double? = nil, at hour: Double, offset: Int = 0, hours: QuietHours?
  ) -> ProfileChoice.Situation {
    ProfileChoice(profile: profile, chosenAt: chosenAt.map { Int64($0 * 3600) })
      .situation(at: Int64(hour * 3600), hours: hours) { _ in offset }
  }

  @Test(arguments: Profile.allCases)
  func `without quiet hours the chosen profile is in force for ever`(profile: Profile) {
    #expect(inForce(profile, chosenAt: 23, at: 23.5, hours: nil) == .init(profile: profile))
  }

  @Test(arguments: [(Profile.full, Profile.quiet), (.quiet, .quiet), (.silent, .silent)])
  func `in quiet hours the quieter of the chosen one and quiet is in force`(chosen: Profile, inForce: Profile) {
    #expect(
      self.inForce(chosen, at: 23, hours: hours) == .init(profile: inForce, quietUntil: 31 * 3600, nextLook: 31 * 3600))
    #expect(self.inForce(chosen, chosenAt: 21.9, at: 23, hours: hours).profile == inForce)
    #expect(self.inForce(chosen, at: 21, hours: hours) == .init(profile: chosen, nextLook: 22 * 3600))
  }

  @Test(arguments: Profile.allCases)
  func `what is chosen during quiet hours is in force until they end, and not in the next`(chosen: Profile) {
    for hour in [23, 24, 30.9] {
      let situation = inForce(chosen, chosenAt: 23, at: hour, hours: hours)
      #expect(situation == .init(profile: chosen, quietUntil: 31 * 3600, nextLook: 31 * 3600))
    }
    #expect(inForce(chosen, chosenAt: 23, at: 31, hours: hours) == .init(profile: chosen, nextLook: 46 * 3600))
    #expect(inForce(chosen, chosenAt: 23, at: 46, hours: hours).profile == (chosen == .full ? .quiet : chosen))
  }

  @Test func `a clock that is set counts from where it stands`() {
    // Half an hour back, to a time before the choice: these are the same quiet hours.
    #expect(inForce(.full, chosenAt: 23, at: 22.5, hours: hours).profile == .full)
    // To the next evening: these are others.
    #expect(inForce(.full, chosenAt: 23, at: 47, hours: hours).profile == .quiet)
    // To the day.
    #expect(inForce(.full, chosenAt: 23, at: 12, hours: hours) == .init(profile: .full, nextLook: 22 * 3600))
  }

  @Test func `another time zone moves them`() {
    #expect(inForce(.full, at: 23, hours: hours).profile == .quiet)
    #expect(inForce(.full, at: 23, offset: -7200, hours: hours) == .init(profile: .full, nextLook: 24 * 3600))
    #expect(inForce(.full, at: 20, offset: 7200, hours: hours).quietUntil == Int64(29 * 3600))
  }
}
