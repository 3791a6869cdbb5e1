import ArgumentParser
import Glibc
import SoundTrigger

/// `soundd doctor`: why nothing is heard.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find out why you hear nothing.",
    usage: "soundd doctor [<options>]",
    discussion: """
      Looks at the daemon, its configuration, its device, mute, volume
      and profile, the triggers' sounds, the sources of values,
      and at what was silent last, in this order.
      The table shows problems first, then notes, then what is well.
      Without a daemon it reads the configuration, what was saved
      and the files of values, opens the device and loads the sounds
      itself. It runs no command, feed or speech, and names the values
      that it therefore does not know.

      Each line begins with one of these words:

        ok       all is well
        note     worth knowing: it may explain a silence
        problem  it keeps sounds from being heard

      The remedy stands after '→'.
      The exit code is 69 if there is a problem, otherwise 0.
      """)

  @Flag(help: "Play a sound, and ask whether you heard it.")
  var play = false
  @Flag(help: "Also show what decides how promptly sounds start: priority, memory, kernel, clock.")
  var latency = false
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if play, json { throw ValidationError("--play and --json exclude each other: --play asks a person") }
  }

  func run() throws {
    let environment = SystemEnvironment.current()
    environment.setMediaRole()
    let doctor = Doctor(environment: environment)
    let (facts, configuration) = try doctor.facts(configuration: configurationOptions.file, socket: socket.path)
    let diagnosis = Diagnosis(facts: facts)
    var rows = diagnosis.rows
    if latency {
      rows += (facts.status ?? doctor.audioThreadStatus(configuration)).map(diagnosis.audioThread) ?? []
      rows += doctor.machine(facts.server)
    }
    if json {
      try StandardStreams.print(DoctorRow.json(rows))
    } else {
      try StandardStreams.print(
        DoctorRow.text(DoctorRow.worstFirst(rows), width: Terminal.width, inColour: Colour.isWanted))
    }
    let isHeard = play ? try hear(diagnosis, doctor, configuration) : nil
    var problems: [String] = []
    for row in rows where row.state == .problem && !problems.contains(row.subject) { problems.append(row.subject) }
    if !problems.isEmpty {
      throw Failure(.unavailable, "this keeps sounds from being heard: \(problems.joined(separator: ", "))")
    }
    if isHeard == false { throw Failure(.unavailable, "the sound was played and not heard") }
    if !json, !play {
      try StandardStreams.print("\nNothing keeps sounds from being heard. To hear one: soundd doctor --play")
    }
  }

  // MARK: The test by ear

  /// Plays a sound and asks whether it was heard; `nil` if there is no answer.
  private func hear(_ diagnosis: Diagnosis, _ doctor: Doctor, _ configuration: Configuration) throws -> Bool? {
    let environment = doctor.environment
    let locator = environment.soundLocator(configurationFile: diagnosis.facts.configurationFile)
    let player = try HandPlayer(socket, otherwise: configuration.output, locator)
    try StandardStreams.print(
      "\nPlaying 'success' \(diagnosis.facts.status == nil ? "in this process" : "through the daemon")")
    try player.play("success", length: .milliseconds(800))
    // Then there is nothing to ask.
    if let note = try player.reasonForSilence() {
      try StandardStreams.print(note)
      return nil
    }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      try StandardStreams.print("It was played. There is no terminal to ask you whether you heard it.")
      return nil
    }
    StandardStreams.write(STDOUT_FILENO, Array("Did you hear it? [Y/n] ".utf8))
    guard let answer = readLine() else { return nil }
    if !answer.drop(while: \.isWhitespace).lowercased().hasPrefix("n") { return true }
    let steps = diagnosis.whatToTry.enumerated().map { "  \($0 + 1). \($1)" }
    try StandardStreams.print("Try this, one after the other:\n" + steps.joined(separator: "\n"))
    return false
  }
}
