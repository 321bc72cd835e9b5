#ifndef CJPEG_H
#define CJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg's own interface. On an error libjpeg calls longjmp, which must not pass through a Swift
// function; so each function here is a jump target. TurboJPEG's interface does the same, but
// reports only its last warning's text, and most warnings cost no pixel.

typedef enum {
    cjpeg_whole,
    // The data end before the last pixel.
    cjpeg_cut,
    // Pixels are lost, or the headers are not valid.
    cjpeg_damaged,
} cjpeg_outcome;

typedef struct {
    cjpeg_outcome outcome;
    // Whether the picture is CMYK, whose inks are written unconverted, and not R G B A.
    bool has_inks;
    // The error's text; "" where there was none.
    char message[208];
} cjpeg_result;

typedef struct {
    // The picture's own size, as the caller has read it.
    uint32_t width, height;
    // How many eighths of the size are wanted, 1 to 8; each side is rounded up.
    uint32_t eighths;
    // The limit, whatever the file contains.
    uint32_t scans;
} cjpeg_wish;

// Writes the rows, of 4 bytes a pixel, one after the other, to `pixels`, which must be large
// enough. Stops at the first loss of a pixel. Warnings that cost none are ignored, and so are all
// bytes after the last pixel.
cjpeg_result cjpeg_read(const uint8_t *bytes, size_t count, cjpeg_wish wish, uint8_t *pixels);

// Encodes rows of R G B and an unused byte, with all colors of each pixel, as a file in memory that
// the caller frees with free(). NULL where there is no memory or a JPEG cannot have the size.
// quality: 1 to 100.
uint8_t *cjpeg_write(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, size_t *count);

#endif
