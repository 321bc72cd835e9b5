#ifndef CJPEG_H
#define CJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg's own interface. libjpeg leaves a function that fails by longjmp, which must not pass
// through a Swift function; so each function here is a place to land on. TurboJPEG's interface does
// the same, but says of its warnings only the last one's text, and most of them cost no pixel.

typedef enum {
    cjpeg_whole,
    // The data end before the last pixel.
    cjpeg_cut,
    // Pixels are lost, or the headers make no picture.
    cjpeg_damaged,
} cjpeg_outcome;

typedef struct {
    cjpeg_outcome outcome;
    // Whether the colors are four inks, which are written as they are, and not R G B A.
    bool has_inks;
    // What was wrong; "" where nothing was.
    char message[208];
} cjpeg_result;

typedef struct {
    // The picture's own size, as the caller has found it.
    uint32_t width, height;
    // How many eighths of it are wanted, 1 to 8; each side is rounded up.
    uint32_t eighths;
    // What is never exceeded, whatever the file says.
    uint32_t scans;
} cjpeg_wish;

// Writes the rows, of 4 bytes a pixel, one after the other, to `pixels`, which has room for them.
// Stops at the first loss of a pixel. What of libjpeg's warnings costs none is passed over, and so is
// whatever follows the last pixel.
cjpeg_result cjpeg_read(const uint8_t *bytes, size_t count, cjpeg_wish wish, uint8_t *pixels);

// Rows of R G B and a byte that is not used, with all colors of each pixel, as a file in memory that
// free() gives back; NULL where there is no memory for it or the size is none that a JPEG can have.
// quality: 1 to 100.
uint8_t *cjpeg_write(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, size_t *count);

#endif
