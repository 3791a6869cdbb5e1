import SoundTrigger
import SoundWire

/// The devices, as `soundd devices` shows them.
struct DeviceList {
  let diagnosis: Diagnosis
  var pcms: [ListedPCM] = []
  /// Why ALSA lists none.
  var problem: String?
  var cards: [String] = []

  /// Whether there is a card or a sound server to play on, or the device of soundd works all the same.
  var hasAny: Bool { diagnosis.facts.server != nil || !cards.isEmpty || diagnosis.facts.device.summary != nil }

  /// For programs: an object.
  var json: [UInt8] {
    let facts = diagnosis.facts
    var message = DevicesMessage()
    (message.device.name, message.device.inUse) = (facts.device.name, facts.status != nil)
    message.device.problem = facts.device.problem
    (message.soundServer, message.cards, message.problem) = (facts.server?.rawValue, cards, problem)
    message.devices = pcms.map { pcm in
      var device = ListedDeviceMessage()
      (device.name, device.description) = (pcm.name, pcm.description)
      return device
    }
    return message.json
  }

  /// For people: what soundd uses, the servers, the cards, and ALSA's PCMs. `width`: see `Table`.
  func text(inColour: Bool, width: Int? = nil) -> String {
    let facts = diagnosis.facts
    let device = diagnosis.device
    let state = "\(facts.status == nil ? "configured" : "in use"): \(device.finding)"
    var lines = [
      inColour && device.state == .problem ? Colour.red.paint(state) : state,
      "sound server: \(facts.server?.rawValue ?? "none")",
      "cards: \(cards.isEmpty ? "none" : cards.joined(separator: ", "))", "",
    ]
    if let problem { return (lines + ["ALSA lists no devices: \(problem)"]).joined(separator: "\n") }
    var rows = pcms.map { pcm in
      [
        pcm.name == facts.device.name ? "*" : "", pcm.name,
        pcm.description.split(separator: "\n").joined(separator: "; "),
      ]
    }
    // A name such as hw:0 is none of those that ALSA lists.
    if !pcms.contains(where: { $0.name == facts.device.name }) { rows.insert(["*", facts.device.name, ""], at: 0) }
    lines += Table(rows: [["", "DEVICE", "DESCRIPTION"]] + rows, wrapsLast: true).lines(width: width).flatMap(\.self)
    return lines.joined(separator: "\n")
  }
}
