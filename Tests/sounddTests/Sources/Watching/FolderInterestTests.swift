import Glibc
import Testing

@testable import soundd

@Suite struct FolderInterestTests {
  /// Follows a path through a file system given as a table; what it does not name is missing.
  private func plan(_ path: String, _ entries: [String: FolderInterest.Entry]) -> FolderInterest.Plan {
    FolderInterest.plan(for: path) { entries[$0] ?? .missing }
  }

  private func interest(_ folder: String, _ name: String, _ kind: FolderInterest.Kind) -> FolderInterest {
    FolderInterest(folder: folder, name: name, kind: kind)
  }

  @Test func `a file is watched in its folder, the way to it for its going`() {
    let plan = plan("/a/b/f", ["/a": .folder, "/a/b": .folder, "/a/b/f": .file])
    #expect(
      plan
        == .init(
          interests: [
            interest("/", "a", .passage), interest("/a", "b", .passage), interest("/a/b", "f", .content),
          ], target: "/a/b/f"))
  }

  @Test func `a missing file is awaited in its folder`() {
    let plan = plan("/a/f", ["/a": .folder])
    #expect(plan == .init(interests: [interest("/", "a", .passage), interest("/a", "f", .content)]))
  }

  @Test func `a missing folder is awaited in the nearest one that exists`() {
    let plan = plan("/a/b/c/f", ["/a": .folder])
    #expect(plan == .init(interests: [interest("/", "a", .passage), interest("/a", "b", .entry)]))
  }

  @Test func `a link is watched in its folder and in that of its target`() {
    let plan = plan(
      "/a/f", ["/a": .folder, "/a/f": .link("../b/g"), "/b": .folder, "/b/g": .file])
    #expect(
      plan
        == .init(
          interests: [
            interest("/", "a", .passage), interest("/a", "f", .entry), interest("/", "b", .passage),
            interest("/b", "g", .content),
          ], target: "/b/g"))
  }

  @Test func `a linked folder is watched for a swap of the link`() {
    let plan = plan(
      "/a/current/f", ["/a": .folder, "/a/current": .link("/v/2"), "/v": .folder, "/v/2": .folder, "/v/2/f": .file])
    #expect(
      plan.interests == [
        interest("/", "a", .passage), interest("/a", "current", .entry), interest("/", "v", .passage),
        interest("/v", "2", .passage), interest("/v/2", "f", .content),
      ])
    #expect(plan.target == "/v/2/f")
  }

  @Test func `a link to nothing awaits its target`() {
    let plan = plan("/f", ["/f": .link("later/g")])
    #expect(plan == .init(interests: [interest("/", "f", .entry), interest("/", "later", .entry)]))
  }

  @Test func `links in a circle are a problem, not a loop`() {
    let plan = plan("/f", ["/f": .link("g"), "/g": .link("f")])
    #expect(plan.target == nil)
    #expect(plan.interests.contains(interest("/", "f", .entry)))
  }

  @Test func `a link to a path that is not UTF-8 is watched in its folder, and followed by the kernel`() {
    let plan = plan("/a/l/f", ["/a": .folder, "/a/l": .strangeLink])
    #expect(plan.target == "/a/l/f")
    #expect(plan.interests == [interest("/", "a", .passage), interest("/a", "l", .entry)])
    #expect(plan.problem == "/a/l is a link to a path that is not UTF-8")
  }

  @Test func `a folder that may not be searched is a problem and watched for its permissions`() {
    let plan = plan("/a/b/f", ["/a": .folder, "/a/b": .failed(EACCES)])
    #expect(plan.target == nil)
    #expect(plan.interests.last == interest("/a", "b", .permission))
  }

  @Test func `a file where a folder should be awaits its replacement`() {
    let plan = plan("/a/b/f", ["/a": .folder, "/a/b": .file])
    #expect(plan == .init(interests: [interest("/", "a", .passage), interest("/a", "b", .entry)]))
  }

  @Test(arguments: [
    ("f", "./f"), ("./f", "./f"), ("../f", "./../f"), ("../../f", "./../../f"), ("/../f", "/f"), ("//a//./../f", "/f"),
    ("f/", "./f"), ("/", "/"), (".", "."), ("/a/\u{301}f", "/a/\u{301}f"), ("/a/../\u{301}f", "/\u{301}f"),
  ])
  func `dots and slashes are followed as the kernel does`(path: String, real: String) {
    let plan = plan(path, ["/a": .folder, real: .file])
    #expect(plan.target == real)
  }
}
