import SoundTrigger
import Testing

@testable import soundd

/// Which profile holds. Times are hours since 1970; quiet hours are from 22 to 31, and again from 46 on.
struct ProfileChoiceTests {
  private let evening: Range<Int64> = 22 * 3600..<31 * 3600
  private let next: Range<Int64> = 46 * 3600..<55 * 3600

  @Test func `a profile for a time gives way to the one before`() {
    let choice = ProfileChoice(profile: .silent, chosenAt: 100, until: 200, before: .quiet)
    #expect(choice.situation(at: 199, quiet: nil) == .init(profile: .silent, nextChange: 200))
    #expect(choice.situation(at: 200, quiet: nil) == .init(profile: .quiet))
    #expect(choice.situation(at: 150, quiet: 120..<180) == .init(profile: .silent, quietUntil: 180, nextChange: 180))
    #expect(choice.situation(at: 150, quiet: 140..<500).nextChange == 200)
  }

  @Test func `a choice for a time never ends early`() {
    let now = Timestamp(seconds: 100, nanoseconds: 400_000_000)
    for (time, end) in [(1000, 102), (600, 101), (601, 102), (1, 101), (3_600_000, 3701)] as [(Int64, Int64)] {
      #expect(ProfileChoice.end(of: .milliseconds(time), from: now) == end)
    }
    #expect(ProfileChoice.end(of: .seconds(1), from: Timestamp(seconds: 100)) == 101)
  }

  private func situation(
    _ profile: Profile, chosenAt: Double? = nil, at now: Int64 = 25, in quiet: Range<Int64>?
  ) -> ProfileChoice.Situation {
    ProfileChoice(profile: profile, chosenAt: chosenAt.map { Int64($0 * 3600) }).situation(at: now * 3600, quiet: quiet)
  }

  @Test(arguments: Profile.allCases)
  func `without quiet hours the chosen profile holds for ever`(profile: Profile) {
    #expect(situation(profile, chosenAt: 23, in: nil) == .init(profile: profile))
  }

  @Test(arguments: [(Profile.full, Profile.quiet), (.quiet, .quiet), (.silent, .silent)])
  func `in quiet hours the quieter of the chosen one and quiet holds`(chosen: Profile, held: Profile) {
    #expect(situation(chosen, in: evening) == .init(profile: held, quietUntil: 31 * 3600, nextChange: 31 * 3600))
    #expect(situation(chosen, chosenAt: 21.9, in: evening).profile == held)
    #expect(situation(chosen, at: 21, in: evening) == .init(profile: chosen, nextChange: 22 * 3600))
  }

  @Test(arguments: Profile.allCases)
  func `a profile that is chosen during quiet hours holds until they end, and not in the next`(chosen: Profile) {
    for hour in [22, 23, 30.9] {
      #expect(
        situation(chosen, chosenAt: hour, in: evening)
          == .init(profile: chosen, quietUntil: 31 * 3600, nextChange: 31 * 3600))
    }
    #expect(situation(chosen, chosenAt: 23, at: 31, in: next).profile == chosen)
    #expect(situation(chosen, chosenAt: 23, at: 46, in: next).profile == (chosen == .full ? .quiet : chosen))
    #expect(situation(chosen, chosenAt: 31, at: 46, in: next).profile == (chosen == .full ? .quiet : chosen))
  }
}
