import Testing

@testable import soundd

/// Which mount a path is on, and where a thread must not follow it.
struct MountTableTests {
  private static let table = MountTable(
    """
    22 1 0:21 / / rw - ext4 /dev/vda rw
    23 22 0:22 / /proc rw,relatime shared:5 - proc proc rw
    24 22 0:23 / /mnt/ssh rw,nosuid shared:7 master:2 - fuse.sshfs me@host:/ rw
    25 22 0:24 / /mnt/a\\040b rw - nfs4 host:/export rw
    26 22 8:1 / /home rw - ext4 /dev/sda1 rw
    27 26 0:25 / /home/me/remote rw - cifs //host/share rw
    28 27 0:26 / /home/me/remote/disk rw - tmpfs tmpfs rw
    29 22 0:27 / /net rw - autofs systemd-1 rw
    30 22 8:2 / /usb rw - fuseblk /dev/sdb1 rw
    31 22 8:3 / /stick rw - unknownfs /dev/sdc1 rw
    32 22 0:28 / /odd rw - unknownfs nothing rw
    33 22 8:4 / /over rw - ext4 /dev/sdd1 rw
    34 33 8:5 / /over/disk rw - ext4 /dev/sde1 rw
    35 33 0:29 / /over rw - nfs host:/over rw
    a line that makes no sense
    36 22
    """)

  @Test(
    arguments: [
      ("/", nil), ("/etc/passwd", nil), ("/proc/loadavg", nil), ("/mnt", nil), ("/mnt/sshd/f", nil),
      ("/mnt/ssh", "/mnt/ssh (fuse.sshfs)"), ("/mnt/ssh/a/b", "/mnt/ssh (fuse.sshfs)"),
      ("/mnt/a b/f", "/mnt/a b (nfs4)"),
      ("/home/me/f", nil), ("/home/me/remote/f", "/home/me/remote (cifs)"), ("/home/me/remote/disk/f", nil),
      ("/net/host", "/net (autofs)"), ("/usb/f", "/usb (fuseblk)"), ("/stick/f", nil), ("/odd/f", "/odd (unknownfs)"),
      // The later mount hides the disk below its point.
      ("/over/f", "/over (nfs)"), ("/over/disk/f", "/over (nfs)"), ("relative/f", nil),
    ] as [(String, String?)])
  func `a path is on the mount that the kernel enters last`(path: String, mount: String?) {
    #expect(Self.table.foreignMount(of: path)?.description == mount)
  }

  @Test(arguments: ["9p", "fuse", "nfs"])
  func `the root counts as local, whatever it is`(type: String) {
    let table = MountTable("1 0 0:1 / / rw - \(type) host rw\n2 1 0:2 / /far rw - \(type) host rw\n")
    #expect(table.foreignMount(of: "/etc/passwd") == nil)
    #expect(table.foreignMount(of: "/far/f")?.point == "/far")
  }

  @Test func `without a table every path is local`() {
    #expect(MountTable("").foreignMount(of: "/mnt/ssh/f") == nil)
  }

  /// Links of a small file system; every other path is a folder.
  private static let links = ["/link": "/mnt/ssh/x", "/mnt/ssh/back": "/etc", "/mnt/ssh/on": "/mnt/a b/y"]

  /// Follows a path on a thread for these mounts; returns where it must go, `nil` if it may stay, and what was touched.
  private func follow(_ path: String, _ mounts: Set<String>) -> (elsewhere: Set<String>?, touched: [String]) {
    var touched: [String] = []
    let plan = MountScope(mounts, table: Self.table).plan(for: path) { step in
      touched.append(step)
      return Self.links[step].map { .link($0) } ?? .folder
    }
    return (plan.elsewhere, touched)
  }

  @Test(
    arguments: [
      ("/etc/f", [], nil), ("/mnt/ssh/f", [], ["/mnt/ssh"]), ("/mnt/ssh/f", ["/mnt/ssh"], nil),
      ("/link", [], ["/mnt/ssh"]), ("/link", ["/mnt/ssh"], nil),
      // Back on local file systems it still leads over the mount.
      ("/mnt/ssh/back/f", ["/mnt/ssh"], nil),
      // Over two mounts: it needs a thread for both, which no further step leaves.
      ("/mnt/ssh/on", ["/mnt/ssh"], ["/mnt/ssh", "/mnt/a b"]), ("/mnt/ssh/on", ["/mnt/a b"], ["/mnt/ssh"]),
      ("/mnt/ssh/on", ["/mnt/ssh", "/mnt/a b"], nil),
      // A mount that is no longer on the way.
      ("/etc/f", ["/mnt/ssh"], []),
    ] as [(String, Set<String>, Set<String>?)])
  func `a path belongs to the thread of the mounts that it leads over`(
    path: String, mounts: Set<String>, elsewhere: Set<String>?
  ) {
    #expect(follow(path, mounts).elsewhere == elsewhere)
  }

  @Test(arguments: ["/mnt/ssh/f", "/link/f", "/home/me/remote/disk/f", "/etc/../net/host"])
  func `nothing on a foreign mount is touched before the path has moved`(path: String) {
    let (elsewhere, touched) = follow(path, [])
    #expect(elsewhere?.isEmpty == false)
    #expect(touched.allSatisfy { Self.table.foreignMount(of: $0) == nil })
  }
}
