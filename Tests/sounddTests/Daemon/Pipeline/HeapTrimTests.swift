import Testing

@testable import soundd

struct HeapTrimTests {
  @Test func `the heap is trimmed when half of the contents are gone, and never for little`() {
    var trim = HeapTrim()
    let mebibyte = 1 << 20
    var due: [Bool] = []
    for size in [0, 10, 100, 60, 51] where trim.isDue(size * mebibyte) { Issue.record("too early: \(size)") }
    due.append(trim.isDue(50 * mebibyte))
    due.append(trim.isDue(26 * mebibyte))
    due.append(trim.isDue(25 * mebibyte))
    due.append(trim.isDue(10 * mebibyte))
    due.append(trim.isDue(9 * mebibyte))
    due.append(trim.isDue(0))
    due.append(trim.isDue(15 * mebibyte))
    due.append(trim.isDue(0))
    #expect(due == [true, false, true, false, true, false, false, false])
  }
}
