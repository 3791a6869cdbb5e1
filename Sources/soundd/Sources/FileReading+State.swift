import Glibc

extension FileReading {
  /// fstat: the state that the file is in.
  func stamp() -> FileStamp? {
    var status = stat()
    return fstat(descriptor.raw, &status) == 0 ? FileStamp(status) : nil
  }

  /// fstat: which file is being read, and its length, which is 0 for those that the kernel makes up.
  func status() -> (identity: FileIdentity, length: Int)? {
    var status = stat()
    return fstat(descriptor.raw, &status) == 0 ? (FileIdentity(status), Int(status.st_size)) : nil
  }

  /// pread: fills the buffer from `offset` on as far as the file goes; returns how many bytes there were.
  func read(at offset: Int, into buffer: UnsafeMutableBufferPointer<UInt8>, path: String) throws(Problem) -> Int {
    var filled = 0
    while filled < buffer.count {
      let place = buffer.baseAddress.map { $0 + filled }
      let count = pread(descriptor.raw, place, buffer.count - filled, off_t(offset + filled))
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .unusable("\(path): \(SystemError.text(errno))")
      }
    }
    return filled
  }
}
