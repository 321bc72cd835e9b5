#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// simdjson's parser with its buffers. Nothing that is C++ is seen from outside, so that no Swift
// module needs C++ interoperability.
typedef struct csimdjson_reader csimdjson_reader;

// What a reader holds of a document until it reads another one.
typedef struct {
    // The values in their order: simdjson's tape, as its documentation describes it.
    const uint64_t *tape;
    // The texts the tape points to: a length of four bytes, UTF-8, a zero.
    const uint8_t *texts;
    // The document, and where in it each bracket, brace, colon, comma and value begins. A number's
    // own digits are seen there alone: the tape has only its value.
    const uint8_t *source;
    const uint32_t *positions;
} csimdjson_document;

// NULL where there is no memory. A reader is used by one thread at a time.
csimdjson_reader *csimdjson_new_reader(void);
void csimdjson_free_reader(csimdjson_reader *reader);

// The size of document that there is room for without asking for memory.
size_t csimdjson_room(const csimdjson_reader *reader);

// Whether the bytes are one JSON value that can be read in one way only; the document is then set.
bool csimdjson_read(
    csimdjson_reader *reader, const uint8_t *bytes, size_t count, csimdjson_document *document);

#ifdef __cplusplus
}
#endif

#endif
