@testable import Harness
@testable import soundd

/// Values of every kind and triggers on all of them, few enough that their names are guessed.
enum LineConfiguration {
  static let shared = TargetConfiguration.read(text)

  private static let text = """
    [limits]
    values = 18
    memory = "96 KiB"
    [value.n]
    type = "number"
    [value.b]
    type = "bool"
    [value.j]
    type = "json"
    [value.e]
    type = "event"
    [value.raw]
    trim = false
    [value.rawevent]
    type = "event"
    trim = false
    [value.file]
    file = "/nowhere/file"
    [value.base]
    type = "number"
    [value.above]
    of = "base"
    above = 5
    [value.p]
    of = "j"
    json = "/a"
    [value.m]
    match = 'x(.*)'
    [value.expected]
    expect_every = "1 ms"
    [value.this-name-is-longer-than-sixteen]
    [[trigger]]
    value = ["n", "b", "j", "e", "raw", "rawevent", "above", "p", "m", "expected", "t", "this-name-is-longer-than-sixteen"]
    sound = ["success", "error"]
    pick = "random"
    [[trigger]]
    value = "expected"
    when = "stale"
    sound = "error"
    [[trigger]]
    value = "n"
    above = 3
    hysteresis = 1
    delay = "2 ms"
    cancel = "t"
    sound = "warning"
    [[trigger]]
    value = "t"
    debounce = "1 ms"
    sounds = { a = "start", b = "stop" }
    [[trigger]]
    value = "b"
    to = true
    loop = true
    cancel = "e"
    sound = "alarm"
    """
}
