// The recordings as they are, so that an installed program has them and the compiler reads none.
// A build does not see that one of them changed: change a line here too.
// Runs of AFNetworking 2.6.3: da934cb6499ae489
// Runs of Alamofire 4.9.1: 2cb8dd517080bde9

.macro text name, file
    .globl \name
\name:
    .incbin "\file"
    .byte 0
.endm

    .section .rodata
text ctraces_afnetworking, "lifecycle-traces.json"
text ctraces_alamofire, "request-lifecycle.json"
text ctraces_port_of_afnetworking, "port-of-lifecycle-traces.json"
text ctraces_port_of_alamofire, "port-of-request-lifecycle.json"

    .section .note.GNU-stack,"",%progbits
