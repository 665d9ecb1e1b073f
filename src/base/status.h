// Status codes and error messages: how every fallible function of the core reports.
//
// A function that can fail returns gj_status and takes a caller-owned gj_error last, which holds
// one line of text. The buffer is fixed, so reporting an error needs no allocation and no
// thread-local state, and an error can be made while out of memory. Codes are few and say what
// the caller can do next; the message says what happened. The table is status.def.

#ifndef GJ_BASE_STATUS_H
#define GJ_BASE_STATUS_H

#include <stdarg.h>

#if defined(__GNUC__)
#define GJ_PRINTF(format_index, first_argument)                                                    \
  __attribute__((format(printf, format_index, first_argument)))
#else
#define GJ_PRINTF(format_index, first_argument)
#endif

typedef enum gj_status {
#define GJ_STATUS(constant, name, doc) constant,
#include "base/status.def"
  GJ_STATUS_COUNT
} gj_status;

enum { GJ_ERROR_CAPACITY = 1024 };

// Caller-owned; meaningful only after a call returned something other than GJ_OK. A zeroed
// struct is a valid "no error". The message is one line of UTF-8 without a full stop.
typedef struct gj_error {
  gj_status code;
  char message[GJ_ERROR_CAPACITY];
} gj_error;

// The name JavaScript sees in `.code`, such as "ERR_SHAPE"; "ERR_INTERNAL" for an unknown code.
const char *gj_status_name(gj_status code);

// One sentence: when the code is right and what the caller can do next.
const char *gj_status_doc(gj_status code);

// Stores code and message in `err` (which may be NULL) and returns `code`, so that a failure reads
// `return gj_fail(err, GJ_E_SHAPE, "matmul: inner sizes differ: %d vs %d", k, l);`. The message
// replaces an older one, which may be among the arguments: a caller can add context to it. Control
// characters become spaces, since text of strangers is quoted in messages, and what does not fit
// is cut between two UTF-8 characters.
gj_status gj_fail(gj_error *err, gj_status code, const char *format, ...) GJ_PRINTF(3, 4);

// The same with a va_list.
gj_status gj_fail_v(gj_error *err, gj_status code, const char *format, va_list arguments)
    GJ_PRINTF(3, 0);

// Evaluates an expression of type gj_status and returns it from the calling function unless it is
// GJ_OK. The one macro in src/ that may return.
#define GJ_TRY(expression)                                                                         \
  do {                                                                                             \
    gj_status gj_try_status_ = (expression);                                                       \
    if (gj_try_status_ != GJ_OK)                                                                   \
      return gj_try_status_;                                                                       \
  } while (0)

#endif
