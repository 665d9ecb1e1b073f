// See names.h. The words are those of C11 and C++20, and names that headers define as macros on
// common systems: a parameter called I or errno compiles on one machine and not on the next.
#include "object/names.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "compl",
    "concept",
    "const",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "continue",
    "co_await",
    "co_return",
    "co_yield",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    "complex",
    "imaginary",
    "I",
    "NULL",
    "EOF",
    "NAN",
    "INFINITY",
    "HUGE_VAL",
    "M_PI",
    "M_E",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "assert",
    "offsetof",
    "linux",
    "unix",
    "i386",
    "near",
    "far",
    "min",
    "max",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "size_t",
    "gj_exec",
    "gj_task",
    "gj_parallel",
};

static const char *const library[] = {
    "main",        "abs",    "labs",    "acos",     "acosh",     "asin",    "asinh",  "atan",
    "atan2",       "atanh",  "cbrt",    "ceil",     "copysign",  "cos",     "cosh",   "div",
    "erf",         "erfc",   "exit",    "exp",      "exp2",      "expm1",   "fabs",   "fdim",
    "floor",       "fma",    "fmax",    "fmin",     "fmod",      "free",    "frexp",  "gamma",
    "hypot",       "ilogb",  "index",   "isfinite", "isinf",     "isnan",   "ldexp",  "lgamma",
    "log",         "log10",  "log1p",   "log2",     "logb",      "lrint",   "lround", "malloc",
    "memcpy",      "memset", "modf",    "nan",      "nearbyint", "pow",     "pow10",  "printf",
    "puts",        "qsort",  "rand",    "read",     "remainder", "rint",    "round",  "scalb",
    "select",      "signal", "signbit", "sin",      "sincos",    "sinh",    "sqrt",   "tan",
    "tanh",        "tgamma", "time",    "trunc",    "write",     "j0",      "j1",     "jn",
    "y0",          "y1",     "yn",      "abort",    "calloc",    "realloc", "exp10",  "drem",
    "significand", "ffs",    "link",    "open",     "close",     "remove",  "rename", "sleep",
    "system",      "clock",  "signum",
};

static bool among(const char *name, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, list[i]) == 0)
      return true;
  return false;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Names that begin with two underscores, or with one and a capital, are the compiler's.
static bool is_reserved(const char *name) {
  return among(name, words, sizeof words / sizeof *words) ||
         (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z')));
}

bool gj__c_is_identifier(const char *name) {
  if (!is_letter(name[0]))
    return false;
  for (const char *at = name; *at; at++)
    if (!is_letter(*at) && !is_digit(*at))
      return false;
  return !is_reserved(name);
}

bool gj__c_is_library(const char *name) {
  return among(name, library, sizeof library / sizeof *library);
}

char *gj__c_identifier(gj_arena *arena, const char *name) {
  enum { MOST = 100 };
  size_t length = strlen(name), used = 0;
  char *made = gj_arena_alloc(arena, MOST + 4);
  if (!made)
    return NULL;
  if (!is_letter(name[0]) || (name[0] == '_' && is_reserved(name)))
    made[used++] = 'x';
  for (size_t i = 0; i < length && used < MOST; i++) {
    bool continues = ((unsigned char)name[i] & 0xC0) == 0x80; // one _ for each character
    if (!continues)
      made[used++] = is_letter(name[i]) || is_digit(name[i]) ? name[i] : '_';
  }
  if (is_reserved(made))
    made[used++] = '_';
  return made;
}

static bool is_taken(const gj__c_scope *scope, const char *name) {
  return among(name, scope->names, scope->count);
}

static bool has_room(gj__c_scope *scope) {
  if (scope->count < scope->capacity)
    return true;
  size_t more = scope->capacity ? scope->capacity * 2 : 32;
  const char **larger = gj_arena_array(scope->arena, more, sizeof *larger);
  if (!larger)
    return false;
  if (scope->count)
    memcpy(larger, scope->names, scope->count * sizeof *larger);
  scope->names = larger;
  scope->capacity = more;
  return true;
}

const char *gj__c_scope_add(gj__c_scope *scope, const char *name) {
  enum { DIGITS = 24 };
  char *made = gj__c_identifier(scope->arena, name);
  size_t size = made ? strlen(made) + DIGITS : 0;
  char *unique = made ? gj_arena_alloc(scope->arena, size) : NULL;
  if (!unique || !has_room(scope)) {
    scope->failed = true;
    return "";
  }
  memcpy(unique, made, strlen(made) + 1);
  for (unsigned n = 2; is_taken(scope, unique); n++)
    snprintf(unique, size, "%s_%u", made, n);
  return scope->names[scope->count++] = unique;
}
