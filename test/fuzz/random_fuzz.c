// Fuzzes everything between a valid graph and machine code: the bytes choose a graph, its sizes and
// its values, and every way of computing it must agree. See random_graph.h.

#include "../c/random_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  rg_stream stream = {.bytes = data, .size = size, .state = 1};
  stream.wide = rg_below(&stream, 2);
  stream.rounds = stream.wide && rg_below(&stream, 3) == 0;
  stream.computes = !stream.rounds;
  if (!rg_check(&stream))
    abort();
  return 0;
}
