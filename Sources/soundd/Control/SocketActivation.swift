/// The sockets that a service manager opened for us (`LISTEN_PID`, `LISTEN_FDS`; sd_listen_fds).
enum SocketActivation {
  /// The first descriptor that is passed.
  static let firstDescriptor: Int32 = 3

  /// The descriptors passed to the process `pid`; empty if there are none, if they are meant for another process, or if
  /// the variables are damaged.
  static func descriptors(pid: Int32, environment: (String) -> String?) -> Range<Int32> {
    let none = firstDescriptor..<firstDescriptor
    guard let owner = environment("LISTEN_PID").flatMap({ Int32($0) }), owner == pid,
      let count = environment("LISTEN_FDS").flatMap({ Int32($0) }), (1...1024).contains(count)
    else { return none }
    return firstDescriptor..<firstDescriptor + count
  }
}
