#include "CEvents.h"

bool cevents_recording = false;
_Thread_local void *cevents_own = 0;
