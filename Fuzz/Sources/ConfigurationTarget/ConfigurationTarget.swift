import Harness
import SoundTrigger

@testable import soundd

/// A configuration is read the same way each time; its errors lie in the file and can be shown; and one without errors runs.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let (draft, again) = (read(bytes), read(bytes))
  Finding.unless(
    again.configuration == draft.configuration && again.errors == draft.errors,
    "read twice, a configuration is not the same")
  if draft.errors.isEmpty { TrialRun.run(draft.configuration) } else { check(draft.errors, in: FileShape(bytes)) }
  return 0
}

private func read(_ bytes: [UInt8]) -> ConfigurationDraft {
  let environment = SystemEnvironment(
    variables: ["HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1000"], workingDirectory: "/work")
  return ConfigurationDraft(bytes, file: "c.toml", environment: environment)
}

private func check(_ errors: [ConfigurationMessage], in shape: FileShape) {
  for error in errors {
    // A key has at most 128 parts, of each of which at most 60 characters are shown.
    ShownText.check(error.description, limit: 128 * 64 * 4 + 2000)
    Finding.unless(shape.has(error.location), "the error is not in the file: \(error)")
  }
  let places = errors.map(\.location)
  Finding.unless(places == places.sorted(), "the errors are not in the order of the file")
}
