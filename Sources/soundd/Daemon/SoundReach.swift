import Glibc
import SoundTrigger

/// Finds out, while sounds are looked up, which of them another thread must load because they are on a foreign mount.
///
/// Belongs to the thread that looks them up.
final class SoundReach {
  private let scope: MountScope
  /// The real paths of folders that may be touched, or the mounts that others lead over.
  private var folders: [String: Result<String, Elsewhere>] = [:]
  /// The mounts that the refused paths lead over.
  private(set) var elsewhere: [String: Set<String>] = [:]

  private struct Elsewhere: Error { var mounts: Set<String> }

  /// `mounts` are the foreign mounts that this thread may touch.
  init(_ mounts: Set<String>) { scope = MountScope(mounts) }

  /// Whether the way to a sound's file leads over no other mounts. Each folder is followed once.
  func mayTouch(_ path: String) -> Bool {
    let (folder, name) = (FilePathText.folder(of: path), FilePathText.name(of: path))
    let known = folders[folder] ?? real(folder)
    folders[folder] = known
    switch known {
    case .failure(let elsewhere): return refuse(path, elsewhere.mounts)
    case .success(let real):
      let file = FilePathText.join(real, name)
      // Most files are no links, or missing.
      var byte: CChar = 0
      if scope.mayTouch(file), readlink(file, &byte, 1) < 0 { return true }
    }
    return refusedMounts(scope.plan(for: path)).map { refuse(path, $0) } ?? true
  }

  private func refuse(_ path: String, _ mounts: Set<String>) -> Bool {
    elsewhere[path] = mounts
    return false
  }

  private func real(_ folder: String) -> Result<String, Elsewhere> {
    let plan = scope.plan(for: folder)
    if let mounts = refusedMounts(plan) { return .failure(Elsewhere(mounts: mounts)) }
    return .success(plan.target ?? folder)
  }

  /// The mounts that a thread must be allowed to touch in order to follow a way and those before it; `nil` if this one may.
  private func refusedMounts(_ plan: PathPlan) -> Set<String>? {
    guard let mounts = plan.elsewhere, !mounts.isSubset(of: scope.mounts) else { return nil }
    return mounts.union(scope.mounts)
  }
}
