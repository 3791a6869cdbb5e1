import Glibc

/// A content that threads share under a mutex. Never use it on the audio thread. Copies share the content.
///
/// `Mutex` of the standard library does the same, but ThreadSanitizer does not see its locking.
///
/// Safety of `@unchecked Sendable`: the content is accessed only under the mutex.
package struct Guarded<Content: Sendable>: @unchecked Sendable {
  /// The content and the mutex in one piece of memory.
  private final class Buffer: ManagedBuffer<Content, pthread_mutex_t> {
    deinit { _ = withUnsafeMutablePointerToElements { pthread_mutex_destroy($0) } }
  }

  private let buffer: ManagedBuffer<Content, pthread_mutex_t>

  package init(_ content: Content) {
    buffer = Buffer.create(minimumCapacity: 1) { buffer in
      // Without attributes it cannot fail.
      _ = buffer.withUnsafeMutablePointerToElements { pthread_mutex_init($0, nil) }
      return content
    }
  }

  package func withLock<Result, Thrown: Error>(
    _ body: (inout Content) throws(Thrown) -> Result
  ) throws(Thrown) -> Result {
    try buffer.withUnsafeMutablePointers { content, mutex throws(Thrown) in
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&content.pointee)
    }
  }
}
