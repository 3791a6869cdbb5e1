// FileChange KIND FILES ROUNDS: watches FILES files, ten in a folder, as the daemon does, and ROUNDS times replaces one of them
// and decides what follows for the trigger on its value. With KIND `count`, to be run under callgrind; `time` prints the
// median in microseconds from before the replacement until it is decided, the files taking turns.
import CLinux
import Glibc
import SoundTrigger

func fail(_ text: String) -> Never {
  print("FileChange: \(text): \(String(cString: strerror(errno)))")
  exit(1)
}

/// The values, and the triggers on them.
final class Decider {
  let store = ValueStore(limit: 100_000)
  var engine = TriggerEngine(definitions: [], resolve: { _ in ValueID(index: 0) })
  var appeared = 0
  var decided = 0
  private var changes: [Change] = []

  func update(_ value: ValueID, _ content: Span<UInt8>, at now: Instant) {
    let outcome = store.update(value, content: content, at: now, into: &changes)
    engine.receive(changes, at: now)
    // To ask for `engine.decisions` from another module would copy the engine.
    switch outcome {
    case .changed: decided += 1
    case .appeared: appeared += 1
    case .unchanged, .ignored, .refused: break
    }
    changes.removeAll(keepingCapacity: true)
    engine.removeDecisions()
  }
}

/// Carries a file's content to its value.
final class Feed: ContentReceiver {
  let value: ValueID
  let decider: Decider
  let loop: EventLoop
  var source: FileSource?

  init(_ value: ValueID, of path: String, _ decider: Decider, _ watcher: FolderWatcher, _ loop: EventLoop) {
    self.value = value
    self.decider = decider
    self.loop = loop
    source = FileSource(path: path, watcher: watcher, on: loop, receiver: self)
  }

  func foundNothing() {}
  func receive(content: Span<UInt8>, isAgain: Bool) { decider.update(value, content, at: loop.now) }
  func beginLongContent(isAgain: Bool) {}
  func receive(chunk: Span<UInt8>) {}
  func endLongContent() {}
  func fileProblem(_ text: String?) { if let text { fail(text) } }
  func linesBegin(after line: Span<UInt8>?) {}
  func skippedLine() {}
  func remark(_ text: String) {}
}

func write(_ text: String, _ path: String) {
  let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard fd >= 0, Glibc.write(fd, text, text.utf8.count) == text.utf8.count else { fail(path) }
  close(fd)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let files = Int(arguments[2]), files > 0, let rounds = Int(arguments[3]), rounds > 0 else {
  print("usage: FileChange count|time FILES ROUNDS")
  exit(64)
}
var template = Array("/tmp/soundd-files-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else { fail("mkdtemp") }
let home = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
// Names of one length, so that none costs more than another.
let folders = (0..<(files + 9) / 10).map { "\(home)/folder-\(1_000_000 + $0)" }
let paths = (0..<files).map { "\(folders[$0 / 10])/file-\(1_000_000 + $0)" }
for folder in folders { mkdir(folder, 0o700) }

let loop = try EventLoop()
let watcher = FolderWatcher(on: loop)
let decider = Decider()
var definitions: [TriggerDefinition] = []
var feeds: [Feed] = []
for (index, path) in paths.enumerated() {
  write("0", path)
  guard let name = ValueName("value-\(1_000_000 + index)") else { fail(path) }
  let id = try decider.store.declare(name, kind: .number, source: .client)
  definitions.append(TriggerDefinition(name: "t\(index)", values: [name], sound: .sound("success")))
  feeds.append(Feed(id, of: path, decider, watcher, loop))
}
let ids = Dictionary(uniqueKeysWithValues: definitions.indices.map { (definitions[$0].values[0], feeds[$0].value) })
decider.engine = TriggerEngine(definitions: definitions, resolve: { ids[$0] ?? ValueID(index: 0) })
for feed in feeds { feed.source?.start() }
while decider.appeared < files { try loop.runOnce() }
// Until all that follows from the start is over.
while try loop.runOnce(timeout: .milliseconds(200)) {}

var times: [Int64] = []
for round in 1...rounds {
  let next = "\(home)/next"
  write(String(1_000_000 + round), next)
  // Always the same one to be counted, for whose name each folder on the way is looked up alike.
  let path = paths[arguments[1] == "time" ? round * 7_919 % files : files * 7 / 10]
  let start = clinux_monotonic()
  guard rename(next, path) == 0 else { fail(path) }
  while decider.decided < round { try loop.runOnce() }
  times.append(clinux_monotonic() - start)
}
if arguments[1] == "time" {
  let median = times.sorted()[rounds / 2]
  print("\(median / 1000).\(median / 100 % 10)")
}
for feed in feeds { feed.source?.stop() }
for path in paths { unlink(path) }
for folder in folders { rmdir(folder) }
rmdir(home)
