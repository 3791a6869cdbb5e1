#include "calsa.h"
#include "late.h"

// clang-format off
#define FUNCTIONS(X) \
  X(soxr_t, soxr_create, \
    (double from, double to, unsigned channels, soxr_error_t *error, soxr_io_spec_t const *io, \
     soxr_quality_spec_t const *quality, soxr_runtime_spec_t const *runtime), \
    (from, to, channels, error, io, quality, runtime), (error ? *error = problem() : 0, NULL)) \
  X(soxr_error_t, soxr_process, \
    (soxr_t soxr, soxr_in_t in, size_t length, size_t *taken, soxr_out_t out, size_t room, size_t *written), \
    (soxr, in, length, taken, out, room, written), problem()) \
  X(void, soxr_delete, (soxr_t soxr), (soxr),)
// clang-format on

CALSA_LIBRARY(
  "libsoxr.so.0", "libsoxr0", "recommended", "soxr", "Converts sounds to the rate of the device", FUNCTIONS)
