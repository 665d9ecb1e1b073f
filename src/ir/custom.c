// The functions that custom_call may call, by name.
//
// A list under a lock: a process registers a handful, and looks one up when it compiles or
// interprets. Entries are never removed, as code that calls them may be in use or in a cache.
#include "ir/custom.h"

#include "ir/eval.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  struct entry *next;
  gj_custom_fn *function;
  char name[];
} entry;

static struct {
  pthread_mutex_t lock;
  entry *first;
} custom = {.lock = PTHREAD_MUTEX_INITIALIZER};

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
  entry *e = custom.first;
  while (e && strcmp(e->name, name) != 0)
    e = e->next;
  return e;
}

gj_status gj_custom_register(const char *name, gj_custom_fn *function, gj_error *err) {
  GJ_TRY(gj_custom_name_check(name, err));
  gj_status status = GJ_OK;
  pthread_mutex_lock(&custom.lock);
  entry *known = find(name);
  if (known && known->function != function) {
    status = gj_fail(err, GJ_E_STATE, "custom_call: \"%s\" is another function already", name);
  } else if (!known) {
    size_t size = strlen(name) + 1;
    entry *made = malloc(sizeof *made + size);
    if (made) {
      *made = (entry){custom.first, function};
      memcpy(made->name, name, size);
      custom.first = made;
    } else {
      status = gj_fail(err, GJ_E_MEMORY, "custom_call: out of memory for \"%s\"", name);
    }
  }
  pthread_mutex_unlock(&custom.lock);
  return status;
}

gj_custom_fn *gj_custom_find(const char *name) {
  pthread_mutex_lock(&custom.lock);
  const entry *e = find(name);
  gj_custom_fn *function = e ? e->function : NULL;
  pthread_mutex_unlock(&custom.lock);
  return function;
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

gj_status gj__eval_custom_call(const gj__step *step, gj_error *err) {
  const char *name = step->node->name;
  size_t count = step->node->arg_count, sizes = 0;
  gj_custom_fn *function = gj_custom_find(name);
  if (!function)
    return gj_fail(err, GJ_E_STATE, "custom_call: no function is registered as \"%s\"", name);
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
    int32_t result = function(buffers, shapes);
    if (result != 0)
      status = gj_fail(err, GJ_E_CALL, "custom_call: \"%s\" returned %d", name, (int)result);
  }
  free(buffers);
  free(shapes);
  return status;
}
