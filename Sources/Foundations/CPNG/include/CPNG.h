#ifndef CPNG_H
#define CPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng's interface of rows. libpng leaves a function that fails by longjmp, which must not pass
// through a Swift function; so each function here is a place to land on, and returns whether it
// went well. The simplified interface (png_image_*) and png_set_quantize are not used: most reports
// of the last years are about them.

// A picture that is read from memory. Used by one thread at a time.
typedef struct cpng_reader cpng_reader;

// What is never exceeded, whatever the file says.
typedef struct {
    uint32_t width, height;
    // Bytes of one chunk that is kept, and how many of such chunks.
    size_t chunk_bytes;
    uint32_t chunks;
} cpng_limits;

typedef struct {
    uint32_t width, height;
    // Whether each row comes in seven passes.
    bool is_interlaced;
    // Whether a pixel may be other than opaque.
    bool has_alpha;
} cpng_header;

// The bytes must outlive the reader. NULL where there is no memory.
cpng_reader *cpng_new_reader(const uint8_t *bytes, size_t count, cpng_limits limits);
void cpng_free_reader(cpng_reader *reader);

// Reads up to the image data, and asks for 8-bit R G B A, not premultiplied.
bool cpng_read_header(cpng_reader *reader, cpng_header *header);
// The next row, of width times 4 bytes. Of an interlaced picture all rows are read once in each
// of the seven passes, each into where it was before.
bool cpng_read_row(cpng_reader *reader, uint8_t *row);
// What is behind the last row, up to the end mark.
bool cpng_read_end(cpng_reader *reader);

// What went wrong last; "" where nothing did.
const char *cpng_message(const cpng_reader *reader);
// Whether it went wrong because there were no more bytes.
bool cpng_is_cut(const cpng_reader *reader);

// A picture of rows of 8-bit R G B A, or R G B, as a file in memory that free() gives back; NULL
// where there is no memory for it or the size is none that a PNG can have. level: zlib's, 0 to 9.
uint8_t *cpng_write(
    const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha, int level,
    size_t *count);

#endif
