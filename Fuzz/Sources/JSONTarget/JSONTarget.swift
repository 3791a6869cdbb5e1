import Harness

@testable import SoundTrigger
@testable import soundd

/// A document is read as the plainest reader reads it, its canonical form means the same, and an object of values is one
/// transaction: all of it or nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let plain = try? PlainJSON(bytes)
  checkCanonicalForm(bytes, plain)
  checkScanner(bytes, plain)
  Transaction.check(bytes, plain)
  return 0
}

private func canonicalize(_ bytes: [UInt8]) -> Result<[UInt8], JSONError> {
  Result { () throws(JSONError) in
    var canonicalizer = JSONCanonicalizer()
    try canonicalizer.canonicalize(bytes.span)
    return canonicalizer.result
  }
}

private func checkCanonicalForm(_ bytes: [UInt8], _ plain: PlainJSON?) {
  switch canonicalize(bytes) {
  case .success(let canonical):
    let text = String(decoding: canonical, as: UTF8.self)
    Finding.unless(plain != nil, "what is no JSON was brought to the form \(text)")
    Finding.unless((try? PlainJSON(canonical))?.tree == plain?.tree, "the canonical form means something else: \(text)")
    Finding.unless(canonicalize(canonical) == .success(canonical), "the canonical form has another one: \(text)")
  case .failure(let error):
    check(error, bytes)
    switch error.problem {
    case .exponentOutOfRange: Finding.unless(plain?.hasVastExponent ?? true, "no exponent is out of range")
    default: Finding.unless(plain == nil, "refused was good JSON: \(error)")
    }
  }
}

private func checkScanner(_ bytes: [UInt8], _ plain: PlainJSON?) {
  do throws(JSONError) {
    try JSONScanner.validate(bytes.span)
    Finding.unless(plain != nil, "what is no JSON was taken for it")
  } catch {
    check(error, bytes)
    Finding.unless(plain == nil, "refused was good JSON: \(error)")
  }
}

private func check(_ error: JSONError, _ bytes: [UInt8]) {
  ShownText.check(error.description)
  Finding.unless(0...bytes.count ~= error.offset, "the error is not in the document: \(error)")
}
