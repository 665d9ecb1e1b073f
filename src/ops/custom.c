// The functions that custom_call may call, by name.
//
// A list under a lock: a process registers a handful, and looks one up when it compiles or
// interprets. Entries are never removed, as code that calls them may be in use or in a cache.
#include "ops/custom.h"

#include "ops/op.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  struct entry *next;
  const gj_custom *custom;
  char name[];
} entry;

typedef struct c_function {
  gj_custom face; // first
  gj_custom_fn *function;
} c_function;

static struct {
  pthread_mutex_t lock;
  entry *first;
} custom_table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

gj_status gj_custom_name_check(const char *name, gj_error *err) {
  size_t length = 0;
  while (name &&
         (is_letter(name[length]) || (length > 0 && name[length] >= '0' && name[length] <= '9')))
    length++;
  if (!name || length == 0 || name[length] != '\0' || length > GJ_MAX_NAME)
    return gj_fail(err, GJ_E_ARGUMENT,
                   "custom_call: expected a C identifier of at most %d bytes as name of the "
                   "function, got %s%.60s%s",
                   GJ_MAX_NAME, name ? "\"" : "", name ? name : "nothing", name ? "\"" : "");
  return GJ_OK;
}

static entry *find(const char *name) {
  entry *e = custom_table.first;
  while (e && strcmp(e->name, name) != 0)
    e = e->next;
  return e;
}

static int32_t call_c(const gj_custom *own, void *const *buffers, const int64_t *sizes,
                      const gj_exec *exec) {
  (void)exec;
  return ((const c_function *)own)->function(buffers, sizes);
}

bool gj_custom_is_c(const gj_custom *custom) { return custom->call == call_c; }

static bool is_same(const gj_custom *a, const gj_custom *b) {
  return a == b || (gj_custom_is_c(a) && gj_custom_is_c(b) &&
                    ((const c_function *)a)->function == ((const c_function *)b)->function);
}

gj_status gj_custom_add(const char *name, const gj_custom *custom, gj_error *err) {
  GJ_TRY(gj_custom_name_check(name, err));
  size_t size = strlen(name) + 1;
  entry *made = malloc(sizeof *made + size);
  if (!made)
    return gj_fail(err, GJ_E_MEMORY, "custom_call: out of memory for \"%s\"", name);
  made->custom = custom;
  memcpy(made->name, name, size);
  pthread_mutex_lock(&custom_table.lock);
  const entry *known = find(name);
  if (!known) {
    made->next = custom_table.first;
    custom_table.first = made;
  }
  pthread_mutex_unlock(&custom_table.lock);
  if (!known)
    return GJ_OK;
  free(made);
  return is_same(known->custom, custom)
             ? GJ_OK
             : gj_fail(err, GJ_E_STATE, "custom_call: \"%s\" is another function already", name);
}

gj_status gj_custom_register(const char *name, gj_custom_fn *function, gj_error *err) {
  c_function *made = malloc(sizeof *made);
  if (!made)
    return gj_fail(err, GJ_E_MEMORY, "custom_call: out of memory for a function");
  *made = (c_function){.face = {.call = call_c}, .function = function};
  gj_status status = gj_custom_add(name, &made->face, err);
  if (status != GJ_OK || gj_custom_find(name) != &made->face)
    free(made);
  return status;
}

const gj_custom *gj_custom_find(const char *name) {
  pthread_mutex_lock(&custom_table.lock);
  const entry *e = find(name);
  const gj_custom *custom = e ? e->custom : NULL;
  pthread_mutex_unlock(&custom_table.lock);
  return custom;
}

void gj_custom_refuse(const gj_exec *exec, gj_status code, const char *format, ...) {
  gj_refusal *refusal = exec->refusal;
  if (!refusal || atomic_exchange(&refusal->taken, true))
    return;
  va_list arguments;
  va_start(arguments, format);
  gj_fail_v(&refusal->error, code, format, arguments);
  va_end(arguments);
}
