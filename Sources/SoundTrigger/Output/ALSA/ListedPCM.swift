import CALSA
import Glibc

/// A PCM that can be played on, as ALSA lists it.
package struct ListedPCM: Equatable, Sendable {
  /// What `device` may be, such as `default` or `hw:CARD=PCH,DEV=0`.
  package var name: String
  /// What it is, for people: one line or several.
  package var description: String

  /// The PCMs of the cards and of ALSA's configuration as it is now, in ALSA's order (snd_device_name_hint). Opens none.
  ///
  /// ALSA leaves out those of its configuration that have no hint. They can be opened all the same.
  package static func all() throws(OutputError) -> [ListedPCM] {
    calsa_silence_errors()
    snd_config_update_free_global()
    var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    let code = snd_device_name_hint(-1, "pcm", &hints)
    guard code >= 0, let first = hints else {
      let reason = String(cString: snd_strerror(code))
      throw OutputError(operation: "snd_device_name_hint", device: "pcm", code: code, reason: reason)
    }
    defer { snd_device_name_free_hint(first) }
    var pcms: [ListedPCM] = []
    var next = first
    while let hint = next.pointee {
      next += 1
      // A PCM without a direction has both.
      guard let name = text(hint, "NAME"), text(hint, "IOID") != "Input" else { continue }
      pcms.append(ListedPCM(name: name, description: text(hint, "DESC") ?? ""))
    }
    return pcms
  }

  private static func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
    guard let text = snd_device_name_get_hint(hint, key) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }
}

/// The sound cards of the machine.
package enum SoundCards {
  /// Their names, such as `HDA Intel PCH` (snd_card_next, snd_card_get_name).
  package static var names: [String] {
    var names: [String] = []
    var card: Int32 = -1
    while snd_card_next(&card) >= 0, card >= 0 {
      var name: UnsafeMutablePointer<CChar>?
      guard snd_card_get_name(card, &name) >= 0, let name else { continue }
      defer { free(name) }
      names.append(String(cString: name))
    }
    return names
  }
}
