#include <stdio.h>

#include "calsa.h"
#include "late.h"

CALSA_LIBRARY("libpcre2-8.so.0", "libpcre2-8-0", "recommended", "pcre2", "Searches with regular expressions", PCRE2_FUNCTIONS)
