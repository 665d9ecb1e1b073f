// Loop IR from text and back, for tests.
#ifndef GJ_TEST_LOOPS_TEXT_H
#define GJ_TEST_LOOPS_TEXT_H

#include "check.h"

#include "loops/loops.h"

// NULL on failure.
static inline gj_lmodule *parse(const char *text) {
  gj_error err = {0};
  gj_lmodule *m = NULL;
  gj_status status = gj_lmodule_parse(text, strlen(text), &m, &err);
  CHECK_OK(status, &err);
  return m;
}

// The caller frees it.
static inline char *print(const gj_lmodule *m) {
  gj_strbuf out = {0};
  gj_error err = {0};
  char *text = NULL;
  gj_lmodule_print(m, &out);
  CHECK_OK(gj_strbuf_take(&out, &text, NULL, &err), &err);
  return text;
}

#endif
