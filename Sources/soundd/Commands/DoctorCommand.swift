import ArgumentParser
import SoundTrigger

/// `soundd doctor`: what stands in the way of low latency.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Tell what stands in the way of low latency, and what to do about it.",
    discussion: """
      A running daemon is asked what it got. Without one, this command opens the configuration's device, loads its \
      sounds and asks for real-time priority itself; it plays nothing.

      Each line begins with 'ok', 'note' (worth knowing), 'warning' (sounds are heard, but perhaps late or with a \
      glitch) or 'error' (sounds are not heard). After '→' stands the remedy. The exit code is 0 unless there is an \
      error, then 69.
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let examination = Examination(
      environment: .current(), configurationOption: configurationOptions.file, socketOption: socket.path)
    let rows = Doctor(findings: try examination.run()).rows
    try StandardStreams.print(json ? DoctorRow.json(rows) : Array(DoctorRow.text(rows).utf8))
    let errors = rows.count { $0.state == .error }
    if errors > 0 {
      let subjects = rows.filter { $0.state == .error }.map(\.subject).joined(separator: ", ")
      throw Failure(.unavailable, "sounds are not heard as they should be: \(subjects)")
    }
  }
}
