#include <unistd.h>

#include "calsa.h"
#include "late.h"

CALSA_LIBRARY("libsndfile.so.1", "libsndfile1", "recommended", "sndfile", "Reads and writes sound files", SNDFILE_FUNCTIONS)

const char *sf_library_problem(void) { return problem(); }
