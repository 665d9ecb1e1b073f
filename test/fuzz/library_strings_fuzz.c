// Fuzzes the library functions of strings: any function with any operands, valid UTF-8 or not, and
// with much or little memory. See test/c/library_strings.h for what must hold of a call.

#include "../c/library_strings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  string_check(&string_functions[data[0] % STRING_FUNCTIONS], (string_source){data + 1, size - 1});
  return 0;
}
