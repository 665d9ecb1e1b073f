// Whether bytes are UTF-8, against a decoder that is slow and plain, and the order of bytes against
// memcmp; both at the edges of memory.
#include "check.h"
#include "guarded.h"

#include "library/library.h"

static int64_t address_of(const void *p) { return (int64_t)(uintptr_t)p; }

// --- the reference ---

// The code point at *p, and behind it; -1 where there is none.
static int32_t decode(const unsigned char **p, const unsigned char *end) {
  static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
  int32_t first = *(*p)++, more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : 3;
  if (more == 0)
    return first;
  if (first < 0xC0 || first > 0xF7)
    return -1;
  int32_t code = first & (0x3F >> more);
  for (int32_t i = 0; i < more; i++, (*p)++) {
    if (*p == end || **p >> 6 != 2)
      return -1;
    code = code << 6 | (**p & 0x3F);
  }
  bool known = code >= least[more] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return known ? code : -1;
}

static bool is_text(const unsigned char *p, size_t length) {
  const unsigned char *end = p + length;
  while (p < end)
    if (decode(&p, end) < 0)
      return false;
  return true;
}

// --- validity ---

// Between other text and at the end of memory, behind `before` letters.
static bool agrees(const unsigned char *bytes, size_t length, size_t before) {
  unsigned char text[64];
  memset(text, 'x', sizeof text);
  memcpy(text + before, bytes, length);
  bool wanted = is_text(bytes, length);
  return gjl_utf8_valid(address_of(text), (int64_t)(before + length)) == wanted &&
         gjl_utf8_valid(address_of(text), (int64_t)(before + length + 9)) == wanted;
}

static void every_code_point_is_text_and_surrogates_are_not(void) {
  int64_t wrong = 0;
  for (uint32_t code = 0; code<0x112000; code += code> 0x3000 && check_is_quick() ? 61 : 1) {
    unsigned char bytes[4] = {(unsigned char)code};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length; length > 1 && i-- > 0;)
      bytes[i] = (unsigned char)((i ? 0x80 : heads[length]) |
                                 ((code >> 6 * (length - 1 - i)) & (i ? 0x3F : 0x1F)));
    bool wanted = code < 0xD800 || (code > 0xDFFF && code < 0x110000);
    wrong += gjl_utf8_valid(address_of(bytes), (int64_t)length) != wanted;
  }
  CHECK_INT_EQ(wrong, 0);
}

static void all_short_sequences_are_judged_as_by_the_decoder(void) {
  static const unsigned char third[] = {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF};
  int64_t wrong = 0;
  for (unsigned a = 0; a < 256; a++)
    for (unsigned b = 0; b < 256; b++)
      for (unsigned c = 0; c < sizeof third; c++)
        for (unsigned d = 0; d < sizeof third; d++) {
          unsigned char bytes[4] = {(unsigned char)a, (unsigned char)b, third[c], third[d]};
          size_t before = (a + b + c) % 9;
          for (size_t length = 1; length <= 4; length++)
            wrong += !agrees(bytes, length, before);
          if (check_is_quick())
            d = sizeof third;
        }
  CHECK_INT_EQ(wrong, 0);
}

static void nothing_behind_the_end_is_read(void) {
  static const char *const texts[] = {
      "",         "abcdefg",      "abcdefgh",    "abcdefghi",           "ab\xC3\xA9",
      "\xE2\x82", "\xF0\x9F\x98", "abcdefg\xC3", "\xF0\x9F\x98\x80xyzz"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t length = strlen(texts[i]);
    guarded memory;
    memory = guarded_new(length ? length : 1, true);
    CHECK_OR_RETURN(memory.data);
    unsigned char *at = memory.data + (length ? 0 : 1);
    memcpy(at, texts[i], length);
    CHECK_INT_EQ(gjl_utf8_valid(address_of(at), (int64_t)length), is_text(at, length));
    CHECK_INT_EQ(
        gjl_memory_compare(address_of(at), (int64_t)length, address_of(at), (int64_t)length), 0);
    guarded_free(&memory);
  }
}

// --- order ---

static void bytes_are_in_the_order_of_memcmp(void) {
  uint64_t state = 1;
  for (int round = 0; round < 20000; round++) {
    unsigned char a[24], b[24];
    size_t lengths[2];
    for (size_t i = 0; i < sizeof a; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      a[i] = b[i] = (unsigned char)(state >> 40);
      b[i] = (unsigned char)(state >> 33 & 15 ? a[i] : state >> 48);
    }
    for (int i = 0; i < 2; i++)
      lengths[i] = (state >> (5 + 10 * i)) % (sizeof a + 1);
    size_t common = lengths[0] < lengths[1] ? lengths[0] : lengths[1];
    int order = memcmp(a, b, common);
    int64_t wanted =
        order ? (order > 0) - (order < 0) : (lengths[0] > lengths[1]) - (lengths[0] < lengths[1]);
    CHECK_INT_EQ(
        gjl_memory_compare(address_of(a), (int64_t)lengths[0], address_of(b), (int64_t)lengths[1]),
        wanted);
  }
}

int main(void) {
  CHECK_RUN(every_code_point_is_text_and_surrogates_are_not);
  CHECK_RUN(all_short_sequences_are_judged_as_by_the_decoder);
  CHECK_RUN(nothing_behind_the_end_is_read);
  CHECK_RUN(bytes_are_in_the_order_of_memcmp);
  return check_report();
}
