#include "calsa.h"
#include "late.h"

CALSA_LIBRARY(
  "libsoxr.so.0", "libsoxr0", "recommended", "soxr", "Converts sounds to the rate of the device", SOXR_FUNCTIONS)
