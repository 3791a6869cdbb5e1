import Testing

@testable import SoundTrigger

struct ValueStoreNamesTests {
  @Test func `a name is found by its bytes and by nothing else`() throws {
    let store = ValueStore()
    let build = try store.declare(name("build"), kind: .text, source: .client)
    let long = try store.declare(name("a-name-longer-than-fifteen-bytes"), kind: .text, source: .client)
    #expect(store.find("build") == build)
    #expect(store.id(of: try name("build")) == build)
    #expect(store.find("a-name-longer-than-fifteen-bytes") == long)
    for other in ["", "Build", "buil", "builds", "build ", "a-name-longer-than-fifteen-byteS", "\u{ff}"] {
      #expect(store.find(other) == nil, "\(other)")
    }
    #expect(store.count == 2)
  }

  @Test(arguments: [("130000005", "1300000005"), ("zbaaaaaax", "zbaaaaaaax")])
  func `names of different lengths with the same ends are two names`(first: String, second: String) throws {
    let store = ValueStore()
    let (one, two) = (try store.client(first), try store.client(second))
    #expect(one != two)
    store.remove(one)
    #expect(store.find(first) == nil)
    #expect(store.find(second) == two)
  }

  @Test func `thousands of names keep their places in the order of arrival`() throws {
    let store = ValueStore()
    for number in 0..<5000 {
      #expect(try store.client("n\(number)").index == 2 * number)
      #expect(try store.client("a-considerably-longer-name/\(number)").index == 2 * number + 1)
    }
    for number in 0..<5000 {
      #expect(store.find("n\(number)")?.index == 2 * number)
      #expect(store.find("a-considerably-longer-name/\(number)")?.index == 2 * number + 1)
    }
    #expect(store.find("n5000") == nil)
    #expect(Array(store.ids.map(\.index)) == Array(0..<10_000))
    #expect(store.name(of: ValueID(index: 9998)).description == "n4999")
  }

  @Test func `a name that nobody declared becomes a text that clients feed`() throws {
    let store = ValueStore()
    let id = try store.client("new")
    #expect(try store.client("new") == id)
    #expect(
      store.snapshot(of: id)
        == ValueSnapshot(name: try name("new"), kind: .text, source: .client, isDeclared: false))
    #expect(store.update(id, " x ") != .unchanged)
    #expect(store.value(of: id) == .text("x"))
  }

  @Test(arguments: [
    ("", "''"), ("a b", "'a b'"), (".a", "'.a'"), ("é", "'é'"), ("a\n", "'a\\n'"), ("a%", "'a%'"), ("a%2", "'a%2'"),
    ("a%2f", "'a%2f'"), ("a%zz", "'a%zz'"), ("%20", "'%20'"), ("a%%20", "'a%%20'"),
    (String(repeating: "n", count: 256), "'" + String(repeating: "n", count: 60) + "…'"),
  ]) func `what is no name is refused with the rule`(text: String, shown: String) {
    let store = ValueStore()
    let error = #expect(throws: ValueStoreError.self) { try store.client(text) }
    #expect(
      error?.description
        == "\(shown) is not a name: a name is 1 to 128 of the characters A-Z a-z 0-9 _ . / : - and escapes such as %20, "
        + "and begins with a letter, a digit or _")
    #expect(store.count == 0)
  }

  @Test(arguments: ["a%20b", "a%C3%BC%2F", "0%00"])
  func `an escape is a part of a name`(text: String) throws {
    let store = ValueStore()
    #expect(store.name(of: try store.client(text)).description == text)
  }

  @Test func `a name has at most 128 bytes, and beneath the prefix of a feed 255`() throws {
    let store = ValueStore()
    store.setFeeds([(prefix: "mqtt/", name: "broker")])
    let long = String(repeating: "n", count: 129)
    let error = #expect(throws: ValueStoreError.self) { try store.client(long) }
    #expect(error?.description == "the name '\(String(repeating: "n", count: 60))…' is longer than 128 bytes")
    _ = try store.client(String(long.dropLast()))
    let fed = "mqtt/" + String(repeating: "n", count: 250)
    #expect(throws: ValueStoreError.fedByFeed(name: fed, feed: "broker")) { try store.client(fed) }
    #expect(ValueName(fed + "n") == nil)
  }

  @Test func `a name of bytes that are no UTF-8 is refused`() {
    let store = ValueStore()
    #expect(throws: ValueStoreError.invalidName("'a\\xff'")) { try store.idDeclaringIfNeeded([0x61, 0xff]) }
  }

  @Test func `the limit holds for new names and not for known ones`() throws {
    let store = ValueStore(limit: 2)
    let first = try store.client("a")
    _ = try store.declare(name("b"), kind: .number, source: .client)
    let error = #expect(throws: ValueStoreError.self) { try store.client("c") }
    #expect(error?.description == "'c' would be one value too many: there are 2 already (limits.values)")
    #expect(throws: ValueStoreError.tooManyValues(name: "d", limit: 2)) {
      try store.declare(name("d"), kind: .text, source: .client)
    }
    #expect(try store.client("a") == first)
    #expect(throws: Never.self) { try store.declare(name("a"), kind: .bool, source: .client) }
    #expect(store.find("c") == nil)
    #expect(store.count == 2)
  }

  @Test func `a client may not set what a file feeds`() throws {
    let (store, id) = try storeWithValue(kind: .text, source: .file(path: "/x/y"))
    let error = #expect(throws: ValueStoreError.self) { try store.client("v") }
    #expect(error?.description == "'v' is fed by the file '/x/y'; write to that file instead")
    #expect(store.find("v") == id)
    #expect(ValueSource.file(path: "/x/y").description == "the file '/x/y'")
    #expect(ValueSource.client.description == "clients")
  }

  @Test(arguments: [
    (FileAspect.lines, "'v' is fed by the lines of '/x/y'; append to that file instead", "the lines of '/x/y'"),
    (.count, "'v' is the count of what lies in '/x/y', and cannot be set", "the number of entries of '/x/y'"),
    (.exists, "'v' tells whether '/x/y' exists, and cannot be set", "whether '/x/y' exists"),
    (.fifo, "'v' is fed by the fifo '/x/y'; write to that named pipe instead", "the named pipe '/x/y'"),
  ])
  func `a client may not set what a folder, a path or a pipe feeds`(
    aspect: FileAspect, refusal: String, source: String
  ) throws {
    let (store, _) = try storeWithValue(kind: .text, source: .file(path: "/x/y", aspect: aspect))
    let error = #expect(throws: ValueStoreError.self) { try store.client("v") }
    #expect(error?.description == refusal)
    #expect(ValueSource.file(path: "/x/y", aspect: aspect).description == source)
  }
}

extension ValueStore {
  fileprivate func idDeclaringIfNeeded(_ bytes: [UInt8]) throws(ValueStoreError) -> ValueID {
    try idDeclaringIfNeeded(bytes.span)
  }
}
