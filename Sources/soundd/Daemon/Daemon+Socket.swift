import Glibc
import Logging
import SoundTrigger

/// Who may come through the socket.
extension Daemon {
  func openSocket(_ path: String) throws -> ControlServer {
    allowManyClients()
    let passed = SocketActivation.descriptors(pid: getpid(), environment: { environment.variable($0) })
    let socket =
      if let fd = passed.first { try ListeningSocket(activated: fd) } else { try ListeningSocket(path: path) }
    var limits = ControlServer.Limits()
    let files = ResourceLimit(.openFiles).soft
    limits.descriptors = Int32(clamping: files - min(files / 4, 256))
    return try ControlServer(socket, on: loop, handler: self, limits: limits)
  }

  func clientsMustWait(_ reason: Int32) {
    if let lastClientWait, lastClientWait.duration(to: loop.now) < .seconds(60) { return }
    lastClientWait = loop.now
    let count = server?.clientCount ?? 0
    let limit = reason == EMFILE ? ", at most \(ResourceLimit(.openFiles).soft) (LimitNOFILE=, ulimit -Hn)" : ""
    log.warning(
      "\(count) clients are connected, others wait until some leave: \(SystemError.text(reason))\(limit)")
  }

  /// Lets every client have a descriptor: the usual soft limit is there for programs that use select, which we do not.
  private func allowManyClients() {
    var limit = ResourceLimit(.openFiles)
    limit.soft = limit.hard
    if limit.set(.openFiles) != 0 { log.notice("at most \(ResourceLimit(.openFiles).soft) files and clients at once") }
  }
}
