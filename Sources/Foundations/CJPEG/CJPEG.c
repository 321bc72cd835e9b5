#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// The state for both directions: the jump target, and the reason.
typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf landing;
    // Whether libjpeg has requested more bytes than there are.
    bool is_at_end;
    char message[JMSG_LENGTH_MAX];
} ending;

static ending *ending_of(j_common_ptr info) { return (ending *)info->err; }

static void stop(j_common_ptr info) {
    ending *end = ending_of(info);
    info->err->format_message(info, end->message);
    longjmp(end->landing, 1);
}

static void be_silent(j_common_ptr info) { (void)info; }

// Negative levels are warnings, the others are not needed.
static void note(j_common_ptr info, int level) {
    if (level >= 0) return;
    switch (info->err->msg_code) {
        case JWRN_JPEG_EOF: ending_of(info)->is_at_end = true; break;
        // Stray bytes before a marker, and headers that are read in the usual way, cost no pixel.
        case JWRN_EXTRANEOUS_DATA:
        case JWRN_NOT_SEQUENTIAL:
        case JWRN_JFIF_MAJOR:
        case JWRN_ADOBE_XFORM:
        case JWRN_BOGUS_ICC: break;
        default: stop(info);
    }
}

static struct jpeg_error_mgr *manager_of(ending *end) {
    memset(end, 0, sizeof *end);
    struct jpeg_error_mgr *manager = jpeg_std_error(&end->manager);
    manager->error_exit = stop;
    manager->emit_message = note;
    manager->output_message = be_silent;
    return manager;
}

// Reading

typedef struct {
    struct jpeg_progress_mgr progress;
    int scans;
} scan_limit;

static void count_scans(j_common_ptr info) {
    if (!info->is_decompressor) return;
    j_decompress_ptr decoder = (j_decompress_ptr)info;
    const scan_limit *limit = (const scan_limit *)info->progress;
    if (decoder->input_scan_number <= limit->scans) return;
    ending *end = ending_of(info);
    snprintf(end->message, sizeof end->message, "it has more than %d scans", limit->scans);
    longjmp(end->landing, 1);
}

static void say(cjpeg_result *result, cjpeg_outcome outcome, const char *message) {
    result->outcome = outcome;
    snprintf(result->message, sizeof result->message, "%s", message);
}

static void read_rows(
    j_decompress_ptr decoder, cjpeg_wish wish, uint8_t *pixels, cjpeg_result *result) {
    jpeg_read_header(decoder, TRUE);
    decoder->scale_num = wish.eighths;
    decoder->scale_denom = 8;
    decoder->dct_method = JDCT_ISLOW;
    result->has_inks =
        decoder->jpeg_color_space == JCS_CMYK || decoder->jpeg_color_space == JCS_YCCK;
    decoder->out_color_space = result->has_inks ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_calc_output_dimensions(decoder);
    const uint64_t width = ((uint64_t)wish.width * wish.eighths + 7) / 8;
    const uint64_t height = ((uint64_t)wish.height * wish.eighths + 7) / 8;
    if (decoder->image_width != wish.width || decoder->image_height != wish.height ||
        decoder->output_width != width || decoder->output_height != height) {
        say(result, cjpeg_damaged, "its headers contradict each other");
        return;
    }
    jpeg_start_decompress(decoder);
    while (decoder->output_scanline < decoder->output_height) {
        JSAMPROW row = pixels + (size_t)decoder->output_scanline * width * 4;
        jpeg_read_scanlines(decoder, &row, 1);
    }
    // A single scan is complete where its last pixel is there. Further scans may be missing after
    // the end, and arithmetic decoding continues with zeros.
    if (ending_of((j_common_ptr)decoder)->is_at_end &&
        (jpeg_has_multiple_scans(decoder) || decoder->arith_code)) {
        say(result, cjpeg_cut, "the data end early");
    }
}

cjpeg_result cjpeg_read(const uint8_t *bytes, size_t count, cjpeg_wish wish, uint8_t *pixels) {
    cjpeg_result result = {.outcome = cjpeg_whole};
    ending end;
    struct jpeg_decompress_struct decoder = {.err = manager_of(&end)};
    scan_limit limit = {.progress = {.progress_monitor = count_scans}, .scans = (int)wish.scans};
    if (setjmp(end.landing)) {
        const bool is_cut = end.is_at_end || end.manager.msg_code == JWRN_HIT_MARKER ||
                            end.manager.msg_code == JERR_INPUT_EMPTY;
        say(&result, is_cut ? cjpeg_cut : cjpeg_damaged, end.message);
    } else {
        jpeg_create_decompress(&decoder);
        decoder.progress = &limit.progress;
        jpeg_mem_src(&decoder, bytes, count);
        read_rows(&decoder, wish, pixels, &result);
    }
    jpeg_destroy_decompress(&decoder);
    return result;
}

// Writing

uint8_t *cjpeg_write(
    const uint8_t *pixels, uint32_t width, uint32_t height, int quality, size_t *count) {
    if (width == 0 || height == 0 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) {
        return NULL;
    }
    ending end;
    struct jpeg_compress_struct encoder = {.err = manager_of(&end)};
    unsigned char *file = NULL;
    unsigned long size = 0;
    if (setjmp(end.landing)) {
        // There was no memory. libjpeg returns the file's address only once the file is complete.
        jpeg_destroy_compress(&encoder);
        return NULL;
    }
    jpeg_create_compress(&encoder);
    jpeg_mem_dest(&encoder, &file, &size);
    encoder.image_width = width;
    encoder.image_height = height;
    encoder.input_components = 4;
    encoder.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, quality, TRUE);
    encoder.dct_method = JDCT_ISLOW;
    for (int number = 0; number < encoder.num_components; number++) {
        encoder.comp_info[number].h_samp_factor = 1;
        encoder.comp_info[number].v_samp_factor = 1;
    }
    jpeg_start_compress(&encoder, TRUE);
    while (encoder.next_scanline < height) {
        JSAMPROW row = (JSAMPROW)(pixels + (size_t)encoder.next_scanline * width * 4);
        jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    *count = size;
    return file;
}
