// See table.h. One row per function of library.def and numeric.def, in their order.
#include "library/table.h"

#include "library/library.h"

#include <string.h>

#define ARGS_0
#define ARGS_1 a[0]
#define ARGS_2 ARGS_1, a[1]
#define ARGS_3 ARGS_2, a[2]
#define ARGS_4 ARGS_3, a[3]
#define ARGS_5 ARGS_4, a[4]
#define ARGS_6 ARGS_5, a[5]
#define ARGS_7 ARGS_6, a[6]
#define ARGS_8 ARGS_7, a[7]
#define ARGS_9 ARGS_8, a[8]
#define ARGS_10 ARGS_9, a[9]
#define ARGS_11 ARGS_10, a[10]
#define ARGS_12 ARGS_11, a[11]
#define CALL_0(call) (call, 0)
#define CALL_1(call) call

#define GJL(name, params, result)                                                                  \
  static int64_t call_##name(const int64_t *a) { return CALL_##result(gjl_##name(ARGS_##params)); }
#include "library/library.def"
#define GJL(name, params, result)                                                                  \
  static int64_t call_##name(const int64_t *a) { return CALL_##result(gjl_##name(ARGS_##params)); }
#include "library/numeric.def"

static const gj_library_function functions[] = {
#define GJL(name, params, result)                                                                  \
  {#name, params, result, false, (void (*)(void))gjl_##name, call_##name},
#include "library/library.def"
#define GJL(name, params, result)                                                                  \
  {#name, params, result, true, (void (*)(void))gjl_##name, call_##name},
#include "library/numeric.def"
};

const gj_library_function *gj_library_find(const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      return &functions[i];
  return NULL;
}
