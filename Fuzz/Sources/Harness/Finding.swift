import Glibc

/// What a target found out about an input that must not be so.
package enum Finding {
  /// Ends the run, so that libFuzzer keeps the input, unless `holds`; says `what` should have held.
  package static func unless(_ holds: Bool, _ what: @autoclosure () -> String) {
    if !holds { report(what()) }
  }

  /// Ends the run, so that libFuzzer keeps the input.
  package static func report(_ what: String) -> Never {
    let line = Array("FINDING: \(what)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
  }
}
