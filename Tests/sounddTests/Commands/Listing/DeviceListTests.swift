import Testing

@testable import SoundTrigger
@testable import soundd

/// What `soundd devices` shows.
struct DeviceListTests {
  private func list(_ device: DoctorFacts.Device, server: SoundServer? = .pipewire) -> DeviceList {
    var facts = DoctorFacts()
    (facts.device, facts.server) = (device, server)
    return DeviceList(
      diagnosis: Diagnosis(facts: facts),
      pcms: [
        ListedPCM(name: "default", description: "Default ALSA Output"),
        ListedPCM(name: "hw:CARD=PCH,DEV=0", description: "HDA Intel PCH, ALC257\nDirect hardware device"),
      ], cards: ["HDA Intel PCH"])
  }

  @Test func `the device in use has an asterisk`() {
    #expect(
      list(.init(name: "default", summary: "float32, 48000 Hz")).text(inColour: false) == """
        configured: 'default': float32, 48000 Hz
        sound server: PipeWire
        cards: HDA Intel PCH

           DEVICE             DESCRIPTION
        *  default            Default ALSA Output
           hw:CARD=PCH,DEV=0  HDA Intel PCH, ALC257; Direct hardware device
        """)
  }

  @Test func `a device that ALSA does not list comes first`() {
    let text = list(.init(name: "hw:0", problem: "cannot play on 'hw:0'")).text(inColour: true)
    #expect(text.contains("\u{1B}[31mconfigured: cannot play on 'hw:0'\u{1B}[0m\n"))
    #expect(text.contains("DESCRIPTION\n*  hw:0\n   default"))
  }

  @Test func `programs get all of it as JSON`() throws {
    let json = try JSONObject(list(.init(name: "hw:0", problem: "cannot play on 'hw:0'")).json)
    #expect(json.object("device").text("name") == "hw:0")
    #expect(json.object("device").text("in_use") == "false")
    #expect(json.object("device").text("problem") == "cannot play on 'hw:0'")
    #expect(json.text("sound_server") == "PipeWire")
    #expect(json.texts("cards") == ["HDA Intel PCH"])
    let devices = try JSONObject.array(try #require(json["devices"]))
    #expect(devices.map { $0.text("name") } == ["default", "hw:CARD=PCH,DEV=0"])
    #expect(devices.last?.text("description") == "HDA Intel PCH, ALC257\nDirect hardware device")
    #expect(json["problem"] == nil)
  }

  @Test func `a machine has something to play on with a server, a card or a device that opens`() {
    var list = list(.init(name: "default", problem: "cannot play"), server: nil)
    #expect(list.hasAny)
    list.cards = []
    #expect(!list.hasAny)
    list.problem = "No such file"
    #expect(list.text(inColour: false).hasSuffix("cards: none\n\nALSA lists no devices: No such file"))
    var server = self.list(.init(name: "default", problem: "cannot play"))
    server.cards = []
    #expect(server.hasAny)
  }
}
