/// By how much every limit of time in the tests is longer than in an ordinary build.
///
/// The build sets it: a sanitizer makes a program slower, and the Thread Sanitizer several times as slow as the other one. Beside other
/// programs the limits of an ordinary build are too short for that.
package let timeFactor = isThreadSanitized ? 10 : isSanitized ? 5 : 1

/// The limit of what takes at most so many seconds in an ordinary build.
package func atMost(_ seconds: Double) -> Double { seconds * Double(timeFactor) }

/// The limit of what takes at most so long in an ordinary build.
package func atMost(_ duration: Duration) -> Duration { duration * timeFactor }
