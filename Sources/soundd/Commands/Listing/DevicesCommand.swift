import ArgumentParser
import SoundTrigger

/// `soundd devices`: what can be played on.
struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "List the devices that can be played on.",
    discussion: """
      Lists the devices that ALSA knows, with '*' before the one
      that soundd uses: that of the running daemon,
      else that of the configuration.
      Write another one into the configuration:

        [output]
        device = "hw:0"

      It also names the sound server and the cards.
      It opens the device that soundd uses if no daemon has it,
      and no other, because an open card is closed to other programs.
      To try one:

        soundd play success --local --device hw:0
      """)

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var configurationOptions: ConfigurationOptions
  @OptionGroup var socket: SocketOptions

  func run() throws {
    let environment = SystemEnvironment.current()
    environment.setMediaRole()
    let facts = try Doctor(environment: environment)
      .facts(configuration: configurationOptions.file, socket: socket.path, withSounds: false).facts
    var list = DeviceList(diagnosis: Diagnosis(facts: facts))
    let found = BoundedCall.result { (cards: SoundCards.names, pcms: Result(catching: ListedPCM.all)) }
    list.cards = found?.cards ?? []
    switch found?.pcms {
    case .success(let pcms): list.pcms = pcms
    case .failure(let error): list.problem = error.reason
    case nil: list.problem = "a card does not answer"
    }
    try StandardStreams.print(
      json ? list.json : Array(list.text(inColour: Colour.isWanted, width: Terminal.width).utf8))
    if !list.hasAny {
      throw Failure(.unavailable, "there is neither a sound server nor a card: \(list.diagnosis.noSoundRemedy)")
    }
  }
}
