#include "CTicks.h"

_Thread_local void *cticks_own = 0;
