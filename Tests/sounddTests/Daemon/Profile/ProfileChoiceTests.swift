import SoundTrigger
import Testing

@testable import soundd

/// Which profile holds. Times are hours since 1970; quiet hours are from 22 to 31, and again from 46 on.
struct ProfileChoiceTests {
  private let evening = QuietHours.Place.within(.init(start: 22 * 3600, end: 31 * 3600))

  private func situation(
    _ profile: Profile, chosenAt: Double? = nil, in place: QuietHours.Place?
  ) -> ProfileChoice.Situation {
    ProfileChoice(profile: profile, chosenAt: chosenAt.map { Int64($0 * 3600) }).situation(in: place)
  }

  @Test(arguments: Profile.allCases)
  func `without quiet hours the chosen profile holds for ever`(profile: Profile) {
    #expect(situation(profile, chosenAt: 23, in: nil) == .init(profile: profile))
  }

  @Test(arguments: [(Profile.full, Profile.quiet), (.quiet, .quiet), (.silent, .silent)])
  func `in quiet hours the quieter of the chosen one and quiet holds`(chosen: Profile, held: Profile) {
    #expect(situation(chosen, in: evening) == .init(profile: held, quietUntil: 31 * 3600, nextChange: 31 * 3600))
    #expect(situation(chosen, chosenAt: 21.9, in: evening).profile == held)
    #expect(situation(chosen, in: .outside(next: 22 * 3600)) == .init(profile: chosen, nextChange: 22 * 3600))
  }

  @Test(arguments: Profile.allCases)
  func `a profile that is chosen during quiet hours holds until they end, and not in the next`(chosen: Profile) {
    for hour in [22, 23, 30.9] {
      #expect(
        situation(chosen, chosenAt: hour, in: evening)
          == .init(profile: chosen, quietUntil: 31 * 3600, nextChange: 31 * 3600))
    }
    #expect(situation(chosen, chosenAt: 23, in: .outside(next: 46 * 3600)).profile == chosen)
    let next = QuietHours.Place.within(.init(start: 46 * 3600, end: 55 * 3600))
    #expect(situation(chosen, chosenAt: 23, in: next).profile == (chosen == .full ? .quiet : chosen))
    #expect(situation(chosen, chosenAt: 31, in: next).profile == (chosen == .full ? .quiet : chosen))
  }
}
