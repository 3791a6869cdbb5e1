#include <unistd.h>

#include "calsa.h"
#include "late.h"

// clang-format off
#define FUNCTIONS(X) \
  X(SNDFILE *, sf_open_fd, (int fd, int mode, SF_INFO *info, int closes), (fd, mode, info, closes), \
    (closes ? close(fd) : 0, NULL)) \
  X(int, sf_close, (SNDFILE *file), (file), SF_ERR_SYSTEM) \
  X(int, sf_error, (SNDFILE *file), (file), SF_ERR_SYSTEM) \
  X(const char *, sf_strerror, (SNDFILE *file), (file), problem()) \
  X(const char *, sf_error_number, (int error), (error), problem()) \
  X(int, sf_command, (SNDFILE *file, int command, void *data, int size), (file, command, data, size), SF_ERR_SYSTEM) \
  X(sf_count_t, sf_readf_float, (SNDFILE *file, float *to, sf_count_t frames), (file, to, frames), 0) \
  X(sf_count_t, sf_writef_float, (SNDFILE *file, const float *from, sf_count_t frames), (file, from, frames), 0)
// clang-format on

CALSA_LIBRARY("libsndfile.so.1", "libsndfile1", "recommended", "sndfile", "Reads and writes sound files", FUNCTIONS)
