import Testing

@testable import soundd

/// What a sound server says of soundd's own stream.
struct SoundStreamTests {
  /// As pactl of PulseAudio 16.1 prints them.
  private static func input(_ id: Int, process: Int, muted: String, _ percent: Int) -> String {
    """
    Sink Input #\(id)
    \tDriver: protocol-native.c
    \tMute: \(muted)
    \tVolume: front-left: 65536 / \(percent)% / 0.00 dB,   front-right: 65536 / \(percent)% / 0.00 dB
    \t        balance 0.00
    \tProperties:
    \t\tapplication.name = "soundd"
    \t\tapplication.process.id = "\(process)"

    """
  }

  @Test func `pactl's stream of the process is found`() {
    let text = Self.input(3, process: 77, muted: "yes", 0) + Self.input(14, process: 7, muted: "no", 40)
    #expect(SoundStream(pactl: text, process: 7) == SoundStream(mixer: .pactl, id: 14, isMuted: false, percent: 40))
    #expect(SoundStream(pactl: text, process: 77) == SoundStream(mixer: .pactl, id: 3, isMuted: true, percent: 0))
    #expect(SoundStream(pactl: text, process: 9) == nil)
    #expect(SoundStream(pactl: "", process: 7) == nil)
    let two = Self.input(1, process: 7, muted: "no", 100) + Self.input(2, process: 7, muted: "yes", 100)
    #expect(SoundStream(pactl: two, process: 7)?.id == 2, "the one that is muted")
  }

  /// As pw-dump of PipeWire 0.3.65 prints it: the process is the client's.
  private static func dump(mute: Bool, volume: String) -> String {
    """
    [
      { "id": 0, "type": "PipeWire:Interface:Core", "info": { "props": { "core.name": "pipewire-0" } } },
      { "id": 36, "type": "PipeWire:Interface:Port", "info": null },
      { "id": 39, "type": "PipeWire:Interface:Client", "info": { "props": { "application.process.id": 7 } } },
      { "id": 29, "type": "PipeWire:Interface:Node", "info": { "props": { "media.class": "Audio/Sink" },
        "params": { "Props": [ { "mute": true, "channelVolumes": [ 0.000000 ] } ] } } },
      { "id": 40, "type": "PipeWire:Interface:Node", "info": {
        "props": { "client.id": 39, "media.class": "Stream/Output/Audio", "node.name": "soundd" },
        "params": { "Props": [ { "volume": 1.000000, "mute": \(mute), "channelVolumes": [ \(volume), \(volume) ] },
          { "params": [ "audio.channels", 2 ] } ] } } }
    ]
    """
  }

  @Test(
    arguments: [(false, "1.000000", 100), (true, "0.125000", 50), (false, "0.000000", 0)])
  func `PipeWire's stream is that of the process's client, with the volume that mixers show`(
    mute: Bool, volume: String, percent: Int
  ) {
    let text = Self.dump(mute: mute, volume: volume)
    let expected = SoundStream(mixer: .wpctl, id: 40, isMuted: mute, percent: percent)
    #expect(SoundStream(dump: text, process: 7) == expected)
    #expect(SoundStream(dump: text, process: 8) == nil)
    #expect(SoundStream(dump: String(text.dropLast(9)), process: 7) == nil, "it was cut off")
  }

  @Test(
    arguments: [
      #"{ "id": "41", "type": "PipeWire:Interface:Node" }"#, #"{ "id": 41, "type": null }"#,
      #"{ "id": 41, "type": "PipeWire:Interface:Node", "info": { "params": { "Props": [ { "mute": 1 } ] } } }"#, "41",
    ])
  func `an object of an unexpected shape hides no other`(object: String) {
    let dump = "[ \(object), \(Self.dump(mute: true, volume: "1.000000").dropFirst(2))"
    #expect(SoundStream(dump: dump, process: 7)?.id == 40)
  }
}
