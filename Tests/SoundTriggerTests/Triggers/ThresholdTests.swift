import SoundTrigger
import Testing

@Suite struct ThresholdTests {
  @Test func `a number plays when it comes to lie below, not while it stays there`() {
    Marbles(below: 5).expect(
      values: "7-6-4-3-4-",
      plays: "----4-----")
  }

  @Test func `a number plays when it comes to lie above, not while it stays there`() {
    Marbles(above: 5).expect(
      values: "3-4-6-7-6-",
      plays: "----6-----")
  }

  @Test func `the threshold itself is not beyond it`() {
    Marbles(below: 5).expect(values: "7-5-4", plays: "----4")
    Marbles(above: 5).expect(values: "3-5-6", plays: "----6")
  }

  @Test func `without hysteresis the threshold itself is far enough back`() {
    Marbles(below: 5).expect(values: "7-4-5-4", plays: "--4---4")
    Marbles(above: 5).expect(values: "3-6-5-6", plays: "--6---6")
  }

  @Test func `starting inside does not play and waits to be armed`() {
    Marbles(below: 5).expect(values: "3-4-2-5-4", plays: "--------4")
    Marbles(above: 5).expect(values: "7-8-6-5-6", plays: "--------6")
  }

  @Test func `below 15 with a hysteresis of 5 plays under 15 and arms again at 20`() {
    var rig = TriggerRig(.test(below: 15, hysteresis: 5))
    rig.set([100, 15, 14.9, 19.9, 14, 20, 15, 14])
    #expect(rig.times == [2, 7])
  }

  @Test func `above 90 with a hysteresis of 5 plays over 90 and arms again at 85`() {
    var rig = TriggerRig(.test(above: 90, hysteresis: 5))
    rig.set([10, 90, 90.1, 85.1, 91, 85, 90, 91])
    #expect(rig.times == [2, 7])
  }

  @Test func `between the threshold and the hysteresis the first crossing plays`() {
    var rig = TriggerRig(.test(below: 15, hysteresis: 5))
    rig.set([17, 14])
    #expect(rig.times == [1])
  }

  @Test func `a start inside that goes back only a little is not armed`() {
    var rig = TriggerRig(.test(below: 15, hysteresis: 5))
    rig.set([10, 17, 10, 20, 10])
    #expect(rig.times == [4])
  }

  @Test func `a jump from far beyond to far back and beyond again plays`() {
    var rig = TriggerRig(.test(above: 0, hysteresis: 1))
    rig.set([-9, 1e300, -1e300, .greatestFiniteMagnitude])
    #expect(rig.times == [1, 3])
  }

  @Test func `with two lines a number plays when it leaves the corridor between them, on either side`() {
    Marbles(above: 6, below: 3).expect(
      values: "5-7-8-5-2-1-4-9",
      plays: "--7-----2-----9")
  }

  @Test func `both lines themselves belong to the corridor`() {
    Marbles(above: 6, below: 3).expect(
      values: "5-6-3-6-7-3-2",
      plays: "--------7---2")
  }

  @Test func `a jump from beyond one line to beyond the other plays`() {
    Marbles(above: 6, below: 3).expect(
      values: "5-9-1-9-1",
      plays: "--9-1-9-1")
    var rig = TriggerRig(.test(above: 30, below: 10, hysteresis: 5))
    rig.set([20, 35, 5, 35])
    #expect(rig.times == [1, 2, 3])
  }

  @Test func `each of two lines arms again past itself by the hysteresis`() {
    var rig = TriggerRig(.test(above: 30, below: 10, hysteresis: 5))
    rig.set([20, 35, 25.1, 31, 25, 31, 20, 5, 14.9, 9, 15, 9])
    #expect(rig.times == [1, 5, 7, 11])
  }

  @Test func `a line that is not armed does not hold up the other`() {
    var rig = TriggerRig(.test(above: 30, below: 10, hysteresis: 5))
    rig.set([20, 35, 28, 9, 12, 31])
    #expect(rig.times == [1, 3, 5])
  }

  @Test func `a hysteresis wider than the corridor arms a line from beyond the other alone`() {
    var rig = TriggerRig(.test(above: 30, below: 10, hysteresis: 25))
    rig.set([20, 31, 10, 31, 5, 31, 6, 36, 6])
    #expect(rig.times == [1, 4, 5, 8])
  }

  @Test func `a start beyond one line leaves the other armed`() {
    Marbles(above: 6, below: 3).expect(values: "8-9-1-8", plays: "----1-8")
    Marbles(above: 6, below: 3).expect(values: "1-2-5-2", plays: "------2")
  }

  @Test func `with initial a start beyond either of two lines plays, and one between them does not`() {
    Marbles(above: 6, below: 3, initial: true).expect(values: "8-9-1", plays: "8---1")
    Marbles(above: 6, below: 3, initial: true).expect(values: "1-2-8", plays: "1---8")
    Marbles(above: 6, below: 3, initial: true).expect(values: "5-8-1", plays: "--8-1")
  }

  @Test func `with a direction only one of two lines can be crossed`() {
    Marbles(when: .increase, above: 6, below: 3).expect(values: "5-8-1-8", plays: "--8---8")
    Marbles(when: .decrease, above: 6, below: 3).expect(values: "5-8-1-8", plays: "----1--")
  }

  @Test func `with initial a start inside plays, and then not again until armed`() {
    var rig = TriggerRig(.test(below: 15, hysteresis: 5, initial: true))
    rig.set([10, 17, 10, 20, 10])
    #expect(rig.times == [0, 4])
  }

  @Test func `with initial a start outside plays nothing and is armed`() {
    var rig = TriggerRig(.test(below: 15, hysteresis: 5, initial: true))
    rig.set([17, 10])
    #expect(rig.times == [1])
  }

  @Test func `a crossing that another condition refused is over`() {
    var rig = TriggerRig(.test(to: [.number(95)], above: 90))
    rig.set([80, 92, 95, 80, 95])
    #expect(rig.times == [4])
  }

  @Test func `a crossing that was throttled is over`() {
    var rig = TriggerRig(.test(above: 90, throttle: .milliseconds(3)))
    rig.set([80, 91, 80, 92, 93, 94, 80, 91])
    #expect(rig.times == [1, 7])
  }

  @Test func `a crossing inside a debounced burst is not seen`() {
    Marbles(above: 5, debounce: 2).expect(
      values: "3-93-----9---",
      plays: "-----------9-")
  }

  @Test func `a burst that ends where it began leaves the threshold as it was`() {
    var rig = TriggerRig(.test(below: 15, hysteresis: 5, debounce: .milliseconds(2)))
    for (time, number) in [(0, 30.0), (10, 14), (20, 17), (30, 40), (31, 17), (40, 14), (50, 20), (60, 14)] {
      rig.set(.number(number), at: Int64(time))
    }
    rig.advance(to: 100)
    #expect(rig.times == [12, 62])
  }

  @Test func `a value that appears anew begins anew`() {
    var rig = TriggerRig(.test(above: 5))
    rig.set([1, 6])
    let id = TriggerRig.id(.v0)
    rig.process(Change(value: id, old: .number(1), new: .number(1), isAppearance: true), at: 5)
    rig.process(Change(value: id, old: .number(1), new: .number(7)), at: 6)
    rig.process(Change(value: id, old: .number(8), new: .number(8), isAppearance: true), at: 7)
    rig.process(Change(value: id, old: .number(8), new: .number(9)), at: 8)
    #expect(rig.times == [1, 6])
  }

  @Test func `decimal thresholds arm where they do on paper`() {
    for threshold in 1...40 {
      for hysteresis in 1...40 {
        let back = threshold - hysteresis
        var rig = TriggerRig(.test(above: Double(threshold) / 10, hysteresis: Double(hysteresis) / 10))
        rig.set([-100, 100, Double(back) / 10, 100, Double(back) / 10 + 0.001, 100])
        #expect(rig.times == [1, 3], "above \(threshold)/10 by \(hysteresis)/10")

        rig = TriggerRig(.test(below: -Double(threshold) / 10, hysteresis: Double(hysteresis) / 10))
        rig.set([100, -100, -Double(back) / 10, -100, -Double(back) / 10 - 0.001, -100])
        #expect(rig.times == [1, 3], "below -\(threshold)/10 by \(hysteresis)/10")
      }
    }
  }

  @Test func `a hysteresis too small to matter still needs the number to go back`() {
    var rig = TriggerRig(.test(above: 1, hysteresis: 1e-300))
    rig.set([0, Double(1).nextUp, Double(1).nextUp.nextUp, 2, 1, 2])
    #expect(rig.times == [1, 5])
  }
}
