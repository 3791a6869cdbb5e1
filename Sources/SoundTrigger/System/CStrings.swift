import Glibc

/// Arrays of strings for C, such as the arguments of a program.
package enum CStrings {
  /// Calls `body` with a NULL-terminated array of C strings.
  package static func with<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return withExtendedLifetime(pointers) { body(pointers) }
  }
}
