import Glibc
import TestSupport
import Testing

@testable import soundd

/// Where a sound server is looked for, and which one is there.
struct SoundServerTests {
  private let folder = TemporaryFolder()

  private func environment(_ variables: [String: String] = [:]) -> SystemEnvironment {
    var all = ["XDG_RUNTIME_DIR": folder("run")]
    all.merge(variables) { $1 }
    return SystemEnvironment(variables: all, workingDirectory: folder.path)
  }

  @Test(
    arguments: [
      ([:], ["RUN/pipewire-0", "RUN/pulse/native"]),
      (["PULSE_SERVER": "unix:/a/native"], ["RUN/pipewire-0", "/a/native"]),
      (["PULSE_SERVER": "/a/native", "PULSE_RUNTIME_PATH": "/b"], ["RUN/pipewire-0", "/a/native"]),
      (["PULSE_SERVER": "{3d12}unix:/a/native tcp:far:4713"], ["RUN/pipewire-0", "/a/native"]),
      (["PULSE_SERVER": "far"], ["RUN/pipewire-0"]), (["PULSE_SERVER": " "], ["RUN/pipewire-0", "RUN/pulse/native"]),
      (["PULSE_RUNTIME_PATH": "/b"], ["RUN/pipewire-0", "/b/native"]),
      (["PIPEWIRE_REMOTE": "pipewire-1"], ["RUN/pipewire-1", "RUN/pulse/native"]),
      (["PIPEWIRE_REMOTE": "/c/socket", "PIPEWIRE_RUNTIME_DIR": "/d"], ["/c/socket", "RUN/pulse/native"]),
      (["PIPEWIRE_RUNTIME_DIR": "/d"], ["/d/pipewire-0", "RUN/pulse/native"]), (["XDG_RUNTIME_DIR": ""], []),
    ] as [([String: String], [String])])
  func `the environment says where the sockets are`(variables: [String: String], sockets: [String]) {
    let expected = sockets.map { $0.hasPrefix("RUN") ? folder("run") + $0.dropFirst(3) : $0 }
    #expect(SoundServer.sockets(environment(variables)) == expected)
  }

  @Test func `a socket counts only if a server listens on it, and a server on another machine counts as there`() throws
  {
    folder.write("run/pulse/x", "")
    #expect(SoundServer.inUse(environment()) == nil)
    #expect(!SoundServer.pulse.isThere(environment()))
    folder.write("run/other/x", "")
    let named = ["PULSE_SERVER": "unix:" + folder("run/other/native")]
    do {
      let socket = try ListeningSocket(path: folder("run/other/native"))
      #expect(SoundServer.inUse(environment(named)) == .pulse)
      #expect(SoundServer.pulse.isThere(environment(named)))
      #expect(SoundServer.inUse(environment()) == nil)
      _ = consume socket
    }
    #expect(SoundServer.inUse(environment(named)) == nil)
    let remote = environment(["PULSE_SERVER": "tcp:far:4713"])
    #expect(SoundServer.inUse(remote) == .pulse)
    #expect(SoundServer.pulse.isThere(remote))
  }

  @Test func `where systemd has made the socket, the installed program tells PulseAudio from PipeWire`() throws {
    folder.write("run/pulse/x", "")
    let socket = try ListeningSocket(path: folder("run/pulse/native"))
    func server() -> SoundServer? { SoundServer.inUse(ofPipeWire: false, environment(["PATH": folder("bin")])) }
    #expect(server() == .pulse)
    folder.write("bin/pipewire-pulse", "")
    #expect(server() == .pulse, "it cannot be run")
    chmod(folder("bin/pipewire-pulse"), 0o755)
    #expect(server() == .pipewirePulse)
    folder.write("bin/pulseaudio", "")
    chmod(folder("bin/pulseaudio"), 0o755)
    #expect(server() == .pulse)
    _ = consume socket
  }

  @Test(arguments: [
    ("default", true), ("sysdefault", true), ("pulse", true), ("pipewire", true), ("pulse:sink", true), ("mine", true),
    ("plug:default", true), ("default:CARD=PCH", true), ("sysdefault:CARD=PCH", false), ("hw:0", false),
    ("plughw:CARD=PCH,DEV=0", false), ("plug:'hw:0'", false), ("dmix:CARD=PCH", false), ("front:CARD=PCH", false),
    ("hdmi:CARD=PCH", false), ("file:out.raw,raw", false), ("null", false), ("none", false), ("jack", false),
  ])
  func `the name of a device says whether a server may play it`(device: String, may: Bool) {
    #expect(SoundServer.mayPlay(device) == may)
  }
}
