import Glibc
import SoundTrigger
import SoundWire

/// A stream of a process on a sound server: what a desktop's mixer shows of it, and may have muted.
///
/// The servers keep mute and volume of all notifications together, over restarts.
struct SoundStream: Equatable {
  /// The program that changes it.
  enum Mixer {
    /// pactl, of PulseAudio.
    case pactl
    /// wpctl, of PipeWire.
    case wpctl
  }

  var mixer: Mixer
  /// Its number for the mixer.
  var id: Int
  var isMuted: Bool
  /// As the mixer shows it; 100 leaves the sound as it is.
  var percent: Int
  /// Whether it was made to look at it, and is gone.
  var isTrial = false

  init(mixer: Mixer, id: Int, isMuted: Bool, percent: Int) {
    (self.mixer, self.id, self.isMuted, self.percent) = (mixer, id, isMuted, percent)
  }

  /// The remedies for its mute and its volume.
  var remedies: (mute: String, volume: String) {
    if isTrial {
      // The daemon's stream stays for some seconds, and then the command with its number is known.
      let again = "soundd play tick; soundd doctor; or turn up 'System Sounds' in pavucontrol"
      return (again, again)
    }
    return switch mixer {
    case .pactl: ("pactl set-sink-input-mute \(id) 0", "pactl set-sink-input-volume \(id) 100%")
    case .wpctl: ("wpctl set-mute \(id) 0", "wpctl set-volume \(id) 100%")
    }
  }

  /// From what `pactl list sink-inputs` prints: the stream of a process, a muted one if it has several; `nil` if it has none.
  init?(pactl text: String, process: Int) {
    var found: [SoundStream] = []
    for block in text.split(separator: "Sink Input #", omittingEmptySubsequences: false).dropFirst() {
      var stream = SoundStream(mixer: .pactl, id: 0, isMuted: false, percent: 100)
      var isOfProcess = false
      for line in block.split(separator: "\n") {
        let line = line.drop { $0 == "\t" || $0 == " " }
        if line.hasPrefix("Mute: yes") { stream.isMuted = true }
        if line.hasPrefix("Volume:") {
          let percents = line.split(separator: " ").filter { $0.hasSuffix("%") }.compactMap { Int($0.dropLast()) }
          stream.percent = percents.max() ?? 100
        }
        if line == "application.process.id = \"\(process)\"" { isOfProcess = true }
      }
      guard isOfProcess, let id = Int(block.prefix { $0.isNumber }) else { continue }
      stream.id = id
      found.append(stream)
    }
    guard let stream = Self.worst(of: found) else { return nil }
    self = stream
  }

  /// The same from what `pw-dump` prints.
  init?(dump: String, process: Int) {
    guard let elements = try? JSONDocument(Array(dump.utf8)).elements else { return nil }
    // An object of another shape, such as one of a later PipeWire, hides no other.
    let objects = elements.compactMap { try? PipeWireObject.read($0) }
    func isOfProcess(_ object: PipeWireObject) -> Bool { object.info?.properties.process?.text == "\(process)" }
    let clients = objects.filter { $0.type == "PipeWire:Interface:Client" && isOfProcess($0) }.map(\.id)
    let found = objects.compactMap { object -> SoundStream? in
      guard object.type == "PipeWire:Interface:Node", let info = object.info,
        info.properties.mediaClass?.text == "Stream/Output/Audio",
        info.properties.client.map({ clients.map(String.init).contains($0.text) }) ?? false || isOfProcess(object),
        let setting = info.parameters.settings.first(where: { $0.mute != nil })
      else { return nil }
      // The mixer shows the cubic root.
      let loudest = setting.volumes?.max() ?? 1
      return SoundStream(
        mixer: .wpctl, id: object.id, isMuted: setting.mute == true,
        percent: Int((cbrt(min(max(loudest, 0), 1000)) * 100).rounded()))
    }
    guard let stream = Self.worst(of: found) else { return nil }
    self = stream
  }

  private static func worst(of streams: [SoundStream]) -> SoundStream? {
    streams.first(where: \.isMuted) ?? streams.min { $0.percent < $1.percent }
  }
}

/// An object in what `pw-dump` prints. The names are PipeWire's.
private struct PipeWireObject: Message {
  var id = 0
  var type = ""
  var info: Info?

  mutating func members(_ m: inout some Members) {
    m("id", &id)
    m("type", &type)
    m("info", &info)
  }

  struct Info: Message {
    var properties = Properties()
    var parameters = Parameters()

    mutating func members(_ m: inout some Members) {
      m("props", &properties)
      m("params", &parameters)
    }
  }

  struct Properties: Message {
    var process: AnyText?
    var mediaClass: AnyText?
    var client: AnyText?

    mutating func members(_ m: inout some Members) {
      m("application.process.id", &process)
      m("media.class", &mediaClass)
      m("client.id", &client)
    }
  }

  struct Parameters: Message {
    var settings: [Setting] = []

    mutating func members(_ m: inout some Members) { m("Props", &settings) }
  }

  struct Setting: Message {
    var mute: Bool?
    var volumes: [Double]?

    mutating func members(_ m: inout some Members) {
      m("mute", &mute)
      m("channelVolumes", &volumes)
    }
  }
}
