/// The mounted file systems, from the text of /proc/self/mountinfo.
///
/// The kernel makes that text without asking any file system, so reading it never hangs.
struct MountTable: Equatable, Sendable {
  /// A mounted file system.
  struct Mount: Equatable, Sendable, CustomStringConvertible {
    /// Where it is mounted, free of links.
    var point: String
    /// What the kernel calls it, such as `ext4` or `fuse.sshfs`.
    var type: String
    /// Whether another machine or a program answers for its files, so that touching them may take for ever.
    var isForeign: Bool

    var description: String { "\(point) (\(type))" }

    /// Whether a path leads to its point or below.
    fileprivate func covers(_ path: String) -> Bool {
      let (point, path) = (point.utf8, path.utf8)
      guard path.starts(with: point) else { return false }
      return path.count == point.count || path.dropFirst(point.count).first == UInt8(ascii: "/")
    }
  }

  /// All but the root, in the order in which they were mounted. If the root hangs, soundd itself cannot run.
  private var mounts: [Mount] = []

  /// Reads the text. Lines that make no sense are skipped.
  init(_ text: String = "") {
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " ")).map { Substring($0) }
      // The number of optional fields varies, and a dash ends them.
      guard fields.count > 6, let dash = fields[6...].firstIndex(of: "-"), dash + 2 < fields.count else { continue }
      let (point, type) = (Self.unescaped(fields[4]), String(fields[dash + 1]))
      if point == "/" { continue }
      let isForeign = Self.isForeign(type, source: Self.unescaped(fields[dash + 2]))
      mounts.append(Mount(point: point, type: type, isForeign: isForeign))
    }
  }

  /// The foreign mount on which an absolute path is, whose folders are no links; `nil` if it is on a local one.
  func foreignMount(of path: String) -> Mount? {
    guard let index = mounts.lastIndex(where: { $0.isForeign && $0.covers(path) }) else { return nil }
    // A later mount hides what is below its point.
    return mounts[(index + 1)...].contains { $0.covers(path) } ? nil : mounts[index]
  }

  /// The mounts at these points, as messages name them.
  func description(of points: Set<String>) -> String {
    points.sorted().map { foreignMount(of: $0)?.description ?? $0 }.joined(separator: " and ")
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
