import SoundTrigger
import Testing

/// When a value in `unless` is true: its type decides.
@Suite struct GateTests {
  /// Whether a gate with this content silences a trigger.
  private func silences(_ content: Value, _ gate: ValueName = .name("v8")) -> Bool {
    var rig = TriggerRig(.test(unless: [gate]))
    rig.set(content, at: 0, name: gate)
    // A second arrival, because an event has many.
    rig.set(content, at: 1, name: gate)
    rig.set([1, 2], from: 10)
    return rig.times.isEmpty
  }

  @Test func `a bool is true by its word, and a number if it is not 0`() {
    #expect(silences(.bool(true)) && !silences(.bool(false)))
    for number in [1, 2, -1, 0.001, 1e300] { #expect(silences(.number(number)), "\(number)") }
    #expect(!silences(.number(0)))
  }

  @Test func `a text is true if it is one of four words`() {
    for word in ["true", "yes", "on", "1", "True", "YES"] { #expect(silences(.utf8(word)), "\(word)") }
    for word in ["", "false", "no", "off", "0", "2", "1.0", "truely", "on "] {
      #expect(!silences(.utf8(word)), "\(word)")
    }
  }

  @Test func `a document, an event and a content that is not kept are never true`() {
    for document in ["true", "1", "{\"on\":true}"] { #expect(!silences(.json(Array(document.utf8))), "\(document)") }
    #expect(!silences(.utf8("true"), .e0))
    #expect(!silences(.fingerprint(Fingerprint(length: 70_000, digest: .zero))))
  }

  @Test func `a reload looks at the content in the same way`() {
    for (content, gate, isTrue) in [
      (Value.number(2), ValueName.name("v8"), true), (.utf8("true"), .e0, false),
      (.json(Array("1".utf8)), .name("v8"), false),
    ] {
      var rig = TriggerRig(.test())
      rig.set(content, at: 0, name: gate)
      rig.reload([.test(name: "new", unless: [gate])], at: 1)
      rig.set([1, 2], from: 10)
      #expect(rig.times.isEmpty == isTrue, "\(content)")
    }
  }

  @Test func `a value that restricts the profile follows the same rule`() {
    for (content, gate, isTrue) in [
      (Value.number(2), ValueName.name("v8"), true), (.number(0), .name("v8"), false), (.utf8("true"), .e0, false),
    ] {
      var rig = TriggerRig([.test()], profileGates: [gate: .silent])
      rig.set(content, at: 0, name: gate)
      rig.set([1, 2], from: 10)
      #expect(rig.times.isEmpty == isTrue, "\(content)")
    }
  }
}
