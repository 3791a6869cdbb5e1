import Glibc
import TestSupport
import Testing

@testable import soundd

@Suite struct FileSetWatchTests {
  private func plan(
    _ folders: [String], files: [String] = [], _ entries: [String: FolderInterest.Entry]
  ) -> FileSetWatch.Plan {
    FileSetWatch.Plan(folders: folders, files: files) { entries[$0] ?? .missing }
  }

  private func interest(_ folder: String, _ name: String, _ kind: FolderInterest.Kind) -> FolderInterest {
    FolderInterest(folder: folder, name: name, kind: kind)
  }

  // MARK: Which folders

  @Test func `a folder is watched for all of its entries, the way to it for nothing beside it`() {
    let plan = plan(["/a/b"], ["/a": .folder, "/a/b": .folder])
    #expect(
      plan.interests == [interest("/", "a", .way), interest("/a", "b", .way), interest("/a/b", "", .contents)])
    #expect(plan.folders == ["/a/b": ["/a/b"]])
  }

  @Test func `a missing folder is awaited where it would be`() {
    #expect(plan(["/a/b"], ["/a": .folder]).interests == [interest("/", "a", .way), interest("/a", "b", .entry)])
    #expect(plan(["/a/b/c"], ["/a": .folder]).interests == [interest("/", "a", .way), interest("/a", "b", .entry)])
  }

  @Test func `a file in the place of a folder may be replaced by one`() {
    let plan = plan(["/a"], ["/a": .file])
    #expect(plan.interests == [interest("/", "a", .entry)])
    #expect(plan.folders.isEmpty)
  }

  @Test func `a folder that two names lead to is watched once and known by both`() {
    let plan = plan(["/a", "/b"], ["/a": .folder, "/b": .link("a")])
    #expect(plan.interests.count { $0.kind == .contents } == 1)
    #expect(plan.folders == ["/a": ["/a", "/b"]])
  }

  @Test func `a linked file is watched where it leads`() {
    let plan = plan(
      ["/a"], files: ["/a/f"], ["/a": .folder, "/a/f": .link("/b/g"), "/b": .folder, "/b/g": .file])
    #expect(plan.interests.contains(interest("/b", "g", .content)))
    #expect(plan.interests.contains(interest("/a", "f", .entry)))
    #expect(plan.files == ["/b/g": ["/a/f"]])
  }

  @Test func `ten thousand files of one folder need no more watches than one`() {
    #expect(plan(["/a"], ["/a": .folder]).interests.count == 2)
  }

  // MARK: What is told

  @Test func `changes of any file of a folder are told under the folder's own name`() throws {
    let rig = try FileRig()
    mkdir(rig.folder("real"), 0o700)
    #expect(symlink(rig.folder("real"), rig.folder("link")) == 0)
    var told: [FileSetWatch.Changes.Entry] = []
    let watch = FileSetWatch(watcher: rig.watcher) { told += $0.entries }
    #expect(watch.watch(folders: [rig.folder("link")], files: []) == nil)
    rig.write("x", "real/new")
    try rig.loop.turn { told.contains { $0.mask & UInt32(IN_CLOSE_WRITE) != 0 } }
    #expect(Set(told.map(\.path)) == [rig.folder("link/new")])
  }

  @Test func `what happens beside a watched folder is not heard of`() throws {
    let rig = try FileRig()
    mkdir(rig.folder("a"), 0o700)
    var calls = 0
    let watch = FileSetWatch(watcher: rig.watcher) { _ in calls += 1 }
    #expect(watch.watch(folders: [rig.folder("a")], files: []) == nil)
    rig.write("x", "beside")
    #expect(unlink(rig.folder("beside")) == 0)
    #expect(try !rig.loop.runOnce(timeout: .zero))
    #expect(calls == 0)
  }

  @Test func `a folder that is made, and one that is swapped, may have changed every file`() throws {
    let rig = try FileRig()
    var changes: [FileSetWatch.Changes] = []
    let watch = FileSetWatch(watcher: rig.watcher) { changes.append($0) }
    #expect(watch.watch(folders: [rig.folder("a")], files: []) == nil)
    mkdir(rig.folder("a"), 0o700)
    try rig.loop.turn { changes.last?.isEverything == true }
    #expect(watch.watch(folders: [rig.folder("a")], files: []) == nil)
    changes = []
    mkdir(rig.folder("b"), 0o700)
    #expect(rename(rig.folder("a"), rig.folder("old")) == 0)
    try rig.loop.turn { changes.last?.isEverything == true }
    #expect(watch.watch(folders: [rig.folder("a")], files: []) == nil)
    changes = []
    rig.move("b", "a")
    try rig.loop.turn { changes.last?.isEverything == true }
  }

  @Test func `a linked file's target is told under the link's name`() throws {
    let rig = try FileRig()
    mkdir(rig.folder("elsewhere"), 0o700)
    rig.write("x", "elsewhere/target")
    #expect(symlink(rig.folder("elsewhere/target"), rig.folder("link")) == 0)
    var told: [String] = []
    let watch = FileSetWatch(watcher: rig.watcher) { told += $0.entries.map(\.path) }
    #expect(watch.watch(folders: [], files: [rig.folder("link")]) == nil)
    rig.write("y", "elsewhere/target")
    try rig.loop.turn { !told.isEmpty }
    #expect(Set(told) == [rig.folder("link")])
  }
}
