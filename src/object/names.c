// See names.h. The words are those of C11 and C++20, names that headers define as macros on common
// systems (a parameter called I or errno compiles on one machine and not on the next), and what our
// own headers use.
#include "object/names.h"

#include "base/hash.h"

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
    "typeof_unqual",
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
    "intptr_t",
    "uintptr_t",
    "ptrdiff_t",
    "size_t",
    "gj_exec",
    "gj_task",
    "gj_parallel",
    "gj_buffers",
    "gj_dims",
    "gj_run",
    "gj_run_parallel",
    "gj_scratch",
};

// More macros of headers. They may be names of functions, since those stand in fewer places.
static const char *const macros[] = {
    "BUFSIZ",  "EDOM",     "EILSEQ",   "ERANGE",   "EXIT_FAILURE",     "EXIT_SUCCESS", "FP_NAN",
    "F_OK",    "MAXFLOAT", "M_1_PI",   "M_2_PI",   "M_2_SQRTPI",       "M_LN10",       "M_LN2",
    "M_LOG2E", "M_LOG10E", "M_PI_2",   "M_PI_4",   "M_SQRT1_2",        "M_SQRT2",      "R_OK",
    "W_OK",    "X_OK",     "SEEK_CUR", "SEEK_END", "math_errhandling", "SEEK_SET",
};

// What no program works without: an object that has one of these takes it from all others.
static const char *const vital[] = {
    "abort",    "calloc",  "close",  "environ", "exit",   "fclose", "fopen",   "fprintf", "fread",
    "free",     "fwrite",  "main",   "malloc",  "memchr", "memcmp", "memcpy",  "memmove", "memset",
    "mmap",     "munmap",  "open",   "printf",  "puts",   "read",   "realloc", "setjmp",  "longjmp",
    "snprintf", "sprintf", "strchr", "strcmp",  "strcpy", "strlen", "strncmp", "write",
};

static const char *const library[] = {
    "abs",       "labs",
    "acos",      "acosh",
    "asin",      "asinh",
    "atan",      "atan2",
    "atanh",     "cbrt",
    "ceil",      "copysign",
    "cos",       "cosh",
    "div",       "erf",
    "erfc",      "exp",
    "exp2",      "expm1",
    "fabs",      "fdim",
    "floor",     "fma",
    "fmax",      "fmin",
    "fmod",      "frexp",
    "gamma",     "hypot",
    "ilogb",     "index",
    "isfinite",  "isinf",
    "isnan",     "ldexp",
    "lgamma",    "log",
    "log10",     "log1p",
    "log2",      "logb",
    "lrint",     "lround",
    "modf",      "nan",
    "nearbyint", "pow",
    "pow10",     "qsort",
    "rand",      "remainder",
    "rint",      "round",
    "scalb",     "select",
    "signal",    "signbit",
    "sin",       "sincos",
    "sinh",      "sqrt",
    "tan",       "tanh",
    "tgamma",    "time",
    "trunc",     "j0",
    "j1",        "jn",
    "y0",        "y1",
    "yn",        "exp10",
    "drem",      "significand",
    "ffs",       "link",
    "remove",    "rename",
    "sleep",     "system",
    "clock",     "signum",
    "FILE",      "aligned_alloc",
    "atexit",    "atof",
    "atoi",      "atol",
    "bsearch",   "bzero",
    "clearerr",  "ctime",
    "div_t",     "fcntl",
    "feof",      "ferror",
    "fflush",    "fgetc",
    "fgets",     "fileno",
    "fork",      "fpclassify",
    "fputc",     "fputs",
    "fscanf",    "fseek",
    "ftell",     "getc",
    "getchar",   "getenv",
    "getpid",    "gets",
    "imaxabs",   "isalnum",
    "isalpha",   "isblank",
    "iscntrl",   "isdigit",
    "isgraph",   "islower",
    "isnormal",  "isprint",
    "ispunct",   "isspace",
    "isupper",   "isxdigit",
    "kill",      "llabs",
    "ldiv",      "lldiv",
    "llrint",    "llround",
    "localtime", "lseek",
    "mktime",    "nexttoward",
    "nextafter", "perror",
    "pipe",      "poll",
    "putc",      "putchar",
    "putenv",    "raise",
    "rewind",    "scalbln",
    "scalbn",    "scanf",
    "send",      "recv",
    "socket",    "bind",
    "listen",    "accept",
    "connect",   "setenv",
    "signgam",   "srand",
    "sscanf",    "stat",
    "strcat",    "strcoll",
    "strcspn",   "strdup",
    "strerror",  "strftime",
    "strncat",   "strncpy",
    "strpbrk",   "strrchr",
    "strspn",    "strstr",
    "strtod",    "strtof",
    "strtok",    "strtol",
    "strtoul",   "strtoll",
    "strtoull",  "swab",
    "time_t",    "tmpfile",
    "tolower",   "toupper",
    "truncate",  "ungetc",
    "unlink",    "usleep",
    "va_list",   "vfprintf",
    "vprintf",   "wait",
    "waitpid",
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

// Capitals only, and a limit of some type: SIZE_MAX, DBL_EPSILON.
static bool is_limit(const char *name) {
  static const char *const ends[] = {"_MAX", "_MIN", "_WIDTH", "_EPSILON"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t rest = strlen(ends[i]);
    if (length > rest && strcmp(name + length - rest, ends[i]) == 0)
      return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length;
  }
  return false;
}

static bool is_macro(const char *name) {
  return is_limit(name) || strncmp(name, "GRAPHJIT_", 9) == 0 ||
         among(name, macros, sizeof macros / sizeof *macros);
}

bool gj__c_is_vital(const char *name) { return among(name, vital, sizeof vital / sizeof *vital); }

// Functions of numbers come three times: exp, expf, expl.
bool gj__c_is_library(const char *name) {
  enum { LONGEST = 16 };
  char base[LONGEST];
  size_t length = strlen(name), count = sizeof library / sizeof *library;
  if (gj__c_is_vital(name) || among(name, library, count))
    return true;
  if (length < 3 || length >= LONGEST || (name[length - 1] != 'f' && name[length - 1] != 'l'))
    return false;
  memcpy(base, name, length);
  base[length - 1] = '\0';
  return among(base, library, count);
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
  if (is_reserved(made) || is_macro(made))
    made[used++] = '_';
  return made;
}

static uint64_t hash_of(const char *name) { return gj_hash_bytes(0, name, strlen(name)); }

static bool is_taken(const gj__c_scope *scope, const char *name) {
  size_t at = 0;
  for (uint32_t k; (k = gj_table_next(&scope->index, hash_of(name), &at)) != 0;)
    if (strcmp(scope->names[k - 1], name) == 0)
      return true;
  return false;
}

static bool has_room(gj__c_scope *scope) {
  if (scope->count < scope->capacity)
    return true;
  uint32_t more = scope->capacity ? scope->capacity * 2 : 32;
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
  enum { DIGITS = 24, FEW = 100 };
  char *made = gj__c_identifier(scope->arena, name);
  size_t size = made ? strlen(made) + DIGITS : 0;
  char *unique = made ? gj_arena_alloc(scope->arena, size) : NULL;
  if (!unique || !has_room(scope)) {
    scope->failed = true;
    return "";
  }
  memcpy(unique, made, strlen(made) + 1);
  // Of many alike, the later ones do not try the numbers of all before them.
  for (uint32_t n = 2; is_taken(scope, unique);
       n = n == FEW && scope->count > n ? scope->count : n + 1)
    snprintf(unique, size, "%s_%u", made, (unsigned)n);
  if (!gj_table_add(&scope->index, hash_of(unique), scope->count + 1)) {
    scope->failed = true;
    return "";
  }
  return scope->names[scope->count++] = unique;
}

void gj__c_scope_fini(gj__c_scope *scope) { gj_table_fini(&scope->index); }
