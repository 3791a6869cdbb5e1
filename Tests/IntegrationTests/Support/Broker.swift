import Foundation

/// A mosquitto of our own: on a free port of the loopback device, with all its files in a home, whatever the machine's own does.
final class Broker {
  let port: Int
  private let home: Home
  private var program: Program?

  init(in home: Home) throws {
    self.home = home
    port = try Self.freePort()
    try FileManager.default.createDirectory(atPath: home("broker"), withIntermediateDirectories: true)
    try start()
  }

  /// Starts it, and returns when it listens.
  func start() throws {
    // Messages that are retained outlive it. Started by root it would become another user, who may not write here.
    let configuration = try home.write(
      "broker.conf",
      """
      listener \(port) 127.0.0.1
      allow_anonymous true
      sys_interval 1
      persistence true
      persistence_location \(home("broker"))/
      user \(NSUserName())
      log_dest stderr

      """)
    let paths = "/usr/sbin:/usr/local/sbin:" + (home.environment["PATH"] ?? "/usr/bin:/bin")
    let program = try home.start(program: "mosquitto", ["-c", configuration], environment: ["PATH": paths])
    try program.waitForErrors(" running")
    self.program = program
  }

  /// Ends it as a service manager does.
  func stop() throws {
    program?.send(signal: SIGTERM)
    try program?.wait()
    program = nil
  }

  /// What its clients need to find it.
  var options: [String] { ["-h", "127.0.0.1", "-p", "\(port)"] }

  /// Publishes a message, with `mosquitto_pub`.
  func publish(_ topic: String, _ payload: some Sequence<UInt8>, retained: Bool = false) throws {
    let file = try home.write("payload", payload)
    let program = try home.start(
      program: "mosquitto_pub", options + ["-t", topic, "-f", file] + (retained ? ["-r"] : []))
    guard try program.wait() == .exit(0) else { throw TimedOut(description: program.errors) }
  }

  func publish(_ topic: String, _ payload: String, retained: Bool = false) throws {
    try publish(topic, payload.utf8, retained: retained)
  }

  /// An unused port of the loopback device.
  static func freePort() throws -> Int {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(fd) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(fd, $0, length) == 0 && getsockname(fd, $0, &length) == 0
      }
    }
    guard isBound else { throw TimedOut(description: "no free port: \(String(cString: strerror(errno)))") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
