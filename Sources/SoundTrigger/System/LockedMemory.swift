import Glibc
import Synchronization

/// Memory for the audio thread: whole pages of its own, which the kernel keeps in RAM (mlock), so that the thread never waits
/// for a page fault.
///
/// RLIMIT_MEMLOCK may refuse that. The memory works all the same, and `LockedMemoryUsage` says how much of it is locked. Confined to one
/// thread, except for the allocated bytes; they live as long as this object.
final class LockedMemory {
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  private var mappings: [(start: UnsafeMutableRawPointer, bytes: Int, isLocked: Bool)] = []
  /// What was allocated because the kernel refused a mapping.
  private var allocations: [UnsafeMutableRawPointer] = []
  /// The unused rest of the last mapping.
  private var next: UnsafeMutableRawPointer?
  private var bytesLeft = 0

  init() {}

  deinit {
    for mapping in mappings {
      // Unmapping unlocks.
      munmap(mapping.start, mapping.bytes)
      LockedMemoryUsage.remove(mapping.bytes, isLocked: mapping.isLocked)
    }
    for start in allocations { start.deallocate() }
  }

  /// Maps bytes that are 0 and begin on a cache line of their own (mmap). Throws if there is no memory.
  func map(byteCount: Int) throws(OutOfMemory) -> UnsafeMutableRawPointer {
    let bytes = (max(1, byteCount) + 63) & ~63
    if bytes > bytesLeft { try addMapping(bytes) }
    guard let start = next else { throw OutOfMemory(bytes: byteCount, code: ENOMEM) }
    next = start + bytes
    bytesLeft -= bytes
    return start
  }

  /// Allocates bytes as `map` does, of a size that no input chooses.
  ///
  /// If the kernel refuses the mapping, this is ordinary memory, which is not locked. If there is none of that either, the process
  /// ends, as after any failed allocation of Swift.
  func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    if let start = try? map(byteCount: byteCount) { return start }
    let start = UnsafeMutableRawPointer.allocate(byteCount: max(1, byteCount), alignment: 64)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: max(1, byteCount))
    allocations.append(start)
    return start
  }

  /// Allocates memory for values. It neither initializes nor deinitializes them.
  func allocate<Element: BitwiseCopyable>(_: Element.Type, capacity: Int) -> UnsafeMutablePointer<Element> {
    allocate(byteCount: capacity * MemoryLayout<Element>.stride).bindMemory(to: Element.self, capacity: capacity)
  }

  /// Locks the pages of an object that both threads use. They stay locked, because other objects share them.
  static func pin(_ object: AnyObject) {
    // An object of plain members, far smaller than a page.
    _ = lock(Unmanaged.passUnretained(object).toOpaque(), page / 4)
  }

  private func addMapping(_ bytes: Int) throws(OutOfMemory) {
    let size = (bytes + Self.page - 1) / Self.page * Self.page
    guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED
    else { throw OutOfMemory(bytes: bytes, code: errno) }
    mappings.append((start, size, Self.lock(start, size)))
    next = start
    bytesLeft = size
  }

  /// Locks memory of another owner (mlock); returns whether it is locked. `unlock` undoes this.
  static func lock(_ start: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
    let error = mlock(start, bytes) == 0 ? 0 : errno
    LockedMemoryUsage.add(bytes, error: error)
    // If it cannot be locked, it is at least populated: its first use causes no page fault.
    if error != 0 { madvise(start, bytes, populate) }
    return error == 0
  }

  static func unlock(_ start: UnsafeMutableRawPointer, _ bytes: Int, wasLocked: Bool) {
    if wasLocked { munlock(start, bytes) }
    LockedMemoryUsage.remove(bytes, isLocked: wasLocked)
  }

  /// MADV_POPULATE_WRITE, since Linux 5.14. Older kernels refuse it; the first use then causes the page faults.
  private static let populate: Int32 = 23
}

/// There is no memory.
package struct OutOfMemory: Error, Equatable, CustomStringConvertible {
  /// How many bytes were wanted.
  var bytes: Int
  /// Why the kernel refuses them (errno).
  var code: Int32

  package var description: String { "no memory for \(bytes) bytes: \(String(cString: strerror(code)))" }
}

/// How much memory this process wanted to lock, and how much is locked.
package struct LockedMemoryUsage: Equatable, Sendable {
  /// Bytes that it wanted to lock.
  package var wanted: Int
  /// Bytes that are locked.
  package var locked: Int
  /// The error of the last refusal (errno); 0 if there was none.
  package var error: Int32

  // Of the process, because RLIMIT_MEMLOCK applies to it. `relaxed`: no number depends on another.
  private static let wanted = Atomic<Int>(0)
  private static let locked = Atomic<Int>(0)
  private static let error = Atomic<Int32>(0)

  /// Of this process, now.
  package static var current: LockedMemoryUsage {
    LockedMemoryUsage(
      wanted: wanted.load(ordering: .relaxed), locked: locked.load(ordering: .relaxed),
      error: error.load(ordering: .relaxed))
  }

  fileprivate static func add(_ bytes: Int, error code: Int32) {
    wanted.add(bytes, ordering: .relaxed)
    if code == 0 { locked.add(bytes, ordering: .relaxed) } else { error.store(code, ordering: .relaxed) }
  }

  fileprivate static func remove(_ bytes: Int, isLocked: Bool) {
    wanted.subtract(bytes, ordering: .relaxed)
    if isLocked { locked.subtract(bytes, ordering: .relaxed) }
  }
}
