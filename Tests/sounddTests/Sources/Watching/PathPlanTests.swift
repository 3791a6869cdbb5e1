import Testing

@testable import soundd

@Suite struct PathPlanTests {
  /// Follows a path through a file system given as a table; what it does not name is missing.
  private func plan(_ path: String, _ entries: [String: PathPlan.Entry]) -> PathPlan {
    PathPlan(path) { entries[$0] ?? .missing }
  }

  private func thing(_ folder: String, _ name: String) -> FolderInterest {
    FolderInterest(folder, name, .thing, includesWrites: true)
  }

  private func way(_ folder: String, _ name: String) -> FolderInterest { FolderInterest(folder, name, .way) }

  @Test func `a file is watched in its folder`() {
    let plan = plan("/a/b/f", ["/a": .folder, "/a/b": .folder, "/a/b/f": .file])
    #expect(plan.interests == [thing("/a/b", "f")])
    #expect(plan.target == "/a/b/f" && plan.end == "/a/b/f" && !plan.isFolder)
  }

  @Test func `a missing file is awaited in its folder`() {
    let plan = plan("/a/f", ["/a": .folder])
    #expect(plan.interests == [thing("/a", "f")])
    #expect(plan.target == nil && plan.end == "/a/f")
  }

  @Test func `a missing folder is awaited in the nearest one that exists`() {
    let plan = plan("/a/b/c/f", ["/a": .folder])
    #expect(plan.interests == [way("/a", "b")])
    #expect(plan.end == nil)
  }

  @Test func `a link is watched in its folder and in that of its target`() {
    let plan = plan("/a/f", ["/a": .folder, "/a/f": .link("../b/g"), "/b": .folder, "/b/g": .file])
    #expect(plan.interests == [way("/a", "f"), thing("/b", "g")])
    #expect(plan.target == "/b/g")
  }

  @Test func `a linked folder is watched for a swap of the link`() {
    let plan = plan(
      "/a/current/f", ["/a": .folder, "/a/current": .link("/v/2"), "/v": .folder, "/v/2": .folder, "/v/2/f": .file])
    #expect(plan.interests == [way("/a", "current"), thing("/v/2", "f")])
    #expect(plan.target == "/v/2/f")
  }

  @Test func `a link to nothing awaits its target`() {
    #expect(plan("/f", ["/f": .link("later/g")]).interests == [way("/", "f"), way("/", "later")])
  }

  @Test func `links in a circle are followed as far as the kernel follows them`() {
    let plan = plan("/f", ["/f": .link("g"), "/g": .link("f")])
    #expect(plan.target == nil)
    #expect(plan.interests.contains(way("/", "f")) && plan.interests.count == 41)
  }

  @Test func `a link to a path that is not UTF-8 is watched in its folder, and followed by the kernel`() {
    let plan = plan("/a/l/f", ["/a": .folder, "/a/l": .link(nil)])
    #expect(plan.target == "/a/l/f")
    #expect(plan.interests == [way("/a", "l")])
    #expect(plan.problem == "/a/l is a link to a path that is not UTF-8")
  }

  @Test func `a folder that may not be searched is watched for its permissions`() {
    let plan = plan("/a/b/f", ["/a": .folder, "/a/b": .closed])
    #expect(plan.target == nil)
    #expect(plan.interests == [way("/a", "b")])
  }

  @Test func `a file where a folder should be awaits its replacement`() {
    let plan = plan("/a/b/f", ["/a": .folder, "/a/b": .file])
    #expect(plan.interests == [way("/a", "b")])
    #expect(plan.target == nil)
  }

  @Test func `a folder that the way leaves again at once is watched from above`() {
    let plan = plan("/a/b/../f", ["/a": .folder, "/a/b": .folder, "/a/f": .file])
    #expect(plan.interests == [way("/a", "b"), thing("/a", "f")])
  }

  @Test(arguments: [
    ("/../f", "/f"), ("//a//./../f", "/f"), ("/f/", "/f"), ("/", "/"), ("/a/..", "/"), ("/a/\u{301}f", "/a/\u{301}f"),
    ("/a/../\u{301}f", "/\u{301}f"),
  ])
  func `dots and slashes are followed as the kernel does`(path: String, real: String) {
    #expect(plan(path, ["/a": .folder, real: .file]).target == real)
  }

  @Test func `names that only look the same are two`() {
    #expect(FolderInterest("/a", "caf\u{E9}", .thing) != FolderInterest("/a", "cafe\u{301}", .thing))
  }
}
