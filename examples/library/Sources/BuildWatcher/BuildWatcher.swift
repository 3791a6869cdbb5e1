// A build watcher that feeds a running soundd: make 2>&1 | BuildWatcher. In SwiftUI a model in the environment would carry the
// state of the build from one view to another; here it reaches another process, and soundd's configuration says what sounds.
import SoundTrigger

@main struct BuildWatcher {
  @MainActor static func main() async throws {
    let build = RemoteValue("build")
    try await build.set("running")
    var errors = 0
    while let line = readLine() {
      print(line)
      if line.contains(" error: ") { errors += 1 }
      // At the first error, before the build has ended.
      if errors == 1 { try await build.set("failed") }
    }
    if errors == 0 { try await build.set("passed") }
    // What another program reads of it.
    print("build: \(try await build.get() ?? "unknown"), \(errors) errors")
  }
}
