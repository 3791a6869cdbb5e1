import Testing

@testable import SoundTrigger

struct ContentDigestTests {
  private func hexadecimal(_ digest: SIMD8<UInt32>) -> String {
    Hexadecimal.text(digest)
  }

  private func appearance(_ store: ValueStore, _ id: ValueID, _ text: String) -> Change? {
    if case .changed(let change) = store.update(id, text) { change } else { nil }
  }

  /// By Python's hashlib, of "KIND\0" and the content, numbers packed with ">d" and ">Q".
  @Test(
    arguments: [
      (.text, "passed", "14ae2e1868dd702f14e97fb97f8a156e58b848e202fe08e3763cdc147a464ed9"),
      (.event, "passed", "d0f60ca4cb255d8583afb3f0241e25951cf32a54f0af88151c740305b8ba6be8"),
      (.number, "42.50", "34821c0783e4e4ba23c5c2146fb1dc60a23a1a3a64c3e998407d1900d3e712a7"),
      (.bool, "yes", "ba8461be11aec28548dba9e758de0eafe1efa531fb5cac4b541ad78d4183791c"),
      (.json, #"{ "a": 1.0 }"#, "ba03a8468995a733997e7785bb2ddf95d25abaca919a038156d7768857aa92db"),
      (
        .text, String(repeating: "x", count: 65_537), "9240df2cf7bd34e2148b1e9f21520efa36e2dc52e82ac6c5eff9e07feed2a581"
      ),
    ] as [(ValueKind, String, String)])
  func `a digest is the SHA-256 of the kind and the content as it is compared`(
    kind: ValueKind, content: String, digest: String
  ) throws {
    let (store, id) = try storeWithValue(kind: kind)
    #expect(store.contentDigests().isEmpty)
    _ = store.update(id, content)
    #expect(store.contentDigests().map { $0.name.description } == ["v"])
    #expect(store.contentDigests().map { hexadecimal($0.digest) } == [digest])
  }

  @Test(
    arguments: [
      (.number, "1", "1.0", false), (.number, "1", "2", true), (.text, "a", " a\n", false), (.text, "a", "b", true),
      (.json, "[1]", "[ 1 ]", false), (.bool, "on", "true", false),
    ] as [(ValueKind, String, String, Bool)])
  func `an appearance tells whether the content is another one than in the last run`(
    kind: ValueKind, last: String, new: String, differs: Bool
  ) throws {
    let (before, old) = try storeWithValue(kind: kind)
    _ = before.update(old, last)
    let (store, id) = try storeWithValue(kind: kind)
    for (name, digest) in before.contentDigests() { store.restore(SavedContent(digest: digest), of: name) }
    let change = try #require(appearance(store, id, new))
    #expect(change.isAppearance)
    #expect(change.differsFromLastRun == differs)
    guard case .changed(let next) = store.update(id, kind == .bool ? "no" : "7") else { return }
    #expect(!next.differsFromLastRun)
  }

  @Test func `without a last run nothing differs from it`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    #expect(appearance(store, id, "a")?.differsFromLastRun == false)
  }

  @Test func `a name may be restored before it is known, and is told again until it appears`() throws {
    let store = ValueStore()
    let digest = Value.text("a").digest(as: .text)
    store.restore(SavedContent(digest: digest), of: try name("new"))
    // Nobody has use for it yet.
    #expect(store.contentDigests().isEmpty)
    let id = try store.client("new")
    #expect(store.contentDigests().map(\.digest) == [digest])
    #expect(appearance(store, id, "b")?.differsFromLastRun == true)
    #expect(store.contentDigests().map(\.digest) == [Value.text("b").digest(as: .text)])
  }

  @Test func `what has a content already is not restored, and another type is another content`() throws {
    let (store, id) = try storeWithValue(kind: .text)
    _ = store.update(id, "a")
    store.restore(SavedContent(Value.text("b"), as: .text), of: try name("v"))
    #expect(store.contentDigests().map(\.digest) == [Value.text("a").digest(as: .text)])
    let (other, number) = try storeWithValue(kind: .number)
    other.restore(SavedContent(Value.text("5"), as: .text), of: try name("v"))
    #expect(appearance(other, number, "5")?.differsFromLastRun == true)
  }
}
