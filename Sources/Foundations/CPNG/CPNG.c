#include "CPNG.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// Reading

struct cpng_reader {
    png_structp png;
    png_infop info;
    const uint8_t *bytes;
    size_t count, offset;
    bool is_cut;
    char message[128];
};

static void say(char *text, size_t size, const char *message) {
    strncpy(text, message, size - 1);
    text[size - 1] = 0;
}

// libpng calls it for an error, and it must not return.
static void fail(png_structp png, png_const_charp message) {
    cpng_reader *reader = png_get_error_ptr(png);
    say(reader->message, sizeof reader->message, message);
    png_longjmp(png, 1);
}

// Oddities of chunks besides the image are ignored. Image data that do not match their own checksum
// are damage, although libpng, which has the rows by then, only warns.
static void warn(png_structp png, png_const_charp message) {
    if (strncmp(message, "IDAT: ", 6) == 0 && strstr(message, "data check")) fail(png, message);
}

static void take(png_structp png, png_bytep target, size_t count) {
    cpng_reader *reader = png_get_io_ptr(png);
    if (count > reader->count - reader->offset) {
        reader->is_cut = true;
        png_error(png, "the data end early");
    }
    memcpy(target, reader->bytes + reader->offset, count);
    reader->offset += count;
}

// Chunks of text, color profiles and times: they are not used, and some contain compressed data.
static const png_byte unread[] =
    "cHRM\0" "eXIf\0" "gAMA\0" "hIST\0" "iCCP\0" "iTXt\0" "oFFs\0" "pCAL\0" "pHYs\0" "sBIT\0"
    "sCAL\0" "sPLT\0" "sRGB\0" "sTER\0" "tEXt\0" "tIME\0" "zTXt";

cpng_reader *cpng_new_reader(const uint8_t *bytes, size_t count, cpng_limits limits) {
    cpng_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->bytes = bytes;
    reader->count = count;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, fail, warn);
    if (!reader->png || setjmp(png_jmpbuf(reader->png))) {
        cpng_free_reader(reader);
        return NULL;
    }
    reader->info = png_create_info_struct(reader->png);
    if (!reader->info) {
        cpng_free_reader(reader);
        return NULL;
    }
    png_set_read_fn(reader->png, reader, take);
    png_set_user_limits(reader->png, limits.width, limits.height);
    png_set_chunk_malloc_max(reader->png, limits.chunk_bytes);
    png_set_chunk_cache_max(reader->png, limits.chunks);
    png_set_crc_action(reader->png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
    png_set_keep_unknown_chunks(
        reader->png, PNG_HANDLE_CHUNK_NEVER, unread, (int)(sizeof unread / 5));
    return reader;
}

void cpng_free_reader(cpng_reader *reader) {
    if (!reader) return;
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}

bool cpng_read_header(cpng_reader *reader, cpng_header *header) {
    png_structp png = reader->png;
    if (setjmp(png_jmpbuf(png))) return false;
    png_read_info(png, reader->info);
    png_byte color = png_get_color_type(png, reader->info);
    header->width = png_get_image_width(png, reader->info);
    header->height = png_get_image_height(png, reader->info);
    header->is_interlaced = png_get_interlace_type(png, reader->info) != PNG_INTERLACE_NONE;
    header->has_alpha =
        (color & PNG_COLOR_MASK_ALPHA) || png_get_valid(png, reader->info, PNG_INFO_tRNS);
    png_set_expand(png);
    png_set_scale_16(png);
    if (!(color & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
    if (!header->has_alpha) png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
    png_set_interlace_handling(png);
    png_read_update_info(png, reader->info);
    // Rows longer than expected would be written past their end.
    return png_get_rowbytes(png, reader->info) == (size_t)header->width * 4;
}

bool cpng_read_row(cpng_reader *reader, uint8_t *row) {
    if (setjmp(png_jmpbuf(reader->png))) return false;
    png_read_row(reader->png, row, NULL);
    return true;
}

bool cpng_read_end(cpng_reader *reader) {
    if (setjmp(png_jmpbuf(reader->png))) return false;
    png_read_end(reader->png, NULL);
    return true;
}

const char *cpng_message(const cpng_reader *reader) { return reader->message; }

bool cpng_is_cut(const cpng_reader *reader) { return reader->is_cut; }

// Writing

typedef struct {
    png_structp png;
    png_infop info;
    uint8_t *bytes;
    size_t count, room;
} writer;

static void give_up(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void pass_over(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void append(png_structp png, png_bytep bytes, size_t count) {
    writer *file = png_get_io_ptr(png);
    if (count > file->room - file->count) {
        size_t room = file->room * 2 + count + 4096;
        uint8_t *grown = room > file->room ? realloc(file->bytes, room) : NULL;
        if (!grown) png_error(png, "no memory");
        file->bytes = grown;
        file->room = room;
    }
    memcpy(file->bytes + file->count, bytes, count);
    file->count += count;
}

static void flush(png_structp png) { (void)png; }

// The file is declared outside this function, because a longjmp may leave local variables
// undefined.
static bool write_rows(
    writer *file, const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha,
    int level) {
    file->png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, give_up, pass_over);
    if (!file->png || setjmp(png_jmpbuf(file->png))) return false;
    file->info = png_create_info_struct(file->png);
    if (!file->info) return false;
    png_set_write_fn(file->png, file, append, flush);
    png_set_compression_level(file->png, level);
    png_set_IHDR(
        file->png, file->info, width, height, 8,
        has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(file->png, file->info);
    size_t stride = (size_t)width * (has_alpha ? 4 : 3);
    for (uint32_t row = 0; row < height; row++) {
        png_write_row(file->png, pixels + stride * row);
    }
    png_write_end(file->png, NULL);
    return true;
}

uint8_t *cpng_write(
    const uint8_t *pixels, uint32_t width, uint32_t height, bool has_alpha, int level,
    size_t *count) {
    writer *file = calloc(1, sizeof *file);
    if (!file) return NULL;
    bool is_written = write_rows(file, pixels, width, height, has_alpha, level);
    uint8_t *bytes = file->bytes;
    *count = file->count;
    png_destroy_write_struct(&file->png, &file->info);
    free(file);
    if (is_written) return bytes;
    free(bytes);
    return NULL;
}
