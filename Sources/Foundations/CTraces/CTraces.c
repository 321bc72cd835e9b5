#include "CTraces.h"

extern const char ctraces_afnetworking[];
extern const char ctraces_alamofire[];
extern const char ctraces_port_of_afnetworking[];
extern const char ctraces_port_of_alamofire[];

const char *ctraces_get_afnetworking(void) { return ctraces_afnetworking; }
const char *ctraces_get_alamofire(void) { return ctraces_alamofire; }
const char *ctraces_get_port_of_afnetworking(void) { return ctraces_port_of_afnetworking; }
const char *ctraces_get_port_of_alamofire(void) { return ctraces_port_of_alamofire; }
