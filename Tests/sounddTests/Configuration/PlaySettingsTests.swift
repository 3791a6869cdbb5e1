import SoundTrigger
import SoundWire
import Testing

@testable import soundd

/// How loud, where and how a trigger's sounds are played, as a configuration says it.
struct PlaySettingsTests {
  private static let trigger = "[[trigger]]\nvalue='v'\nsound='x'\n"

  private func settings(_ keys: String) throws -> PlaySettings? {
    try ConfigurationText(file: "c.toml", bytes: Array((Self.trigger + keys).utf8)).configuration(.test).triggers.first?
      .definition.settings
  }

  @Test func `without any key a sound is played as it is, and takes 10 ms to be stopped`() throws {
    let expected = PlaySettings(
      volume: 1, pan: 0, fadeIn: .zero, fadeOut: .milliseconds(10), importance: .normal)
    #expect(try settings("") == expected)
  }

  @Test func `every key is read`() throws {
    let keys = "volume=0.25\npan=-0.5\nfade_in='250 ms'\nfade_out='1 min'\nimportance='critical'"
    let expected = PlaySettings(
      volume: 0.25, pan: -0.5, fadeIn: .milliseconds(250), fadeOut: .seconds(60), importance: .critical)
    #expect(try settings(keys) == expected)
  }

  @Test(arguments: [
    // 10^(-6/20), 10^(-20/20), 10^(-0.5/20)
    ("'-6 dB'", 0.501_187_233_627), ("'-20dB'", 0.1), ("'-0.5 db'", 0.944_060_876_286), ("'0 dB'", 1), ("'+0 dB'", 1),
    ("0", 0), ("1", 1), ("0.5", 0.5), ("'0.5'", 0.5), ("'-9999 dB'", 0),
  ])
  func `a volume is a level or a factor`(text: String, factor: Double) throws {
    let volume = try #require(try settings("volume=\(text)")).volume
    #expect(abs(volume - factor) < 1e-9)
  }

  @Test func `the importances come in this order`() {
    let ranks = PlaySettings.Importance.allCases.map(\.rank)
    #expect(PlaySettings.Importance.allCases.map(\.rawValue) == ["low", "normal", "high", "critical"])
    #expect(ranks == ranks.sorted())
    #expect(Set(ranks).count == 4)
  }

  private static let volumes = #"a level such as "-6 dB" or a factor of 0 to 1"#

  @Test(arguments: [
    ("volume='loud'", "c.toml:4:8: trigger[1].volume: expected \(volumes), found 'loud'"),
    ("volume='-6'", "c.toml:4:8: trigger[1].volume: expected \(volumes), found '-6' (did you mean '-6 dB'?)"),
    ("volume='50%'", "c.toml:4:8: trigger[1].volume: expected \(volumes), found '50%' (did you mean '0.5'?)"),
    ("volume='-inf dB'", "c.toml:4:8: trigger[1].volume: expected \(volumes), found '-inf dB'"),
    ("volume='+3 dB'", "c.toml:4:8: trigger[1].volume: must be at most 0 dB, that is, a factor of 1"),
    ("volume=-1", "c.toml:4:8: trigger[1].volume: expected \(volumes), found '-1' (did you mean '-1 dB'?)"),
    ("volume=nan", "c.toml:4:8: trigger[1].volume: expected a finite number, found nan"),
    ("pan=-1.5", "c.toml:4:5: trigger[1].pan: must be -1 (left) to 1 (right)"),
    ("fade_in='61 s'", "c.toml:4:9: trigger[1].fade_in: must be at most 60 s"),
    ("fade_out='2 min'", "c.toml:4:10: trigger[1].fade_out: must be at most 60 s"),
  ])
  func `a problem is shown with its location`(keys: String, message: String) {
    #expect(throws: Failure(.configuration, message)) { try settings(keys) }
  }

  @Test(arguments: [
    (1.0, "1 (0 dB)"), (0.5, "0.5 (-6.02 dB)"), (0.1, "0.1 (-20 dB)"), (0, "0 (silent)"), (0.999_999, "1 (0 dB)"),
    (0.501_187_233_627, "0.5012 (-6 dB)"),
  ])
  func `a volume is shown both ways, the first of which can be read again`(factor: Double, text: String) throws {
    #expect(VolumeText.text(factor) == text)
    let first = try #require(text.split(separator: " ").first)
    let again = try #require(VolumeText.factor(String(first)))
    #expect(abs(again - factor) < 1e-4)
  }
}
