// Runs of compiled programs: binding of sizes, the arena, the call.
#include "jit/program/data.h"

#include "runtime/memory.h"
#include "runtime/pool.h"

#include <stdlib.h>
#include <string.h>

// --- binding ---

// Bytes of a port and, for outputs, its sizes, all at the most they can be. gj_graph_bind() has
// checked that nothing overflows.
static gj_status size_port(const gj_program *p, const gj_port *port, const int64_t *symbols,
                           size_t *out_bytes, int64_t *out_shape, gj_error *err) {
  int64_t bytes = (int64_t)gj_dtype_bytes(port->type.dtype);
  for (uint8_t i = 0; i < port->type.rank; i++) {
    int64_t least, size;
    if (!gj_dim_range(gj_program_dims(p), port->type.shape[i], symbols, &least, &size) ||
        __builtin_mul_overflow(bytes, size, &bytes))
      return gj_fail(err, GJ_E_OVERFLOW, "%s: axis %u is too large", port->name, (unsigned)i);
    if (out_shape)
      out_shape[i] = size;
  }
  *out_bytes = (size_t)bytes;
  return GJ_OK;
}

static gj_status fill_binding(const gj_program *p, const int64_t *const *shapes, gj_binding *b,
                              gj_error *err) {
  int64_t scratch;
  GJ_TRY(gj_graph_bind(p->graph, shapes, b->symbols, err));
  if (!gj_dim_eval(gj_program_dims(p), p->scratch_bytes, b->symbols, &scratch) ||
      scratch > GJ_DIM_MAX)
    return gj_fail(err, GJ_E_OVERFLOW, "the intermediate values of a run do not fit in 2^47 bytes");
  b->scratch_bytes = (size_t)scratch;
  for (size_t i = 0; i < p->input_count + p->output_count; i++) {
    int64_t *shape = NULL;
    if (i >= p->input_count)
      shape = b->output_shapes + GJ_MAX_RANK * (i - p->input_count);
    GJ_TRY(size_port(p, &p->ports[i], b->symbols, &b->buffer_bytes[i], shape, err));
  }
  return GJ_OK;
}

gj_status gj_program_bind(const gj_program *program, const int64_t *const *shapes,
                          gj_binding **out_binding, gj_error *err) {
  *out_binding = NULL;
  size_t symbols = gj_dims_symbol_count(gj_program_dims(program));
  size_t ports = program->input_count + program->output_count;
  gj_binding *b = calloc(1, sizeof *b);
  gj_status status = GJ_OK;
  if (b) {
    b->symbol_count = symbols;
    b->symbols = calloc(symbols + 1, sizeof *b->symbols);
    b->buffer_bytes = calloc(ports + 1, sizeof *b->buffer_bytes);
    b->output_shapes = calloc(program->output_count * GJ_MAX_RANK + 1, sizeof *b->output_shapes);
  }
  if (!b || !b->symbols || !b->buffer_bytes || !b->output_shapes)
    status = gj_fail(err, GJ_E_MEMORY, "bind: out of memory");
  else
    status = fill_binding(program, shapes, b, err);
  if (status != GJ_OK) {
    gj_binding_free(b);
    return status;
  }
  *out_binding = b;
  return GJ_OK;
}

static gj_status set_symbols(const gj_dims *dims, const char *const *names, const int64_t *values,
                             size_t count, int64_t *symbols, gj_error *err) {
  for (size_t i = 0; i < count; i++) {
    size_t s = 0;
    while (s < gj_dims_symbol_count(dims) && strcmp(gj_dims_symbol_name(dims, s), names[i]) != 0)
      s++;
    if (s == gj_dims_symbol_count(dims))
      return gj_fail(err, GJ_E_ARGUMENT, "memory: no size is called %s", names[i]);
    symbols[s] = values[i];
  }
  return GJ_OK;
}

// The sizes of all inputs, GJ_MAX_RANK for each.
static gj_status shape_inputs(const gj_program *p, const int64_t *symbols, int64_t *sizes,
                              const int64_t **shapes, gj_error *err) {
  for (size_t i = 0; i < p->input_count; i++) {
    const gj_port *port = &p->ports[i];
    int64_t *shape = sizes + GJ_MAX_RANK * i;
    shapes[i] = shape;
    for (uint8_t axis = 0; axis < port->type.rank; axis++)
      if (!gj_dim_eval(gj_program_dims(p), port->type.shape[axis], symbols, &shape[axis]))
        return gj_fail(err, GJ_E_OVERFLOW, "%s: axis %u is too large", port->name, (unsigned)axis);
  }
  return GJ_OK;
}

gj_status gj_program_bind_symbols(const gj_program *program, const char *const *names,
                                  const int64_t *values, size_t count, gj_binding **out_binding,
                                  gj_error *err) {
  const gj_dims *dims = gj_program_dims(program);
  int64_t *symbols = calloc(gj_dims_symbol_count(dims) + 1, sizeof *symbols);
  int64_t *sizes = calloc(program->input_count * GJ_MAX_RANK + 1, sizeof *sizes);
  const int64_t **shapes = calloc(program->input_count + 1, sizeof *shapes);
  gj_status status = GJ_OK;
  *out_binding = NULL;
  if (!symbols || !sizes || !shapes)
    status = gj_fail(err, GJ_E_MEMORY, "bind: out of memory");
  if (status == GJ_OK)
    status = set_symbols(dims, names, values, count, symbols, err);
  if (status == GJ_OK)
    status = shape_inputs(program, symbols, sizes, shapes, err);
  if (status == GJ_OK)
    status = gj_program_bind(program, shapes, out_binding, err);
  free(symbols);
  free(sizes);
  free(shapes);
  return status;
}

void gj_binding_free(gj_binding *binding) {
  if (!binding)
    return;
  free(binding->symbols);
  free(binding->buffer_bytes);
  free(binding->output_shapes);
  free(binding);
}

// --- running ---

int32_t gj__program_call(const gj_program *program, gj_entry *entry, void *const *buffers,
                         int64_t *dims, void *scratch, const volatile int32_t *cancel,
                         gj_refusal *refusal) {
  gj_pool_exec run = gj_pool_exec_make(program->threads, scratch, cancel);
  run.exec.refusal = refusal;
  return entry ? entry(buffers, dims, &run.exec)
               : gj__tier_interpret(program->tier, buffers, dims, &run.exec);
}

// The code of a program that has a first tier, or NULL while that runs it.
static gj_entry *tiered_entry(const gj_program *p, const gj_binding *binding) {
  gj_entry *entry = gj__tier_entry(p->tier);
  size_t bytes = 0;
  for (size_t i = 0; !entry && i < p->input_count + p->output_count; i++)
    bytes += binding->buffer_bytes[i]; // of arrays that exist
  if (!entry)
    gj__tier_consider(p, bytes);
  return entry;
}

gj_status gj_program_output_shapes(const gj_program *program, const int64_t *symbols,
                                   int64_t *out_shapes, gj_error *err) {
  const gj_port *outputs = program->ports + program->input_count;
  for (size_t i = 0; i < program->output_count; i++)
    for (uint8_t axis = 0; axis < outputs[i].type.rank; axis++)
      if (!gj_dim_eval(gj_program_dims(program), outputs[i].type.shape[axis], symbols,
                       &out_shapes[GJ_MAX_RANK * i + axis]))
        return gj_fail(err, GJ_E_OVERFLOW, "%s: axis %u is too large", outputs[i].name,
                       (unsigned)axis);
  return GJ_OK;
}

bool gj_program_computes_sizes(const gj_program *program) { return program->computes; }

static gj_status run(const gj_program *program, const gj_binding *binding, int64_t *dims,
                     void *const *buffers, void *scratch, const volatile int32_t *cancel,
                     gj_error *err) {
  void *taken = NULL;
  if (!scratch && binding->scratch_bytes > 0) {
    scratch = taken = gj_memory_take(binding->scratch_bytes);
    if (!taken)
      return gj_fail(err, GJ_E_MEMORY, "run: out of memory for %zu bytes of intermediate values",
                     binding->scratch_bytes);
  }
  gj_entry *entry = program->tier ? tiered_entry(program, binding) : program->entry;
  gj_refusal refusal; // mostly not looked at, so not cleared as a whole
  atomic_init(&refusal.taken, false);
  refusal.error.code = GJ_OK;
  int32_t status = gj__program_call(program, entry, buffers, dims, scratch, cancel, &refusal);
  if (taken)
    gj_memory_give(taken);
  if (status == GJ_RUN_NO_MEMORY)
    return gj_fail(err, GJ_E_MEMORY, "run: out of memory");
  if (status == GJ_RUN_REFUSED && refusal.error.code != GJ_OK)
    return gj_fail(err, refusal.error.code, "run: %s", refusal.error.message);
  if (status == GJ_RUN_REFUSED)
    return gj_fail(err, GJ_E_CALL, "run: a function of custom_call reported an error");
  return status == GJ_RUN_OK ? GJ_OK : gj_fail(err, GJ_E_CANCELLED, "run: cancelled");
}

enum { FEW_SYMBOLS = 64 };

// Bindings are shared by runs, so a run that computes sizes has dims of its own.
gj_status gj_program_run_sizes(const gj_program *program, const gj_binding *binding,
                               void *const *buffers, void *scratch, const volatile int32_t *cancel,
                               int64_t *out_symbols, gj_error *err) {
  int64_t few[FEW_SYMBOLS], *dims = out_symbols, *taken = NULL;
  size_t bytes = binding->symbol_count * sizeof *dims;
  if (!program->computes && !out_symbols)
    return run(program, binding, binding->symbols, buffers, scratch, cancel, err);
  if (!dims)
    dims = binding->symbol_count <= FEW_SYMBOLS ? few : (taken = malloc(bytes));
  if (!dims)
    return gj_fail(err, GJ_E_MEMORY, "run: out of memory for %zu sizes", binding->symbol_count);
  if (bytes)
    memcpy(dims, binding->symbols, bytes);
  gj_status status = run(program, binding, dims, buffers, scratch, cancel, err);
  free(taken);
  return status;
}

gj_status gj_program_run(const gj_program *program, const gj_binding *binding, void *const *buffers,
                         void *scratch, const volatile int32_t *cancel, gj_error *err) {
  return gj_program_run_sizes(program, binding, buffers, scratch, cancel, NULL, err);
}
