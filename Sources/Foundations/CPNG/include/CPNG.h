#ifndef CPNG_H
#define CPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng's row interface. On an error libpng calls longjmp, which must not pass through a Swift
// function; so each function here is a jump target, and returns whether it succeeded. The
// simplified interface (png_image_*) and png_set_quantize are not used: most security reports of
// recent years concern them.

// A picture read from memory. Used by one thread at a time.
typedef struct cpng_reader cpng_reader;

// The limits, whatever the file contains.
typedef struct {
    uint32_t width, height;
    // The most bytes of a stored chunk, and the most stored chunks.
    size_t chunk_bytes;
    uint32_t chunks;
} cpng_limits;

typedef struct {
    uint32_t width, height;
    // Whether the rows come in seven passes.
    bool is_interlaced;
    // Whether a pixel may not be opaque.
    bool has_alpha;
} cpng_header;

// The bytes must outlive the reader. NULL where there is no memory.
cpng_reader *cpng_new_reader(const uint8_t *bytes, size_t count, cpng_limits limits);
void cpng_free_reader(cpng_reader *reader);

// Reads up to the image data, and asks for 8-bit R G B A, not premultiplied.
bool cpng_read_header(cpng_reader *reader, cpng_header *header);
// The next row, of width times 4 bytes. All rows of an interlaced picture are read once in each of
// the seven passes, each into the memory of the last pass.
bool cpng_read_row(cpng_reader *reader, uint8_t *row);
// Reads what follows the last row, up to the end mark.
bool cpng_read_end(cpng_reader *reader);

// The last error; "" where there was none.
const char *cpng_message(const cpng_reader *reader);
// Whether the error was that bytes are missing.
bool cpng_is_cut(const cpng_reader *reader);

// A picture of rows of 8-bit R G B A, or R G B, as a file in memory that the caller frees with
// free(). NULL where there is no memory or a PNG cannot have the size. level: zlib's, 0 to 9.
uint8_t *cpng_write(
    const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha, int level,
    size_t *count);

#endif
