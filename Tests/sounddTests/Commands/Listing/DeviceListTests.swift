import SoundWire
import Testing

@testable import SoundTrigger
@testable import soundd

/// What `soundd devices` shows.
struct DeviceListTests {
  /// `problem`: why the device does not open.
  private func list(_ device: String, problem: String? = nil, server: SoundServer? = .pipewire) -> DeviceList {
    var facts = DoctorFacts()
    facts.server = server
    (facts.device.name, facts.device.problem) = (device, problem)
    if problem == nil {
      facts.device.state = Word(.idle)
      (facts.device.format, facts.device.rate, facts.device.channels) = ("float32", 48_000, 2)
    }
    return DeviceList(
      diagnosis: Diagnosis(facts: facts),
      pcms: [
        ListedPCM(name: "default", description: "Default ALSA Output"),
        ListedPCM(name: "hw:CARD=PCH,DEV=0", description: "HDA Intel PCH, ALC257\nDirect hardware device"),
      ], cards: ["HDA Intel PCH"])
  }

  @Test func `the device in use has an asterisk`() {
    #expect(
      list("default").text(inColour: false) == """
        configured: 'default': float32, 48000 Hz, 2 channels
        sound server: PipeWire
        cards: HDA Intel PCH

           DEVICE             DESCRIPTION
        *  default            Default ALSA Output
           hw:CARD=PCH,DEV=0  HDA Intel PCH, ALC257; Direct hardware device
        """)
  }

  @Test func `a device that ALSA does not list comes first`() {
    let text = list("hw:0", problem: "cannot play on 'hw:0'").text(inColour: true)
    #expect(text.contains("\u{1B}[31mconfigured: cannot play on 'hw:0'\u{1B}[0m\n"))
    #expect(text.contains("DESCRIPTION\n*  hw:0\n   default"))
  }

  @Test func `programs get all of it as JSON`() throws {
    let json = list("hw:0", problem: "cannot play on 'hw:0'").json
    #expect(
      String(decoding: json, as: UTF8.self).hasPrefix(
        #"{"device":{"name":"hw:0","in_use":false,"problem":"cannot play on 'hw:0'"},"sound_server":"PipeWire","#))
    let message = try DevicesMessage(json)
    #expect(message.device.name == "hw:0")
    #expect(!message.device.inUse)
    #expect(message.device.problem == "cannot play on 'hw:0'")
    #expect(message.soundServer == "PipeWire")
    #expect(message.cards == ["HDA Intel PCH"])
    #expect(message.devices.map(\.name) == ["default", "hw:CARD=PCH,DEV=0"])
    #expect(message.devices.last?.description == "HDA Intel PCH, ALC257\nDirect hardware device")
    #expect(message.problem == nil)
  }

  @Test func `a machine has something to play on with a server, a card or a device that opens`() {
    var list = list("default", problem: "cannot play", server: nil)
    #expect(list.hasAny)
    list.cards = []
    #expect(!list.hasAny)
    list.problem = "No such file"
    #expect(list.text(inColour: false).hasSuffix("cards: none\n\nALSA lists no devices: No such file"))
    var server = self.list("default", problem: "cannot play")
    server.cards = []
    #expect(server.hasAny)
  }
}
