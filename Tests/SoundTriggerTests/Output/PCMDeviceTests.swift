import Foundation
import SoundTrigger
import TestSupport
import Testing

struct PCMDeviceTests {
  let folder = TemporaryFolder()

  @Test func `devices may be opened by several threads, while another one plays`() throws {
    let output = try Output(OutputSettings(device: "file:\(folder("out.raw")),raw"))
    let samples = noise(frames: 4800, seed: 9)
    #expect(output.control.start(Clip(stereo: samples, rate: output.rate), loops: true) != nil)
    output.wake()
    DispatchQueue.concurrentPerform(iterations: 40) { index in
      let device = OpenedDevice.open(OutputSettings(device: index % 4 == 3 ? "no-such-pcm" : "null"))
      #expect((device.error == nil) == (index % 4 != 3))
    }
    #expect(output.collect() == nil)
    #expect(output.device != nil)
    output.stop()
  }

  @Test(arguments: [("null", "NULL"), ("plug:null", "PLUG"), ("none", nil), ("no-such-pcm", nil)])
  func `a PCM's type is the one that ALSA tells`(device: String, type: String?) {
    #expect(TriedDevice.tryToOpen(OutputSettings(device: device)).type == type)
  }

  @Test func `the error of a device that does not open has ALSA's first message, which names the cause`() {
    #expect(TriedDevice.tryToOpen(OutputSettings(device: "no-such-pcm")).error?.detail == "Unknown PCM no-such-pcm")
    let card = TriedDevice.tryToOpen(OutputSettings(device: "hw:31")).error
    #expect(card?.detail != nil && card?.detail?.contains("\n") == false, "\(String(describing: card))")
    #expect("\(card.map { "\($0)" } ?? "")" == "cannot play on 'hw:31': No such file or directory (snd_pcm_open)")
  }
}
