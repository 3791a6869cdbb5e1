import Glibc

/// A content that threads share under a mutex. Never use it on the audio thread.
///
/// `Mutex` of the standard library does the same, but ThreadSanitizer does not see its locking.
///
/// Safety of `@unchecked Sendable`: the content is accessed only under the mutex.
package final class Locked<Content: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var content: Content

  package init(_ content: Content) {
    self.content = content
    mutex = .allocate(capacity: 1)
    // Without attributes it cannot fail.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result, Thrown: Error>(
    _ body: (inout Content) throws(Thrown) -> Result
  ) throws(Thrown) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&content)
  }
}
