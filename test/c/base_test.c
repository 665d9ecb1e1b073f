// Tests of src/base: sizes, errors, arenas, arrays, string buffers, hashes.

#include "check.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/size.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "base/table.h"

#include <stdlib.h>

static void every_status_has_a_distinct_name_and_a_doc(void) {
  for (int i = 0; i < GJ_STATUS_COUNT; i++) {
    CHECK(strlen(gj_status_doc((gj_status)i)) > 10);
    for (int j = 0; j < i; j++)
      CHECK(strcmp(gj_status_name((gj_status)i), gj_status_name((gj_status)j)) != 0);
  }
  CHECK_STR_EQ(gj_status_name(GJ_E_SHAPE), "ERR_SHAPE");
  CHECK_STR_EQ(gj_status_name((gj_status)1000), "ERR_INTERNAL");
}

static void fail_stores_code_and_message_and_accepts_no_error(void) {
  gj_error err = {0};
  CHECK_INT_EQ(gj_fail(&err, GJ_E_SHAPE, "sizes differ: %d vs %d", 3, 4), GJ_E_SHAPE);
  CHECK_INT_EQ(err.code, GJ_E_SHAPE);
  CHECK_STR_EQ(err.message, "sizes differ: 3 vs 4");
  CHECK_INT_EQ(gj_fail(NULL, GJ_E_DTYPE, "unseen"), GJ_E_DTYPE);
}

static void fail_can_wrap_the_message_it_replaces(void) {
  gj_error err = {0};
  gj_fail(&err, GJ_E_PARSE, "bad digit");
  gj_fail(&err, err.code, "line 3: %s", err.message);
  CHECK_STR_EQ(err.message, "line 3: bad digit");
}

static void fail_keeps_messages_on_one_line(void) {
  gj_error err = {0};
  gj_fail(&err, GJ_E_PARSE, "unknown op 'a\nb\x7f\tc'");
  CHECK_STR_EQ(err.message, "unknown op 'a b  c'");
}

static void fail_cuts_long_messages_between_characters(void) {
  // Two-, three- and four-byte characters, at every offset relative to the end of the buffer.
  static const char *const characters[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
  for (size_t c = 0; c < 3; c++) {
    size_t width = strlen(characters[c]);
    for (size_t lead = 0; lead < width; lead++) {
      char text[2 * GJ_ERROR_CAPACITY];
      size_t size = 0;
      while (size < lead)
        text[size++] = 'x';
      while (size < GJ_ERROR_CAPACITY + 100) {
        memcpy(text + size, characters[c], width);
        size += width;
      }
      text[size] = '\0';
      gj_error err = {0};
      gj_fail(&err, GJ_E_PARSE, "%s", text);
      size_t kept = strlen(err.message);
      CHECK(kept > GJ_ERROR_CAPACITY - 1 - width);
      CHECK_INT_EQ((kept - lead) % width, 0);
    }
  }
}

static gj_status double_unless_negative(int value, int *out_value, gj_error *err) {
  if (value < 0)
    return gj_fail(err, GJ_E_ARGUMENT, "value is negative: %d", value);
  *out_value = 2 * value;
  return GJ_OK;
}

static gj_status double_twice(int value, int *out_value, gj_error *err) {
  GJ_TRY(double_unless_negative(value, out_value, err));
  GJ_TRY(double_unless_negative(*out_value, out_value, err));
  return GJ_OK;
}

static void try_passes_failures_through(void) {
  gj_error err = {0};
  int value = 0;
  CHECK_OK(double_twice(3, &value, &err), &err);
  CHECK_INT_EQ(value, 12);
  CHECK_INT_EQ(double_twice(-1, &value, &err), GJ_E_ARGUMENT);
  CHECK_INT_EQ(value, 12);
}

static void size_arithmetic_reports_overflow_and_keeps_the_output(void) {
  size_t size = 7;
  CHECK(gj_add_size(SIZE_MAX - 1, 1, &size));
  CHECK(size == SIZE_MAX);
  CHECK(!gj_add_size(SIZE_MAX, 1, &size));
  CHECK(!gj_mul_size(SIZE_MAX / 2, 3, &size));
  CHECK(!gj_align_size(SIZE_MAX - 3, 16, &size));
  CHECK(size == SIZE_MAX);
  CHECK(gj_align_size(17, 16, &size));
  CHECK_INT_EQ(size, 32);
  int64_t value = 7;
  CHECK(!gj_add_i64(INT64_MAX, 1, &value));
  CHECK(!gj_sub_i64(INT64_MIN, 1, &value));
  CHECK(!gj_mul_i64(INT64_MIN, -1, &value));
  CHECK_INT_EQ(value, 7);
  CHECK(gj_mul_i64(-3, 5, &value));
  CHECK_INT_EQ(value, -15);
}

static void arena_returns_aligned_zeroed_disjoint_memory(void) {
  gj_arena arena;
  gj_arena_init(&arena, 1024);
  unsigned char *seen[200];
  for (size_t i = 0; i < 200; i++) {
    size_t size = i * 7;
    seen[i] = gj_arena_alloc(&arena, size);
    CHECK_OR_RETURN(seen[i]);
    CHECK_INT_EQ((uintptr_t)seen[i] % 16, 0);
    for (size_t k = 0; k < size; k++) {
      CHECK(seen[i][k] == 0);
      seen[i][k] = (unsigned char)i;
    }
  }
  for (size_t i = 0; i < 200; i++)
    for (size_t k = 0; k < i * 7; k++)
      CHECK(seen[i][k] == i);
  gj_arena_fini(&arena);
  CHECK_INT_EQ(arena.total, 0);
  gj_arena_fini(&arena);
}

static void arena_refuses_sizes_that_overflow(void) {
  gj_arena arena;
  gj_arena_init(&arena, 0);
  CHECK(!gj_arena_alloc(&arena, SIZE_MAX));
  CHECK(!gj_arena_alloc(&arena, SIZE_MAX - 20));
  CHECK(!gj_arena_array(&arena, SIZE_MAX / 4, 8));
  CHECK(!gj_arena_strndup(&arena, "x", SIZE_MAX));
  CHECK_INT_EQ(arena.total, 0);
  CHECK(gj_arena_alloc(&arena, 8));
  gj_arena_fini(&arena);
}

static void arena_copies_strings(void) {
  gj_arena arena;
  gj_arena_init(&arena, 0);
  CHECK_STR_EQ(gj_arena_strdup(&arena, ""), "");
  CHECK_STR_EQ(gj_arena_strdup(&arena, "hypot"), "hypot");
  CHECK_STR_EQ(gj_arena_strndup(&arena, "hypot", 2), "hy");
  int64_t dims[2] = {3, 4};
  int64_t *copy = gj_arena_copy(&arena, dims, sizeof dims);
  CHECK(copy && copy[0] == 3 && copy[1] == 4);
  CHECK(gj_arena_copy(&arena, NULL, 0));
  gj_arena_fini(&arena);
}

static void array_growth_keeps_items_and_zeroes_new_ones(void) {
  int *items = NULL;
  size_t capacity = 0;
  for (size_t count = 0; count < 1000; count++) {
    int *grown = gj_array_grow(items, &capacity, count + 1, sizeof *items);
    CHECK_OR_RETURN(grown);
    items = grown;
    CHECK_INT_EQ(items[count], 0);
    items[count] = (int)count;
  }
  for (size_t i = 0; i < 1000; i++)
    CHECK_INT_EQ(items[i], i);
  CHECK_INT_EQ(capacity, 1024);
  CHECK(!gj_array_grow(items, &capacity, SIZE_MAX, sizeof *items));
  CHECK(!gj_array_grow(items, &capacity, SIZE_MAX / 8, 16));
  CHECK_INT_EQ(capacity, 1024);
  free(items);
}

static void strbuf_appends_and_hands_its_text_over(void) {
  gj_strbuf buffer;
  gj_strbuf_init(&buffer);
  CHECK_STR_EQ(gj_strbuf_peek(&buffer), "");
  gj_strbuf_text(&buffer, "graph");
  gj_strbuf_char(&buffer, ' ');
  gj_strbuf_printf(&buffer, "%s[%d]", "hypot", 12);
  gj_strbuf_fill(&buffer, '.', 3);
  gj_strbuf_bytes(&buffer, "\0z", 2);
  CHECK_STR_EQ(gj_strbuf_peek(&buffer), "graph hypot[12]...");
  char *text;
  size_t size;
  gj_error err = {0};
  CHECK_OK(gj_strbuf_take(&buffer, &text, &size, &err), &err);
  CHECK_INT_EQ(size, 20);
  CHECK_INT_EQ(text[20], 0);
  CHECK_INT_EQ(buffer.size, 0);
  free(text);
  CHECK_OK(gj_strbuf_take(&buffer, &text, NULL, &err), &err);
  CHECK_STR_EQ(text, "");
  free(text);
}

static void strbuf_grows_through_many_appends(void) {
  gj_strbuf buffer = {0};
  for (int i = 0; i < 10000; i++)
    gj_strbuf_printf(&buffer, "%d,", i % 10);
  CHECK_INT_EQ(buffer.size, 20000);
  CHECK_INT_EQ(strlen(gj_strbuf_peek(&buffer)), 20000);
  gj_strbuf_fini(&buffer);
}

static void strbuf_stays_failed_once_memory_is_refused(void) {
  gj_strbuf buffer = {0};
  gj_strbuf_text(&buffer, "kept");
  gj_strbuf_fill(&buffer, 'x', SIZE_MAX);
  CHECK(buffer.failed);
  gj_strbuf_text(&buffer, "ignored");
  CHECK_STR_EQ(gj_strbuf_peek(&buffer), "kept");
  char *text;
  gj_error err = {0};
  CHECK_INT_EQ(gj_strbuf_take(&buffer, &text, NULL, &err), GJ_E_MEMORY);
  CHECK(!text);
  CHECK_STR_EQ(err.message, "out of memory after 4 bytes of text");
}

static void hash_depends_on_every_byte_and_on_order(void) {
  unsigned char bytes[40] = {0};
  for (size_t size = 0; size <= sizeof bytes; size++) {
    uint64_t whole = gj_hash_bytes(0, bytes, size);
    CHECK(whole == gj_hash_bytes(0, bytes, size));
    CHECK(whole != gj_hash_bytes(1, bytes, size));
    CHECK(size == 0 || whole != gj_hash_bytes(0, bytes, size - 1));
    for (size_t i = 0; i < size; i++) {
      bytes[i] ^= 0x80;
      CHECK(whole != gj_hash_bytes(0, bytes, size));
      bytes[i] ^= 0x80;
    }
  }
  CHECK(gj_hash_u64(gj_hash_u64(0, 1), 2) != gj_hash_u64(gj_hash_u64(0, 2), 1));
  CHECK(gj_hash_u64(0, 0) != 0);
}

static void tables_find_every_value_of_a_hash(void) {
  gj_table table = {0};
  size_t cursor = 0;
  CHECK_INT_EQ(gj_table_next(&table, 1, &cursor), 0);
  // Hashes that share their low bits collide on purpose; each stands there twice.
  for (uint32_t i = 1; i <= 2000; i++)
    CHECK(gj_table_add(&table, (uint64_t)(i / 2) << 40, i));
  for (uint32_t i = 0; i <= 1000; i++) {
    uint64_t sum = 0, count = 0;
    cursor = 0;
    for (uint32_t v; (v = gj_table_next(&table, (uint64_t)i << 40, &cursor)) != 0; count++)
      sum += v;
    CHECK_INT_EQ(count, i == 0 || i == 1000 ? 1 : 2);
    CHECK_INT_EQ(sum, i == 0 ? 1 : i == 1000 ? 2000 : 4 * i + 1);
  }
  gj_table_fini(&table);
  CHECK_INT_EQ(table.count, 0);
}

int main(void) {
  CHECK_RUN(every_status_has_a_distinct_name_and_a_doc);
  CHECK_RUN(fail_stores_code_and_message_and_accepts_no_error);
  CHECK_RUN(fail_can_wrap_the_message_it_replaces);
  CHECK_RUN(fail_keeps_messages_on_one_line);
  CHECK_RUN(fail_cuts_long_messages_between_characters);
  CHECK_RUN(try_passes_failures_through);
  CHECK_RUN(size_arithmetic_reports_overflow_and_keeps_the_output);
  CHECK_RUN(arena_returns_aligned_zeroed_disjoint_memory);
  CHECK_RUN(arena_refuses_sizes_that_overflow);
  CHECK_RUN(arena_copies_strings);
  CHECK_RUN(array_growth_keeps_items_and_zeroes_new_ones);
  CHECK_RUN(strbuf_appends_and_hands_its_text_over);
  CHECK_RUN(strbuf_grows_through_many_appends);
  CHECK_RUN(strbuf_stays_failed_once_memory_is_refused);
  CHECK_RUN(hash_depends_on_every_byte_and_on_order);
  CHECK_RUN(tables_find_every_value_of_a_hash);
  return check_report();
}
