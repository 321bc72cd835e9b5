#include "CSimdJSON.h"

#include <cstring>
#include <memory>
#include <new>

#include <simdjson.h>

struct csimdjson_reader {
    simdjson::dom::parser parser;
    std::unique_ptr<uint8_t[]> source;
    size_t room = 0;
};

namespace {

// As many containers within each other as Foundation takes.
constexpr size_t deepest = 512;
// Buffers grow in steps, so that documents of slightly different sizes share them.
constexpr size_t step = 1 << 16;

bool make_room(csimdjson_reader &reader, size_t count) {
    if (count <= reader.room) {
        return true;
    }
    size_t room = (count + step - 1) / step * step;
    reader.room = 0;
    reader.source.reset(new (std::nothrow) uint8_t[room + simdjson::SIMDJSON_PADDING]);
    if (!reader.source || reader.parser.allocate(room, deepest) != simdjson::SUCCESS) {
        return false;
    }
    reader.room = room;
    return true;
}

// Foundation leaves a byte order mark out where a text, or a part of it behind an escape, begins.
bool has_byte_order_mark(const uint8_t *at, const uint8_t *end) {
    while (end - at >= 3) {
        at = static_cast<const uint8_t *>(memchr(at, 0xEF, size_t(end - at) - 2));
        if (!at) {
            return false;
        }
        if (at[1] == 0xBB && at[2] == 0xBF) {
            return true;
        }
        at += 1;
    }
    return false;
}

}

csimdjson_reader *csimdjson_new_reader(void) {
    return new (std::nothrow) csimdjson_reader;
}

void csimdjson_free_reader(csimdjson_reader *reader) {
    delete reader;
}

size_t csimdjson_room(const csimdjson_reader *reader) {
    return reader->room;
}

bool csimdjson_read(
    csimdjson_reader *reader, const uint8_t *bytes, size_t count, csimdjson_document *document) {
    if (count == 0 || has_byte_order_mark(bytes, bytes + count) || !make_room(*reader, count)) {
        return false;
    }
    // simdjson reads, but does not use, some bytes behind the end.
    uint8_t *source = reader->source.get();
    memcpy(source, bytes, count);
    memset(source + count, 0, simdjson::SIMDJSON_PADDING);
    if (reader->parser.parse(source, count, false).error() != simdjson::SUCCESS) {
        return false;
    }
    document->tape = reader->parser.doc.tape.get();
    document->texts = reader->parser.doc.string_buf.get();
    document->source = source;
    document->positions = reader->parser.implementation->structural_indexes.get();
    return true;
}
