import CMixer

/// An earlier state of a mixer, from which it can be rendered again, and the states of the limiter since then.
///
/// Belongs to its mixer. Memory of a fixed size.
struct MixerPast: ~Copyable {
  // Functions, since the render path may not call what is initialised lazily.
  /// Every how many frames the limiter's state is noted; a power of two.
  @_noLocks static func stride() -> Int { 64 }
  /// How many notes are kept; a power of two.
  @_noLocks static func noteCount() -> Int { 1024 }

  /// Whether there is a timeline; if not, a voice is retired as soon as it is rendered to its end.
  var isKept = false
  var frame = 0
  let voices: UnsafeMutablePointer<Voice>
  var count = 0
  var stopping = 0
  var master = MasterGain()
  var limiterReduction = cmixer_reduction(missing: 0, held: 0)
  /// What the limiter took away before every `stride`th frame, in turns.
  private let notes: UnsafeMutablePointer<cmixer_reduction>

  /// A past of so many voices, in the mixer's own memory.
  init(capacity: Int, _ memory: LockedMemory) {
    voices = memory.allocate(Voice.self, capacity: capacity)
    notes = memory.allocate(cmixer_reduction.self, capacity: Self.noteCount())
    notes.initialize(repeating: cmixer_reduction(missing: 0, held: 0), count: Self.noteCount())
  }

  /// Notes the limiter's state before a frame, if it is one that gets a note.
  @_noLocks func note(_ reduction: cmixer_reduction, before frame: Int) {
    if frame % Self.stride() == 0 { notes[place(of: frame)] = reduction }
  }

  /// The state noted before a frame; the frame is a multiple of the stride.
  @_noLocks func note(before frame: Int) -> cmixer_reduction { notes[place(of: frame)] }

  @_noLocks private func place(of frame: Int) -> Int { frame / Self.stride() % Self.noteCount() }
}
