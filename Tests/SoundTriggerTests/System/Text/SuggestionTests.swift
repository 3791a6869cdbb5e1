import Testing
import TestSupport

@testable import SoundTrigger

struct SuggestionTests {
  private let words = ["sound", "sounds", "when", "from", "to", "debounce", "throttle"]

  @Test(arguments: [
    ("sond", "sound"), ("soudn", "sound"), ("Sound", "sound"), ("soundz", "sound"), ("whne", "when"), ("form", "from"),
    ("too", "to"), ("ot", "to"), ("debonuce", "debounce"), ("trhottel", "throttle"), ("deb", nil), ("volume", nil),
    ("", nil), ("x", nil), ("ab", nil),
  ])
  func `only what is near is suggested`(word: String, suggestion: String?) {
    #expect(Suggestion.nearest(to: word, among: words) == suggestion)
  }

  @Test(.timeLimit(.minutes(timeFactor))) func `a word of a million letters gets none`() {
    #expect(Suggestion.nearest(to: String(repeating: "sound", count: 200_000), among: words) == nil)
  }
}
