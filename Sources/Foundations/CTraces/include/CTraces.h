#ifndef CTRACES_H
#define CTRACES_H

// The recordings, JSON in UTF-8 that ends with a zero. Swift does not import an array without a
// length.
const char *ctraces_get_afnetworking(void);
const char *ctraces_get_alamofire(void);

// What this package does in the same scenarios.
const char *ctraces_get_port_of_afnetworking(void);
const char *ctraces_get_port_of_alamofire(void);

#endif
