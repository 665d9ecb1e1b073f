// Zeros in data segments: lld stores them, though memory begins as zeros. A segment costs some
// bytes of its own, so it is cut only where more of them follow each other than that.
#include "wasm/trim.h"

#include "wasm/leb.h"

#include <string.h>

enum {
  DATA_COUNT = 12, // the id of a section that is there when segments are used by number
  DATA = 11,
  HEADER = 8,    // bytes before the first section
  LONG_RUN = 16, // zeros that are worth another segment
  ACTIVE = 0,    // kind of a segment that is copied to a constant address: i32.const n end
  I32_CONST = 0x41,
  END = 0x0b
};

typedef struct piece {
  const unsigned char *at, *end;
} piece;

static size_t zeros_at(piece p) {
  size_t count = 0;
  while (p.at + count < p.end && p.at[count] == 0)
    count++;
  return count;
}

// Bytes up to the next long run of zeros or the end.
static size_t content_at(piece p) {
  const unsigned char *at = p.at;
  while (at < p.end) {
    size_t zeros = zeros_at((piece){at, p.end});
    if (zeros >= LONG_RUN || (zeros && at + zeros == p.end))
      break;
    at += zeros ? zeros : 1;
  }
  return (size_t)(at - p.at);
}

static uint32_t write_segments(piece content, uint32_t address, gj_strbuf *out) {
  uint32_t count = 0;
  while (content.at < content.end) {
    size_t zeros = zeros_at(content);
    content.at += zeros;
    address += (uint32_t)zeros;
    size_t size = content_at(content);
    if (!size)
      continue;
    gj_strbuf_char(out, ACTIVE);
    gj_strbuf_char(out, I32_CONST);
    gj_leb_signed(out, (int32_t)address);
    gj_strbuf_char(out, END);
    gj_leb_unsigned(out, size);
    gj_strbuf_bytes(out, content.at, size);
    content.at += size;
    address += (uint32_t)size;
    count++;
  }
  return count;
}

// The segments of a data section, cut; false when they are of another kind.
static bool trim_segments(piece section, uint32_t *out_count, gj_strbuf *out) {
  uint64_t count, size;
  int64_t address;
  bool ok = gj_leb_read_unsigned(&section.at, section.end, &count);
  for (uint64_t i = 0; ok && i < count; i++) {
    ok = section.end - section.at > 2 && section.at[0] == ACTIVE && section.at[1] == I32_CONST;
    section.at += 2;
    ok = ok && gj_leb_read_signed(&section.at, section.end, &address) && section.at < section.end &&
         *section.at++ == END && gj_leb_read_unsigned(&section.at, section.end, &size) &&
         size <= (uint64_t)(section.end - section.at);
    if (!ok)
      break;
    *out_count += write_segments((piece){section.at, section.at + size}, (uint32_t)address, out);
    section.at += size;
  }
  return ok;
}

static void write_section(unsigned id, piece content, gj_strbuf *out) {
  size_t size = (size_t)(content.end - content.at);
  gj_strbuf_char(out, (char)id);
  gj_leb_unsigned(out, size);
  gj_strbuf_bytes(out, content.at, size);
}

static void write_data(piece section, gj_strbuf *out) {
  gj_strbuf segments = {0}, whole = {0};
  uint32_t count = 0;
  if (!trim_segments(section, &count, &segments)) {
    write_section(DATA, section, out);
  } else if (count) {
    gj_leb_unsigned(&whole, count);
    gj_strbuf_bytes(&whole, gj_strbuf_peek(&segments), segments.size);
    const unsigned char *start = (const unsigned char *)gj_strbuf_peek(&whole);
    write_section(DATA, (piece){start, start + whole.size}, out);
  }
  out->failed = out->failed || segments.failed || whole.failed;
  gj_strbuf_fini(&segments);
  gj_strbuf_fini(&whole);
}

void gj_wasm_trim(const unsigned char *bytes, size_t size, gj_strbuf *out) {
  const unsigned char *at = bytes + (size < HEADER ? size : HEADER), *end = bytes + size;
  bool by_number = false;
  gj_strbuf_bytes(out, bytes, (size_t)(at - bytes));
  while (at < end) {
    const unsigned char *start = at;
    unsigned id = *at++;
    uint64_t length;
    if (!gj_leb_read_unsigned(&at, end, &length) || length > (uint64_t)(end - at)) {
      gj_strbuf_bytes(out, start, (size_t)(end - start));
      return;
    }
    by_number = by_number || id == DATA_COUNT;
    piece section = {at, at + length};
    if (id == DATA && !by_number)
      write_data(section, out);
    else
      write_section(id, section, out);
    at += length;
  }
}
