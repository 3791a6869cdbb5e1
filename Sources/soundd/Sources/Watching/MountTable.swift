/// The mounted file systems, from the text of /proc/self/mountinfo.
///
/// The kernel makes that text without asking any file system, so reading it never hangs.
struct MountTable: Equatable, Sendable {
  /// A mounted file system.
  struct Mount: Hashable, Sendable, CustomStringConvertible {
    /// Where it is mounted, free of links.
    var point: String
    /// What the kernel calls it, such as `ext4` or `fuse.sshfs`.
    var type: String
    /// Whether another machine or a program answers for its files, so that touching them may take for ever.
    var isForeign: Bool
    fileprivate var number: String

    var description: String { "\(point) (\(type))" }
  }

  /// What is mounted at a point of another mount.
  private struct Place: Hashable {
    var parent: String
    var point: String
  }

  private var mounts: [Place: Mount] = [:]
  private var root: Mount?
  /// Where foreign file systems are mounted.
  private var foreignPoints: Set<String> = []

  /// Reads the text. Lines that make no sense are skipped.
  init(_ text: String = "") {
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " ")).map { Substring($0) }
      // The number of optional fields varies, and a dash ends them.
      guard fields.count > 6, let dash = fields[6...].firstIndex(of: "-"), dash + 2 < fields.count else { continue }
      let (point, type) = (Self.unescaped(fields[4]), String(fields[dash + 1]))
      // If the root hangs, soundd itself cannot run.
      let isForeign = point != "/" && Self.isForeign(type, source: Self.unescaped(fields[dash + 2]))
      let mount = Mount(point: point, type: type, isForeign: isForeign, number: String(fields[0]))
      if point == "/", root == nil {
        root = mount
      } else {
        mounts[Place(parent: String(fields[1]), point: point)] = mount
      }
      if isForeign { foreignPoints.insert(point) }
    }
  }

  /// The foreign mount on which an absolute path is, whose folders are no links; `nil` if it is on a local one.
  ///
  /// The mounts are entered one after the other, as the kernel does, because a mount hides those below its point.
  func foreignMount(of path: String) -> Mount? {
    if !foreignPoints.contains(where: { Self.covers($0, path) }) { return nil }
    guard var mount = root else { return nil }
    enter("/", &mount)
    let bytes = path.utf8
    var index = bytes.startIndex
    while index < bytes.endIndex {
      index = bytes.index(after: index)
      let end = bytes[index...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      if end > index { enter(String(path[..<end]), &mount) }
      index = end
    }
    return mount.isForeign ? mount : nil
  }

  /// The mounts at these points, as messages name them.
  func description(of points: Set<String>) -> String {
    points.sorted().map { foreignMount(of: $0)?.description ?? $0 }.joined(separator: " and ")
  }

  /// Follows what is mounted at a point, and over that.
  private func enter(_ point: String, _ mount: inout Mount) {
    // No more than there are mounts, whatever the text says.
    for _ in 0..<mounts.count {
      guard let next = mounts[Place(parent: mount.number, point: point)] else { return }
      mount = next
    }
  }

  private static func covers(_ point: String, _ path: String) -> Bool {
    let (point, path) = (point.utf8, path.utf8)
    guard path.starts(with: point) else { return false }
    return path.count == point.count || path.dropFirst(point.count).first == UInt8(ascii: "/")
  }

  // MARK: Kinds

  /// File systems of this machine, though no block device is named for them.
  private static let localTypes: Set<String> = [
    "aufs", "bcachefs", "binfmt_misc", "bpf", "btrfs", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs",
    "ecryptfs", "efivarfs", "ext2", "ext3", "ext4", "f2fs", "fusectl", "hugetlbfs", "jffs2", "mqueue", "nsfs",
    "overlay",
    "proc", "pstore", "ramfs", "rootfs", "securityfs", "selinuxfs", "squashfs", "sysfs", "tmpfs", "tracefs", "ubifs",
    "vfat", "xfs", "zfs",
  ]

  /// Whether the files of a file system may hang: network file systems, FUSE, autofs, and whatever is unknown.
  private static func isForeign(_ type: String, source: String) -> Bool {
    if localTypes.contains(type) { return false }
    return type.hasPrefix("fuse") || !source.hasPrefix("/dev/")
  }

  /// Spaces, tabs, line feeds and backslashes are written as a backslash and three octal digits.
  private static func unescaped(_ text: Substring) -> String {
    if !text.utf8.contains(UInt8(ascii: "\\")) { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3, let code = UInt8(Substring(digits), radix: 8) {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
