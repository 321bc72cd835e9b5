#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// simdjson's parser with its buffers. The interface is C, so that no Swift module needs C++
// interoperability.
typedef struct csimdjson_reader csimdjson_reader;

// The parts of a document that a reader owns until it reads another one.
typedef struct {
    // The values in order: simdjson's tape, as its documentation describes it.
    const uint64_t *tape;
    // The texts that the tape refers to: a length of four bytes, UTF-8, a zero.
    const uint8_t *texts;
    // The document, and the offset of each bracket, brace, colon, comma and value in it. A number's
    // digits are found only there: the tape has its value.
    const uint8_t *source;
    const uint32_t *positions;
} csimdjson_document;

// NULL where there is no memory. A reader is used by one thread at a time.
csimdjson_reader *csimdjson_new_reader(void);
void csimdjson_free_reader(csimdjson_reader *reader);

// The largest document that can be read without allocating memory.
size_t csimdjson_room(const csimdjson_reader *reader);

// Whether the bytes are one JSON value with a unique meaning; the document is then set.
bool csimdjson_read(
    csimdjson_reader *reader, const uint8_t *bytes, size_t count, csimdjson_document *document);

#ifdef __cplusplus
}
#endif

#endif
