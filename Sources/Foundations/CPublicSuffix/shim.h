#ifndef CPUBLICSUFFIX_SHIM_H
#define CPUBLICSUFFIX_SHIM_H

#include <libpsl.h>

#endif
