/// To be preloaded (LD_PRELOAD): notes when a program first hands frames to ALSA or PipeWire.
///
/// $COMMIT_STAMP names a file of 8 bytes. When they are 0, the next commit of at least one frame writes its time there, in
/// nanoseconds of CLOCK_MONOTONIC; the benchmark sets them back to 0.
#ifndef COMMIT_STAMP_H
#define COMMIT_STAMP_H
#endif
