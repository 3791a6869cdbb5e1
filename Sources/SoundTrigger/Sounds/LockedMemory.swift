import Glibc
import Synchronization

/// Memory for the audio thread: whole pages of its own, which the kernel keeps in RAM (mlock), so that no page fault ever
/// stands between the thread and the device.
///
/// RLIMIT_MEMLOCK may refuse that. The memory is good all the same, and `usage` tells how much of it is locked. Confined to
/// one thread, except for the bytes handed out; they live as long as this does.
final class LockedMemory {
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  private var mappings: [(start: UnsafeMutableRawPointer, bytes: Int, isLocked: Bool)] = []
  /// What is left at the end of the last mapping.
  private var next: UnsafeMutableRawPointer?
  private var bytesLeft = 0

  init() {}

  deinit {
    for mapping in mappings {
      // Unmapping unlocks.
      munmap(mapping.start, mapping.bytes)
      LockedMemoryLedger.remove(mapping.bytes, isLocked: mapping.isLocked)
    }
  }

  /// So many bytes, all 0, on a cache line of their own (mmap).
  func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    let bytes = (max(1, byteCount) + 63) & ~63
    if bytes > bytesLeft { map(bytes) }
    guard let start = next else { preconditionFailure("out of memory: \(byteCount) bytes are not to be had") }
    next = start + bytes
    bytesLeft -= bytes
    return start
  }

  /// Room for so many values, not yet initialized. They are not deinitialized either: for plain bytes only.
  func allocate<Element: BitwiseCopyable>(_: Element.Type, capacity: Int) -> UnsafeMutablePointer<Element> {
    allocate(byteCount: capacity * MemoryLayout<Element>.stride).bindMemory(to: Element.self, capacity: capacity)
  }

  /// Locks the pages on which an object lies that both threads use. They stay locked: others' memory lies there too.
  static func pin(_ object: AnyObject) {
    // An object of plain members, far smaller than a page.
    _ = lock(Unmanaged.passUnretained(object).toOpaque(), page / 4)
  }

  private func map(_ bytes: Int) {
    let size = (bytes + Self.page - 1) / Self.page * Self.page
    next = nil
    bytesLeft = 0
    guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED
    else { return }
    mappings.append((start, size, Self.lock(start, size)))
    next = start
    bytesLeft = size
  }

  /// Locks memory that somebody else owns (mlock); returns whether it is. Undone by `unlock`.
  static func lock(_ start: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
    let error = mlock(start, bytes) == 0 ? 0 : errno
    LockedMemoryLedger.add(bytes, error: error)
    // Not locked, but there at least: nothing of it is to be fetched when it is used for the first time.
    if error != 0 { madvise(start, bytes, populate) }
    return error == 0
  }

  static func unlock(_ start: UnsafeMutableRawPointer, _ bytes: Int, wasLocked: Bool) {
    if wasLocked { munlock(start, bytes) }
    LockedMemoryLedger.remove(bytes, isLocked: wasLocked)
  }

  /// MADV_POPULATE_WRITE, since Linux 5.14; older ones refuse it, and then the first use fetches the pages.
  private static let populate: Int32 = 23

  /// What this process has and wanted.
  static var usage: LockedMemoryUsage { LockedMemoryLedger.usage }
}

/// How much memory of this process is locked.
package struct LockedMemoryUsage: Equatable, Sendable {
  /// Bytes that were to be locked.
  package var wanted: Int
  /// Bytes that are.
  package var locked: Int
  /// The errno of the last refusal; 0 if there was none.
  package var error: Int32

  package init(wanted: Int, locked: Int, error: Int32) {
    self.wanted = wanted
    self.locked = locked
    self.error = error
  }

  /// Of this process, now.
  package static var current: LockedMemoryUsage { LockedMemory.usage }
}

/// Sums over the process, as RLIMIT_MEMLOCK does. Relaxed: each number stands for itself.
private enum LockedMemoryLedger {
  private static let wanted = Atomic<Int>(0)
  private static let locked = Atomic<Int>(0)
  private static let error = Atomic<Int32>(0)

  static func add(_ bytes: Int, error code: Int32) {
    wanted.add(bytes, ordering: .relaxed)
    if code == 0 { locked.add(bytes, ordering: .relaxed) } else { error.store(code, ordering: .relaxed) }
  }

  static func remove(_ bytes: Int, isLocked: Bool) {
    wanted.subtract(bytes, ordering: .relaxed)
    if isLocked { locked.subtract(bytes, ordering: .relaxed) }
  }

  static var usage: LockedMemoryUsage {
    LockedMemoryUsage(
      wanted: wanted.load(ordering: .relaxed), locked: locked.load(ordering: .relaxed),
      error: error.load(ordering: .relaxed))
  }
}
