import Glibc

/// Which file it is, whatever its name.
struct FileIdentity: Hashable {
  var device: UInt
  var inode: UInt

  init(_ status: stat) {
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
  }

  init(device: UInt, inode: UInt) {
    self.device = device
    self.inode = inode
  }
}
