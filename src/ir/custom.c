// The functions that custom_call may call, by name.
//
// A list under a lock: a process registers a handful, and looks one up when it compiles or
// interprets. Entries are never removed, as code that calls them may be in use or in a cache.
#include "ir/custom.h"

#include "ir/eval/eval.h"

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

// --- nodes ---

static gj_status check_node(const gj_graph *graph, gj_ref ref, gj_error *err) {
  const gj_node *node = gj_graph_node(graph, ref);
  const gj_custom *custom = gj_custom_find(node->name);
  if (!custom)
    return gj_fail(err, GJ_E_STATE, "custom_call: no function is registered as \"%s\" (%%%u)",
                   node->name, ref);
  return custom->check ? custom->check(custom, graph, node, err) : GJ_OK;
}

gj_status gj_custom_check(const gj_graph *graph, gj_error *err) {
  bool whole = gj_graph_function_number(graph) < 0;
  for (size_t i = 0; whole && i < gj_graph_function_count(graph); i++)
    GJ_TRY(gj_custom_check(gj_graph_function(graph, i), err));
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++)
    if (gj_graph_node(graph, ref)->op == GJ_OP_custom_call)
      GJ_TRY(check_node(graph, ref, err));
  return GJ_OK;
}

const gj_node *gj_custom_first(const gj_graph *graph, gj_custom_match *match, const void *context,
                               gj_ref *out_ref) {
  bool whole = gj_graph_function_number(graph) < 0;
  for (size_t i = 0; whole && i < gj_graph_function_count(graph); i++) {
    const gj_node *node = gj_custom_first(gj_graph_function(graph, i), match, context, out_ref);
    if (node)
      return node;
  }
  for (gj_ref ref = 1; ref <= gj_graph_node_count(graph); ref++) {
    const gj_node *node = gj_graph_node(graph, ref);
    *out_ref = ref;
    if (node->op == GJ_OP_custom_call && match(node->name, context))
      return node;
  }
  return NULL;
}

static size_t put_sizes(const gj__tensor *tensor, int64_t *out) {
  for (size_t axis = 0; axis < tensor->rank; axis++)
    out[axis] = tensor->shape[axis];
  return tensor->rank;
}

// By the function alone, whatever the run: one thread, and nobody to stop it.
static gj_status call_alone(const gj_custom *custom, const char *name, void *const *buffers,
                            const int64_t *sizes, gj_error *err) {
  gj_refusal refusal = {.taken = false};
  gj_exec exec = {.refusal = &refusal};
  int32_t result = custom->call(custom, buffers, sizes, &exec);
  if (result == 0)
    return GJ_OK;
  if (refusal.error.code != GJ_OK)
    return gj_fail(err, refusal.error.code, "eval: %s", refusal.error.message);
  return gj_fail(err, GJ_E_CALL, "custom_call: \"%s\" returned %d", name, (int)result);
}

static gj_status call(const gj__step *step, gj_error *err) {
  const char *name = step->node->name;
  size_t count = step->node->arg_count, sizes = 0;
  const gj_custom *custom = gj_custom_find(name);
  if (!custom)
    return gj_fail(err, GJ_E_STATE, "custom_call: no function is registered as \"%s\"", name);
  if (custom->check)
    GJ_TRY(custom->check(custom, step->graph, step->node, err));
  void **buffers = calloc(count + 1, sizeof *buffers);
  int64_t *shapes = calloc((count + 1) * GJ_MAX_RANK, sizeof *shapes);
  gj_status status = GJ_OK;
  if (!buffers || !shapes) {
    status = gj_fail(err, GJ_E_MEMORY, "custom_call: out of memory for %zu operands", count);
  } else {
    for (size_t i = 0; i < count; i++) {
      buffers[i] = step->args[i]->data;
      sizes += put_sizes(step->args[i], shapes + sizes);
    }
    buffers[count] = step->out->data;
    put_sizes(step->out, shapes + sizes);
    status = call_alone(custom, name, buffers, shapes, err);
  }
  free(buffers);
  free(shapes);
  return status;
}

void gj__eval_custom_call(const gj__step *step) { *step->status = call(step, step->caller->err); }
