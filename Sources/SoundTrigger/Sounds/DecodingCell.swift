import CALSA
import Glibc

/// Decodes sound files in another process, because files from the web attack decoders.
///
/// The process is this program again. It gets the opened files, and for each one memory for its frames. It can do nothing but compute,
/// and read and write these (`clinux_confine`), and it is killed at its limits of time and memory.
package struct DecodingCell: Sendable {
  /// The argument that makes this program the process.
  package static let command = "decode-files"
  /// How long all files may take, in nanoseconds. One file may take half of it.
  private static let patience: Int64 = 20_000_000_000
  /// How many files a process gets, because it may have few descriptors.
  private static let mostFiles = 64
  /// How many bytes the process may use.
  private static let memory = 1 << 30
  /// The first line of a process that the kernel has confined. No file is read before it.
  private static let confined = "confined"
  /// The exit status of a process that the kernel cannot confine.
  private static let unconfined: Int32 = 69

  let loader: ClipLoader
  /// How much memory the clips may take together. With a limit, the files are decoded one after the other.
  var room: ClipRoom?
  /// The program and its first arguments. A test has another one.
  var program = ["/proc/self/exe", command]
  var patience = Self.patience

  init(_ loader: ClipLoader, room: ClipRoom? = nil) { (self.loader, self.room) = (loader, room) }

  /// Whether the kernel confines the process.
  package static var isSupported: Bool { DecodingCell(ClipLoader(rate: 48_000)).run([], until: .max) != nil }

  /// The clips of files; `nil` if no process can be confined, or none can be started.
  ///
  /// Blocks, on a thread that does not end before. A file at which the process ends is corrupt, and another process decodes the rest.
  func decode(_ paths: [String]) -> [Result<Clip, SoundError>]? {
    let end = ChildProcess.now + patience
    if room != nil { return decode(paths[...], until: end) }
    // As many processes at once as there are processors.
    let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let share = min(Self.mostFiles, max(8, (paths.count + processors - 1) / processors))
    let starts = Array(stride(from: 0, to: paths.count, by: share))
    let work = Guarded((rest: starts, results: [Int: [Result<Clip, SoundError>]]()))
    DetachedThread.concurrently("soundd-decoder", others: min(processors, starts.count) - 1) {
      while let start = work.withLock({ $0.rest.popLast() }) {
        let results = decode(paths[start..<min(start + share, paths.count)], until: end)
        work.withLock { $0.results[start] = results }
      }
    }
    let results = work.withLock { $0.results }
    return results.count == starts.count ? starts.flatMap { results[$0] ?? [] } : nil
  }

  /// The clips of files, decoded by one process after the other.
  private func decode(_ paths: ArraySlice<String>, until end: Int64) -> [Result<Clip, SoundError>]? {
    var results: [Result<Clip, SoundError>] = []
    var cell = self
    while results.count < paths.count {
      let batch = Array(paths.dropFirst(results.count).prefix(Self.mostFiles))
      guard let new = cell.run(batch, until: end) else { return nil }
      for clip in new.compactMap({ try? $0.get() }) { cell.room?.bytes -= clip.byteCount }
      results += new
      let isLate = ChildProcess.now >= end
      results += batch[new.count...].prefix(isLate ? .max : 1).map { path in
        let late = "decoding all of them takes more than \(patience / 1_000_000_000) s; the daemon tries again"
        let damage =
          "it is damaged, or made for an attack: its decoder took too much time or memory, or did what it must not"
        return .failure(isLate ? .noMemory(path: path, reason: late) : .corrupt(path: path, reason: damage))
      }
    }
    return results
  }

  // MARK: This process

  /// What a process makes of files, up to the one at which it ends.
  private func run(_ paths: [String], until end: Int64) -> [Result<Clip, SoundError>]? {
    var room = room
    let files = paths.map { path in Result { () throws(SoundError) in try SoundDecoder.open(path) } }
    let memory = paths.map { _ in ChildProcess.memory() }
    defer { for descriptor in files.compactMap({ try? $0.get() }) + memory where descriptor >= 0 { close(descriptor) } }
    var kept: [Int32] = []
    for (file, frames) in zip(files, memory) { if case .success(let file) = file { kept += [file, frames] } }
    let numbers = [loader.rate, loader.limitSeconds, byteLimit, room.map { max(0, $0.bytes) } ?? Int.max]
    let arguments = program + numbers.map { "\($0)" } + kept.map { "\($0)" }
    // It gets none of the variables, which may hold secrets.
    guard !memory.contains(where: { $0 < 0 }), let process = try? ChildProcess.start(arguments, keeping: kept) else {
      return nil
    }
    let child = ChildProcess(process, limit: 1 << 18, silence: patience / 2, until: end)
    // Whole lines alone.
    var lines = String(decoding: child.output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast()
    // A confined process that was taken over must not get its files decoded here, whatever its status is.
    if lines.popFirst() ?? "" != Self.confined, child.status == Self.unconfined << 8 { return nil }
    var results: [Result<Clip, SoundError>] = []
    for (index, path) in paths.enumerated() {
      if case .failure(let error) = files[index] {
        results.append(.failure(error))
      } else if let line = lines.popFirst() {
        results.append(
          Result { () throws(SoundError) in
            let clip = try clip(of: path, memory[index], line, room: room)
            try room?.take(clip, of: path)
            return clip
          })
        // The clip has a copy.
        ftruncate(memory[index], 0)
      } else {
        break
      }
    }
    return results
  }

  /// Reads the frames of a file, and trusts nothing: the process may have been taken over.
  func clip(of path: String, _ frames: Int32, _ line: Substring, room: ClipRoom? = nil) throws(SoundError) -> Clip {
    let words = line.prefix(200).filter { " "..."~" ~= $0 }
      .split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    let text = words.dropFirst().joined(separator: " ")
    switch words.first {
    case "corrupt": throw .corrupt(path: path, reason: text)
    case "foreign": throw .foreign(path: path, format: text.isEmpty ? nil : text)
    case "full": if let room { throw room.refusal(of: path) }
    case "long": throw .tooLong(path: path, limitSeconds: loader.limitSeconds)
    case "memory": throw .noMemory(path: path, reason: text)
    default: break
    }
    let damage = SoundError.corrupt(path: path, reason: "its decoder returned no frames that can be played")
    let size = lseek(frames, 0, SEEK_END)
    guard words.count == 4, words[0] == "ok", let channels = Int(words[1]), 1...2 ~= channels,
      let count = Int(words[2]),
      0...byteLimit ~= count, count * channels * MemoryLayout<Float>.size == size,
      // Of length 1 at least, because a sound may have no frame after its rate was changed.
      let start = mmap(nil, max(1, size), PROT_READ, MAP_PRIVATE, frames, 0), start != MAP_FAILED
    else { throw damage }
    defer { munmap(start, max(1, size)) }
    let samples = UnsafeBufferPointer(start: start.assumingMemoryBound(to: Float.self), count: count * channels)
    // A resampler swings over.
    guard samples.allSatisfy({ abs($0) <= 4 * SoundDecoder.largestSample }) else { throw damage }
    do throws(OutOfMemory) {
      return try Clip(
        samples, channels: channels, rate: loader.rate, truncation: words[3].isEmpty ? nil : "\(words[3])")
    } catch {
      throw .noMemory(path: path, reason: "\(error)")
    }
  }

  /// How many bytes of frames a sound may have.
  private var byteLimit: Int { (loader.limitSeconds + 1) * loader.rate * 2 * MemoryLayout<Float>.size }

  // MARK: The other process

  /// Decodes files as the arguments after `command` say, and ends the process: the rate, the two limits, the room for all clips, and
  /// for each file its descriptor and that of the memory for its frames.
  package static func run(_ arguments: [String]) -> Never {
    let numbers = arguments.compactMap { Int($0) }
    guard numbers.count >= 4, numbers.count % 2 == 0 else { _exit(64) }
    let loader = ClipLoader(rate: numbers[0], limitSeconds: numbers[1])
    // Decoders print, and nobody reads it.
    let answers = dup(STDOUT_FILENO)
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] { dup2(STDIN_FILENO, descriptor) }
    // The libraries are loaded before the process is confined.
    _ = sf_strerror(nil)
    _ = try? Resampler(path: "", from: 44_100, to: 48_000, channels: 2)
    let isConfined = ChildProcess.confine(memory: memory, file: numbers[2], seconds: patience / 1_000_000_000)
    if !isConfined { _exit(unconfined) }
    answer(confined)
    var room = ClipRoom(bytes: numbers[3], limit: numbers[3], isForAll: true)
    for index in stride(from: 4, to: numbers.count, by: 2) {
      answer(
        loader.decode(
          Int32(truncatingIfNeeded: numbers[index]), to: Int32(truncatingIfNeeded: numbers[index + 1]), room: &room))
    }
    _exit(0)

    func answer(_ line: String) {
      let bytes = Array("\(line)\n".utf8)
      if write(answers, bytes, bytes.count) != bytes.count { _exit(74) }
    }
  }
}

extension ClipLoader {
  /// Decodes an opened file, and writes its frames to another one. Returns what became of it, in a line.
  func decode(_ file: Int32, to frames: Int32, room: inout ClipRoom) -> String {
    do throws(SoundError) {
      var decoder = try SoundDecoder(file, path: "", limitSeconds: limitSeconds)
      let buffer = try samples(of: &decoder, room: room)
      room.bytes -= Clip.byteCount(frames: buffer.samples.count / decoder.channels)
      var rest = UnsafeRawBufferPointer(buffer.samples)[...]
      while !rest.isEmpty {
        let count = write(frames, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count <= 0 { return "memory \(String(cString: strerror(errno)))" }
        rest = rest.dropFirst(count)
      }
      return "ok \(decoder.channels) \(buffer.samples.count / decoder.channels) \(decoder.truncation ?? "")"
    } catch {
      return switch error {
      case .corrupt(_, let reason): "corrupt \(reason)"
      case .tooLong: "long"
      case .foreign(_, let format): "foreign \(format ?? "")"
      case .noRoom: "full"
      case .noMemory(_, let reason): "memory \(reason)"
      case .notFound, .disabled, .missing, .unreadable, .unavailable, .unspoken: "corrupt \(error)"
      }
    }
  }
}
