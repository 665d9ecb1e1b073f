// Fuzzes numbers as text: whatever the bytes are, no function reads beyond them, and what one
// accepts is what libc reads. A number that is accepted is written and read again.

#include "library/numbers/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t address_of(const void *p) { return (int64_t)(uintptr_t)p; }

static void expect(bool ok, const char *what) {
  if (ok)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

// Of a text that was accepted, and ends with 0.
static void check_float(const char *text, int64_t status, int64_t bits) {
  double want = strtod(text, NULL), got = gjl_f64((uint64_t)bits);
  bool infinite = strpbrk(text, "iI") != NULL;
  if (status == GJL_OVERFLOW) {
    expect(isinf(want) && !infinite, "an overflow of what is no such number");
    return;
  }
  expect(isnan(want) ? isnan(got) : memcmp(&want, &got, sizeof got) == 0,
         "another float than libc's");
  for (int64_t style = 0; style < 2; style++) {
    char memory[64];
    gjl_arena arena = {address_of(memory), address_of(memory) + (int64_t)sizeof memory};
    gjl_view view = {0, 0};
    int64_t again = 0;
    gjl_float64_to_text(bits, style, address_of(&view), address_of(&arena));
    expect(gjl_float64_from_text(view.address, view.length, address_of(&again)) == GJL_DONE,
           "a text that is no number");
    expect(again == bits || isnan(got) || got == 0, "a text of another number");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  typedef int64_t from_text(int64_t text, int64_t length, int64_t out);
  static from_text *const others[] = {
      gjl_int8_from_text,   gjl_int16_from_text,  gjl_int32_from_text,
      gjl_uint8_from_text,  gjl_uint16_from_text, gjl_uint32_from_text,
      gjl_uint64_from_text, gjl_bool_from_text,   gjl_float32_from_text};
  // A copy of the bytes alone, so that a sanitizer sees what is beyond them.
  char *exact = malloc(size ? size : 1), *text = calloc(size + 1, 1);
  memcpy(exact, data, size);
  memcpy(text, data, size);
  int64_t out = 0, length = (int64_t)size;
  unsigned char decimal[16];
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    others[i](address_of(exact), length, address_of(&out));
  if (gjl_int64_from_text(address_of(exact), length, address_of(&out)) == GJL_DONE &&
      !strpbrk(text, "xX"))
    expect(out == strtoll(text, NULL, 10), "another integer than libc's");
  int64_t status = gjl_float64_from_text(address_of(exact), length, address_of(&out));
  if (status != GJL_INVALID)
    check_float(text, status, out);
  for (int64_t scale = 0; scale <= 38; scale += 19)
    gjl_decimal_from_text(address_of(exact), length, scale, 38, address_of(decimal));
  if (size > 2) {
    char memory[128];
    gjl_arena arena = {address_of(memory), address_of(memory) + (int64_t)sizeof memory};
    gjl_view view = {0, 0};
    gjl_conv(address_of(exact), length, (int8_t)data[0], (int8_t)data[1], address_of(&view),
             address_of(&arena));
  }
  free(exact);
  free(text);
  return 0;
}
