import Testing

@testable import soundd

/// What `soundd init` makes of its example.
struct FirstConfigurationTests {
  private static let example = """
    # Head.

    #: hello
    # Always.
    [value.hello]

    #: power, if /sys/A*/online or /sys/B*/online
    # The charger.
    [value.plugged]
    file = "/sys/A*/online"    # not "this"

    [[trigger]]

    """

  @Test func `a part whose source is there is on, with the path that was found`() {
    let first = FirstConfiguration(example: Self.example) { $0 == "/sys/B*/online" ? "/sys/B7/online" : nil }
    #expect(
      first.text == """
        # Head.

        # --- hello
        # Always.
        [value.hello]

        # --- power
        # The charger.
        [value.plugged]
        file = "/sys/B7/online"    # not "this"

        [[trigger]]

        """)
    #expect(first.parts.map(\.name) == ["hello", "power"])
    #expect(first.parts.map(\.isOn) == [true, true])
  }

  @Test func `a part whose source is missing is commented out, says why, and keeps its own comments`() {
    let first = FirstConfiguration(example: Self.example) { _ in nil }
    #expect(
      first.text == """
        # Head.

        # --- hello
        # Always.
        [value.hello]

        # --- power: off, because there is no /sys/A*/online that this user may read
        # The charger.
        #[value.plugged]
        #file = "/sys/A*/online"    # not "this"

        #[[trigger]]

        """)
    #expect(first.parts.map(\.isOn) == [true, false])
  }
}
