// The architectures that are linked in, their processors and features: what can be named.
//
// LLVM's C interface lists neither, and what it does not know it ignores with a line on stderr. So
// the names are a table here, with the two facts of a processor that shape loops.
#ifndef GJ_CODEGEN_TARGETS_PROCESSORS_H
#define GJ_CODEGEN_TARGETS_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gj_processor {
  const char *name;
  unsigned vector_bytes; // 0: no vectors but by a feature
  bool fma;
  const char *features; // that LLVM does not give it by itself; those of a caller come behind
} gj_processor;

typedef struct gj_architecture {
  const char *name;                     // first part of a triple
  const char *const *aliases;           // other first parts that mean it; ends with NULL
  const char *triple;                   // what one may ask for
  const char *const *features;          // names without + or -; ends with NULL
  const char *const *needed;            // of them: what code cannot do without; ends with NULL
  const gj_processor *const processors; // the first one is the default
  size_t processor_count;
} gj_architecture;

size_t gj_architecture_count(void);
const gj_architecture *gj_architecture_get(size_t index);
// The architecture of a triple, or NULL.
const gj_architecture *gj__architecture_of(const char *triple);

#endif
