// Running random graphs: every way of computing one, and the comparison. See random_graph.h, which
// includes this.
//
// Exact graphs are compared with the reference evaluator, to the last bit. Those that are not
// (`rounds`) are compared within a family: the first tier, machine code, the loops and any number
// of threads give the same bits in 'strict', and those but the loops the same in 'default'.
#ifndef GJ_TEST_RANDOM_RUN_H
#define GJ_TEST_RANDOM_RUN_H

// What a way is compared with.
enum { RG_STRICT, RG_DEFAULT, RG_LOOPS };

static inline void rg_free(rg_case *c) {
  for (size_t i = 0; i < RG_MAX_PORTS; i++) {
    guarded_free(&c->arrays[i]);
    for (int family = 0; family < RG_FAMILIES; family++)
      guarded_free(&c->first[family][i]);
  }
  gj_graph_free(c->graph);
}

// --- sizes and data ---

// Bytes of a value for these symbols, sizes that are computed at their most; 0 elements is fine,
// too many is false.
static inline bool rg_bytes(const rg_case *c, const gj_graph *g, gj_ref ref, int64_t *shape,
                            size_t *out_bytes) {
  const gj_node *node = gj_graph_node(g, ref);
  int64_t elements = 1;
  for (uint8_t i = 0; i < node->type.rank; i++) {
    int64_t least;
    if (!gj_dim_range(gj_graph_dims(c->graph), node->type.shape[i], c->symbols, &least, &shape[i]))
      return false;
    if (shape[i] < 0 || __builtin_mul_overflow(elements, shape[i], &elements) ||
        elements > (c->most ? c->most : RG_MAX_ELEMENTS))
      return false;
  }
  *out_bytes = (size_t)elements * gj_dtype_bytes(node->type.dtype);
  return true;
}

// How often an element of the result is computed anew: the terms of a sum of products or a window.
static inline int64_t rg_terms(const rg_case *c, const gj_graph *g, gj_ref ref) {
  const gj_node *node = gj_graph_node(g, ref);
  uint8_t kind = gj_op_get((gj_op)node->op)->kind;
  int64_t terms = 1, size, shape[GJ_MAX_RANK];
  size_t bytes;
  if (kind == GJ_OP_KIND_WINDOW)
    for (uint8_t i = 0; i < node->type.rank; i++)
      terms *= node->attrs->list[GJ_ATTR_window].values[i];
  if (kind == GJ_OP_KIND_DOT || kind == GJ_OP_KIND_CONV) {
    bool dot = kind == GJ_OP_KIND_DOT;
    gj_ref from = node->args[dot ? 0 : 1];
    const gj_attr_list *axes = &node->attrs->list[GJ_ATTR_lhs_contract];
    if (!rg_bytes(c, g, from, shape, &bytes))
      return INT64_MAX;
    uint8_t count = dot ? axes->count : gj_graph_node(g, from)->type.rank;
    for (uint8_t i = dot ? 0 : 1; i < count; i++) {
      size = shape[dot ? axes->values[i] : i];
      terms *= size ? size : 1;
    }
  }
  return terms;
}

// False when a value is too large. What all of them take together, in `work`.
static inline bool rg_all_small(const rg_case *c, const gj_graph *g, double *work) {
  int64_t ignored[GJ_MAX_RANK];
  size_t bytes;
  for (gj_ref ref = 1; ref <= gj_graph_node_count(g); ref++) {
    if (!rg_bytes(c, g, ref, ignored, &bytes))
      return false;
    const gj_node *node = gj_graph_node(g, ref);
    *work += (double)(bytes / gj_dtype_bytes(node->type.dtype)) * (double)rg_terms(c, g, ref);
  }
  return true;
}

// How often functions run at most, were each loop inside all others.
static inline double rg_rounds(const rg_case *c, const gj_graph *g) {
  double rounds = 1;
  for (gj_ref ref = 1; ref <= gj_graph_node_count(g); ref++) {
    const gj_node *node = gj_graph_node(g, ref);
    int64_t least = 1, most = 1;
    if (node->op == GJ_OP_for)
      gj_dim_range(gj_graph_dims(c->graph), gj_node_int(node, GJ_ATTR_count), c->symbols, &least,
                   &most);
    rounds *= node->op == GJ_OP_while ? RG_MOST_ROUNDS : most > 1 ? (double)most : 1;
  }
  return rounds;
}

// What the graph and its functions compute, in c->work; false when a value is too large.
static inline bool rg_measure(rg_case *c) {
  double rounds = rg_rounds(c, c->graph), inner = 0;
  c->work = 0;
  for (size_t i = 0; i < gj_graph_function_count(c->graph); i++) {
    const gj_graph *f = gj_graph_function(c->graph, i);
    rounds *= rg_rounds(c, f);
    if (!rg_all_small(c, f, &inner))
      return false;
  }
  if (!rg_all_small(c, c->graph, &c->work))
    return false;
  c->work += rounds * inner;
  return true;
}

// An input between its pages, filled. Bytes that drive a fuzzer say what is in it, else its name.
static inline void rg_fill_input(rg_case *c, size_t i, rg_stream *s) {
  const gj_node *node = gj_graph_node(c->graph, gj_graph_input(c->graph, i));
  rg_stream own = rg_data_stream(s->data, node->name);
  unsigned manner = node->name[0] == 's' ? 0 : s->wide ? rg_below(&own, 8) : 8;
  rg_stream *from = s->bytes ? s : &own;
  size_t width = gj_dtype_bytes(node->type.dtype);
  c->arrays[i] = guarded_new(c->bytes[i], rg_below(&own, 2));
  for (size_t at = 0; at < c->bytes[i]; at += width)
    rg_datum(from, manner, node->type.dtype, c->arrays[i].data + at);
  if (c->bytes[i] == 0 && rg_below(&own, 2))
    c->arrays[i].data = NULL;
}

// Arrays for the values that the symbols have, inputs filled at random. Empty ones may be nowhere.
static inline bool rg_fill(rg_case *c, rg_stream *s) {
  c->inputs = gj_graph_input_count(c->graph);
  c->outputs = gj_graph_output_count(c->graph);
  if (c->inputs + c->outputs > RG_MAX_PORTS || !rg_measure(c))
    return false;
  if (c->work < c->least_work || (c->most_work > 0 && c->work > c->most_work))
    return false;
  if (!s->data)
    s->data = rg_next(s) | 1;
  c->data = s->data;
  for (size_t i = 0; i < c->inputs + c->outputs; i++) {
    bool input = i < c->inputs;
    gj_ref ref =
        input ? gj_graph_input(c->graph, i) : gj_graph_output(c->graph, i - c->inputs)->ref;
    if (!rg_bytes(c, c->graph, ref, c->shapes[i], &c->bytes[i]))
      return false;
    c->shape_list[i] = c->shapes[i];
    if (input)
      rg_fill_input(c, i, s);
    else
      c->arrays[i] = guarded_new(c->bytes[i], (s->data >> i & 2) != 0);
    if (!input && c->bytes[i] == 0 && i % 2)
      c->arrays[i].data = NULL;
  }
  return true;
}

static inline bool rg_prepare(rg_case *c, rg_stream *s) {
  static const int64_t sizes[] = {0, 1, 2, 5, 8, 13, 31, 64};
  for (int i = 0; i < 2 && !c->given; i++)
    c->symbols[i] = s->wide ? rg_wide_size(s) : sizes[rg_below(s, 8)];
  c->rounds = s->rounds;
  if (s->wide) {
    c->most = RG_MOST_WIDE;
    c->most_work = RG_MOST_WORK;
    c->most_loops = RG_MOST_LOOPS;
  }
  if (!rg_fill(c, s))
    return false;
  if (s->wide)
    c->modes = 1 + (c->data >> 4) % 3;
  return true;
}

// --- runs ---

// Fresh output arrays; pointers to all buffers in `buffers`.
static inline void rg_outputs(const rg_case *c, guarded *fresh, void **buffers) {
  for (size_t i = 0; i < c->inputs + c->outputs; i++) {
    bool at_end = c->arrays[i].data == c->arrays[i].pages;
    fresh[i] = (guarded){0};
    if (i >= c->inputs)
      fresh[i] = guarded_new(c->bytes[i], at_end);
    buffers[i] = i >= c->inputs && c->arrays[i].data ? fresh[i].data : c->arrays[i].data;
  }
}

// Scratch memory; its beginning is aligned to 64 bytes.
static inline guarded rg_scratch(int64_t bytes) {
  return guarded_new(((size_t)bytes + 63) & ~(size_t)63, true);
}

// Bytes of an output for the sizes that a run has computed.
static inline size_t rg_used(const rg_case *c, gj_ref ref, const int64_t *symbols) {
  const gj_type *type = &gj_graph_node(c->graph, ref)->type;
  int64_t elements = 1, size = 0;
  for (uint8_t i = 0; i < type->rank; i++)
    elements *= gj_dim_eval(gj_graph_dims(c->graph), type->shape[i], symbols, &size) ? size : 0;
  return (size_t)elements * gj_dtype_bytes(type->dtype);
}

static inline bool rg_same(const gj_output *output, gj_dtype dtype, const unsigned char *expected,
                           const unsigned char *found, size_t bytes, const char *who) {
  size_t width = gj_dtype_bytes(dtype);
  if (bytes == 0 || memcmp(expected, found, bytes) == 0)
    return true;
  for (size_t at = 0; at < bytes; at += width) {
    gj_scalar want = gj_scalar_load(dtype, expected + at), got = gj_scalar_load(dtype, found + at);
    if (gj_scalar_same_bits(want, got))
      continue;
    printf("%s: %s[%zu] : %s differs: want %.17g (%llx), got %.17g (%llx)\n", who, output->name,
           at / width, gj_dtype_name(dtype), gj_dtype_is_float(dtype) ? want.v.f : (double)want.v.i,
           (unsigned long long)want.v.u, gj_dtype_is_float(dtype) ? got.v.f : (double)got.v.i,
           (unsigned long long)got.v.u);
    return false;
  }
  return true;
}

// True when output arrays and computed sizes agree with those expected. Prints the first
// difference; frees the arrays, or keeps them for others of the family.
static inline bool rg_agree(rg_case *c, guarded *fresh, const int64_t *symbols, const char *who,
                            int family) {
  bool ok = true, keep = c->rounds && !c->has_first[family];
  c->has_first[family] = c->has_first[family] || keep;
  for (size_t i = c->inputs; i < c->inputs + c->outputs; i++) {
    const gj_output *output = gj_graph_output(c->graph, i - c->inputs);
    gj_dtype dtype = gj_graph_node(c->graph, output->ref)->type.dtype;
    size_t used = rg_used(c, output->ref, c->symbols);
    const guarded *expected = c->rounds ? &c->first[family][i] : &c->arrays[i];
    if (used != rg_used(c, output->ref, symbols)) {
      printf("%s: %s has %zu bytes, but should have %zu\n", who, output->name,
             rg_used(c, output->ref, symbols), used);
      ok = false;
    }
    ok = ok && (keep || rg_same(output, dtype, expected->data, fresh[i].data, used, who));
    if (!guarded_stands(&fresh[i])) {
      printf("%s: bytes around %s were overwritten\n", who, output->name);
      ok = false;
    }
    if (keep)
      c->first[family][i] = fresh[i];
    else
      guarded_free(&fresh[i]);
  }
  for (size_t i = 0; i < c->inputs; i++)
    if (!guarded_stands(&c->arrays[i])) {
      printf("%s: bytes around input %zu were overwritten\n", who, i);
      ok = false;
    }
  return ok;
}

static inline bool rg_complain(const char *who, const gj_error *err) {
  printf("%s: %s (%s)\n", who, err->message, gj_status_name(err->code));
  return false;
}

static inline bool rg_scratch_stands(guarded *scratch, const char *who) {
  bool ok = guarded_stands(scratch);
  if (!ok)
    printf("%s: bytes around the working memory were overwritten\n", who);
  guarded_free(scratch);
  return ok;
}

// `piece_ns` 1 divides every kernel as finely as can be.
static inline bool rg_run_loops(rg_case *c, gj_loops_machine machine, unsigned piece_ns) {
  gj_error err;
  gj_pipeline p;
  gj_pipeline_options options = {.machine = machine, .piece_ns = piece_ns};
  const char *who = machine.masked         ? "masked loops"
                    : machine.vector_bytes ? "vectorised loops"
                                           : "loops";
  if (gj_pipeline_run(c->graph, &options, &p, &err) != GJ_OK)
    return rg_complain(who, &err);
  guarded fresh[RG_MAX_PORTS];
  void *buffers[RG_MAX_PORTS];
  int64_t scratch = 0;
  int64_t dims[RG_MAX_SYMBOLS];
  memcpy(dims, c->bound, sizeof dims);
  gj_dim_eval(gj_graph_dims(p.graph), p.scratch_bytes, dims, &scratch);
  rg_outputs(c, fresh, buffers);
  guarded memory = rg_scratch(scratch);
  gj_leval args = {.buffers = buffers,
                   .buffer_sizes = c->bytes,
                   .buffer_count = c->inputs + c->outputs,
                   .dims = dims,
                   .dim_count = RG_MAX_SYMBOLS,
                   .scratch = memory.data,
                   .scratch_size = (size_t)scratch,
                   .slots = 3};
  int32_t status = 0;
  gj_status result = gj_lmodule_eval(p.lowered.module, &args, &status, &err);
  gj_pipeline_fini(&p);
  bool ok = rg_scratch_stands(&memory, who);
  ok = rg_agree(c, fresh, dims, who, RG_LOOPS) && ok;
  return result == GJ_OK ? ok && status == 0 : rg_complain(who, &err);
}

// A pool larger than the machine, so that many threads meet.
static inline gj_pool *rg_pool(void) {
  static gj_pool *pool;
  if (!pool)
    pool = gj_pool_new(8);
  return pool;
}

// The first tier on the loops as they are lowered.
static inline bool rg_run_interp(rg_case *c, bool strict) {
  gj_error err;
  gj_pipeline p;
  gj_interp *interp = NULL;
  const gj_block_set *set = gj_block_set_choose(strict);
  const char *who = strict ? "strict first tier" : "first tier";
  if (!set)
    return true;                 // a machine for which nothing was built
  gj_pipeline_options options = {// divided, or whole
                                 .poll = true,
                                 .piece_ns = strict ? 1 : 0,
                                 .fma = set->fused && !strict};
  if (gj_pipeline_run(c->graph, &options, &p, &err) != GJ_OK)
    return rg_complain(who, &err);
  int64_t scratch = 0;
  gj_dim_eval(gj_graph_dims(p.graph), p.scratch_bytes, c->symbols, &scratch);
  bool ok = gj_interp_new(p.lowered.module, set, &interp, &err) == GJ_OK || rg_complain(who, &err);
  if (ok) {
    guarded fresh[RG_MAX_PORTS];
    void *buffers[RG_MAX_PORTS];
    guarded memory = rg_scratch(scratch);
    gj_pool_exec run = gj_pool_exec_make(strict ? 3 : 1, memory.data, NULL);
    run.pool = rg_pool();
    int64_t dims[RG_MAX_SYMBOLS];
    memcpy(dims, c->bound, sizeof dims);
    rg_outputs(c, fresh, buffers);
    ok = gj_interp_run(interp, buffers, dims, &run.exec) == GJ_RUN_OK;
    ok = rg_scratch_stands(&memory, who) && ok;
    ok = rg_agree(c, fresh, dims, who, strict ? RG_STRICT : RG_DEFAULT) && ok;
  }
  gj_interp_free(interp);
  gj_pipeline_fini(&p);
  return ok;
}

// One run on so many threads; 0: by gj_program_run().
static inline bool rg_run_once(rg_case *c, const gj_program *program, const gj_binding *binding,
                               unsigned threads, const char *who, int family) {
  gj_error err;
  guarded fresh[RG_MAX_PORTS];
  void *buffers[RG_MAX_PORTS];
  rg_outputs(c, fresh, buffers);
  bool ok;
  int64_t dims[RG_MAX_SYMBOLS];
  memcpy(dims, c->bound, sizeof dims);
  if (threads == 0) {
    ok = gj_program_run_sizes(program, binding, buffers, NULL, NULL, dims, &err) == GJ_OK ||
         rg_complain(who, &err);
  } else {
    guarded memory = rg_scratch((int64_t)binding->scratch_bytes);
    gj_pool_exec run = gj_pool_exec_make(threads, memory.data, NULL);
    run.pool = rg_pool();
    ok = gj_program_entry(program)(buffers, dims, &run.exec) == 0;
    ok = rg_scratch_stands(&memory, who) && ok;
  }
  ok = rg_agree(c, fresh, dims, who, family) && ok;
  if (!ok)
    printf("on %u threads\n", threads);
  return ok;
}

static inline bool rg_run_program(rg_case *c, gj_numerics numerics, unsigned opt_level) {
  gj_error err;
  gj_program *program = NULL;
  gj_binding *binding = NULL;
  bool strict = numerics == GJ_NUMERICS_STRICT;
  const char *who = strict ? "strict code" : "code";
  gj_compile_options options = {
      .numerics = numerics, .opt_level = opt_level, .threads = 8, .piece_ns = 1};
  if (gj_program_compile(c->graph, &options, &program, &err) != GJ_OK)
    return rg_complain(who, &err);
  bool ok =
      gj_program_bind(program, c->shape_list, &binding, &err) == GJ_OK || rg_complain(who, &err);
  static const unsigned threads[] = {0, 1, 2, 3, 8};
  for (size_t i = 0; i < sizeof threads / sizeof *threads && ok; i++)
    ok = rg_run_once(c, program, binding, threads[i], who, strict ? RG_STRICT : RG_DEFAULT);
  gj_binding_free(binding);
  gj_program_free(program);
  return ok;
}

// The loops, as they are lowered and for machines of several kinds.
static inline bool rg_run_all_loops(rg_case *c) {
  return rg_run_loops(c, (gj_loops_machine){0}, 0) &&
         rg_run_loops(c, (gj_loops_machine){.vector_bytes = 16}, 1) &&
         rg_run_loops(c, (gj_loops_machine){.vector_bytes = 32, .masked = 4 | 8}, 0) &&
         rg_run_loops(c,
                      (gj_loops_machine){.vector_bytes = 64,
                                         .masked = 1 | 2 | 4 | 8,
                                         .cheap_masks = true,
                                         .stream_bytes = 64},
                      1);
}

// Compiling takes most of the time: of wide graphs most are compiled in one mode, a quarter of them
// at the higher levels of LLVM, which take four times as long as all the rest of a graph; most
// mistakes are made before LLVM.
static inline bool rg_run_programs(rg_case *c) {
  if (c->modes == 0)
    return rg_run_program(c, GJ_NUMERICS_DEFAULT, 3) && rg_run_program(c, GJ_NUMERICS_STRICT, 1);
  static const unsigned char levels[] = {3, 2, 1, 1, 1, 0, 0, 0};
  unsigned level = levels[c->data >> 8 & 7];
  return (!(c->modes & 1) || rg_run_program(c, GJ_NUMERICS_DEFAULT, level)) &&
         (!(c->modes & 2) || rg_run_program(c, GJ_NUMERICS_STRICT, level));
}

static inline void rg_print(const rg_case *c) {
  gj_strbuf text = {0};
  gj_graph_print(c->graph, &text);
  printf("n = %lld, m = %lld, data = %llu, rounds = %d\n%s\n", (long long)c->symbols[0],
         (long long)c->symbols[1], (unsigned long long)c->data, c->rounds, gj_strbuf_peek(&text));
  fflush(stdout);
  gj_strbuf_fini(&text);
}

// True when all ways agree on a case that is filled; frees it.
static inline bool rg_compare(rg_case *c) {
  gj_error err;
  bool ok = true;
  void *outputs[RG_MAX_PORTS];
  const void *inputs[RG_MAX_PORTS];
  for (size_t i = 0; i < c->inputs; i++)
    inputs[i] = c->arrays[i].data;
  for (size_t i = 0; i < c->outputs; i++)
    outputs[i] = c->arrays[c->inputs + i].data;
  memcpy(c->bound, c->symbols, sizeof c->bound);
  if (c->prints) // before what may end the process
    rg_print(c);
  if (gj_graph_eval(c->graph, c->symbols, inputs, outputs, &err) != GJ_OK)
    ok = rg_complain("reference", &err);
  ok = ok && rg_run_interp(c, true) && rg_run_interp(c, false) &&
       ((c->most_loops > 0 && c->work > c->most_loops) || rg_run_all_loops(c)) &&
       rg_run_programs(c);
  if (!ok && !c->prints)
    rg_print(c);
  rg_free(c);
  return ok;
}

// What becomes of a graph: it may have sizes that do not fit together, or too large a value.
typedef enum rg_verdict { RG_AGREES, RG_DIFFERS, RG_REFUSED } rg_verdict;

// Runs a case that has nothing but a graph, which is freed.
static inline rg_verdict rg_judge(rg_case *c, rg_stream *s) {
  gj_error err;
  // What depends on computed sizes may be refused as a whole.
  bool possible =
      c->graph && (!gj_graph_computes_sizes(c->graph) || gj_graph_verify(c->graph, &err) == GJ_OK);
  if (possible && rg_prepare(c, s) &&
      gj_graph_bind(c->graph, c->shape_list, c->symbols, &err) == GJ_OK)
    return rg_compare(c) ? RG_AGREES : RG_DIFFERS;
  rg_free(c);
  return RG_REFUSED;
}

// True when all agree, or nothing ran.
static inline bool rg_check_graph(gj_graph *graph, rg_stream *s) {
  rg_case c = {.graph = graph};
  return rg_judge(&c, s) != RG_DIFFERS;
}

// Builds and runs one case.
static inline bool rg_check(rg_stream *s) { return rg_check_graph(rg_graph(s), s); }

#endif
