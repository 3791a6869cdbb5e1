import Glibc
import SoundTrigger

/// Decides whether a file thread may follow a path: only over the foreign mounts that it was made for.
///
/// Belongs to one thread.
final class MountScope {
  /// The points of the foreign mounts whose files the thread may touch.
  let mounts: Set<String>
  private var table: MountTable
  /// The open mount table; `nil`: `table` never changes.
  private let descriptor: Descriptor?
  private let fd: Int32
  /// The foreign mounts of the way that is followed now.
  private var touched: Set<String> = []

  /// Reads the kernel's table, and again when it changes. Without /proc every mount counts as local.
  init(_ mounts: Set<String>) {
    self.mounts = mounts
    fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    descriptor = fd < 0 ? nil : Descriptor(owning: fd)
    table = MountTable(fd < 0 ? "" : Self.text(fd))
  }

  /// Decides by a table that does not change.
  init(_ mounts: Set<String>, table: MountTable) {
    self.mounts = mounts
    self.table = table
    descriptor = nil
    fd = -1
  }

  /// Follows a path step by step. Ends before a foreign mount that is not among `mounts`, and touches nothing there.
  func plan(for path: String, entry: (String) -> PathPlan.Entry = PathPlan.entry(at:)) -> PathPlan {
    refresh()
    touched = []
    var plan = PathPlan(path) { mayTouch($0) ? entry($0) : .elsewhere }
    if touched != mounts { plan.elsewhere = touched }
    return plan
  }

  /// Whether a path whose folders are no links is on a local mount or on one of `mounts`. Touches nothing.
  private func mayTouch(_ path: String) -> Bool {
    guard let mount = table.foreignMount(of: path) else { return true }
    touched.insert(mount.point)
    return mounts.contains(mount.point)
  }

  /// The mounts at these points, as messages name them.
  func description(of points: Set<String>) -> String {
    refresh()
    return table.description(of: points)
  }

  /// Reads the table again if it has changed: the kernel reports that as an error of the descriptor, once.
  private func refresh() {
    if fd < 0 { return }
    var event = pollfd(fd: fd, events: Int16(POLLPRI), revents: 0)
    if poll(&event, 1, 0) > 0 { table = MountTable(Self.text(fd)) }
  }

  private static func text(_ fd: Int32) -> String {
    lseek(fd, 0, SEEK_SET)
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(fd, &block, block.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += block[..<count]
    }
  }
}
