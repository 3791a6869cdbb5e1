import ArgumentParser
import SoundTrigger

/// `soundd volume`: how loud everything is.
struct VolumeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "volume", abstract: "Set or print the volume of the running daemon.",
    discussion: """
      LEVEL is a level of at most 0 dB, such as '-6 dB', or a factor of 0 to 1. It is absolute: '-6 dB' twice is -6 dB. \
      Without it, the factor and the level are printed.
      """)

  // A level begins with a minus, and may be two words; options are recognised all the same.
  @Argument(parsing: .allUnrecognized, help: ArgumentHelp("'-6 dB' or 0.5, for example.", valueName: "level"))
  var level: [String] = []
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let client = try socket.connect()
    if !level.isEmpty {
      _ = try client.ask("volume \(level.joined(separator: " "))")
      return
    }
    let status = JSONReply(try client.ask("status"))
    guard let volume = Double(try status.string("volume")) else {
      throw Failure(.badData, "the daemon's answer has no volume")
    }
    let isMuted = try status.string("muted") == "true"
    try StandardStreams.print(VolumeText.text(volume) + (isMuted ? ", muted" : ""))
  }
}

/// `soundd profile`: who is heard.
struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile", abstract: "Choose or print the profile of the running daemon.",
    discussion: """
      'full' plays everything, 'quiet' what is of high or critical importance, 'silent' what is critical alone. In the \
      configuration's quiet hours 'quiet' stands before 'full', unless it is chosen during them. Without a name, the \
      profile in force is printed.
      """)

  @Argument(help: "full, quiet or silent.")
  var name: String?
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let client = try socket.connect()
    if let name {
      _ = try client.ask("profile \(name)")
    } else {
      try StandardStreams.print(try JSONReply(try client.ask("status")).profile)
    }
  }
}

extension JSONReply {
  /// Of a status: the profile in force, and why if quiet hours have to do with it.
  var profile: String {
    get throws(Failure) {
      let (name, chosen) = (try string("profile"), try string("profile_chosen"))
      guard try text("quiet_until") != nil else { return name }
      // The daemon says it by its local time: 2026-01-31T07:00:00+01:00.
      let end = try string("quiet_until").dropFirst(11).prefix(5)
      return name == chosen
        ? "\(name) (by choice; quiet hours last until \(end))" : "\(name) (quiet hours until \(end), then \(chosen))"
    }
  }
}

/// `soundd mute`: what plays is not heard.
struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Silence the running daemon; its triggers and sounds go on unheard.")

  @OptionGroup var socket: SocketOptions

  func run() throws { _ = try socket.connect().ask("mute") }
}

/// `soundd unmute`: what plays is heard again.
struct UnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Let the running daemon be heard again.")

  @OptionGroup var socket: SocketOptions

  func run() throws { _ = try socket.connect().ask("unmute") }
}

/// `soundd stop`: ends sounds by hand.
struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop", abstract: "Fade out the sounds of a trigger, or all sounds.",
    discussion: "An empty TRIGGER, as of a variable that is not set, is an error and stops nothing.")

  @Argument(help: "The trigger's name, as 'soundd status' shows it (default: everything that plays).")
  var trigger: String?
  @OptionGroup var socket: SocketOptions

  func validate() throws {
    if let trigger, trigger.allSatisfy(\.isWhitespace) {
      throw ValidationError("the trigger's name is empty; give a name, or none at all to stop everything")
    }
  }

  func run() throws { _ = try socket.connect().ask(trigger.map { "stop \($0)" } ?? "stop") }
}
