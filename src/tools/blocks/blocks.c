// Writes the block kernels of src/interp/blocks.h: object files and the tables that list them.
//
//   blocks <folder> [triple]    writes <folder>/<set>.o for each set, and <folder>/blocks_table.c
//
// The sets are those of the machine that the triple names, of this one without.
// A set is an instruction set; where it has fused multiply-add, the elementary functions stand in a
// second one for strict programs, which have them unfused. The loops are made in Loop IR, widened
// by the vectoriser and compiled by the code generator, as kernels are at run time. It runs while
// the project is built, so it links only what lies below it (base, ir, loops, codegen).
#include "interp/blocks.h"
#include "codegen/codegen.h"
#include "math/bitcode.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kernel {
  gj_op op;
  gj_dtype operand, result;
  unsigned form;
  char name[64];
} kernel;

typedef struct set {
  gj_target target;
  const char *cpu; // as in gj_block_set
  const char *name;
  bool strict; // only elementary functions, unfused
  kernel *kernels;
  size_t count, capacity;
  gj_lmodule *module;
  const char *folder;
  bool failed;
} set;

// --- which kernels there are ---

static bool is_elementary(gj_op op, gj_dtype dtype) {
  for (const gj_math_blob *blob = gj_math_blobs; blob->op; blob++)
    if (strcmp(blob->op, gj_op_name(op)) == 0)
      return gj_dtype_is_float(dtype) && op != GJ_OP_fma;
  return false;
}

// Whether operand `k` of `arity` is one element for all.
static bool is_splat(unsigned arity, unsigned form, unsigned k) {
  return arity == 2 ? form == k + 1 : arity == 3 && k > 0 && (form & k) != 0;
}

static unsigned forms_of(int arity) { return arity == 1 ? 1 : arity == 2 ? 3 : GJ_BLOCK_FORMS; }

// The function k(z, x, …, n): for i = 0 to n { z[i] = op(x[i], …) }. Parameters stand where
// gj_block has them, so that a kernel of one operand takes two that it does not read.
static void build_kernel(gj_lmodule *m, const kernel *k) {
  static const char *const names[] = {"x", "y", "w"};
  unsigned arity = (unsigned)gj_op_get(k->op)->arity;
  uint32_t params[3];
  gj_lfunc *f = gj_lfunc_new(m, k->name, gj_ltype_scalar(GJ_DTYPE_i32), false);
  uint32_t z = gj_lfunc_param(m, f, "z", gj_ltype_pointer(k->result), 0);
  for (unsigned a = 0; a < 3; a++) {
    bool condition = k->op == GJ_OP_select && a == 0;
    gj_dtype dtype = condition ? GJ_DTYPE_bool : k->operand;
    params[a] = gj_lfunc_param(m, f, names[a], gj_ltype_pointer(dtype), 0);
  }
  uint32_t n = gj_lfunc_param(m, f, "n", gj_ltype_scalar(GJ_DTYPE_i64), 0);
  const gj_lexpr *args[3], *zero = gj_lx_i64(m, 0);
  for (unsigned a = 0; a < arity; a++)
    if (is_splat(arity, k->form, a)) {
      const gj_lexpr *one = gj_lx_load(m, gj_lx_local(m, f, params[a]), zero, 1);
      args[a] = gj_lx_local(m, f, gj_ls_let(m, f, &f->body, "one", one));
    }
  unsigned factor = is_elementary(k->op, k->operand) ? 1 : 2;
  gj_lstmt *loop = gj_ls_for(m, f, &f->body, "i", zero, gj_lx_local(m, f, n), 1, GJ_LOOP_VECTOR,
                             (uint8_t)factor);
  const gj_lexpr *i = gj_lx_local(m, f, loop->local);
  for (unsigned a = 0; a < arity; a++)
    if (!is_splat(arity, k->form, a))
      args[a] = gj_lx_load(m, gj_lx_local(m, f, params[a]), i, 1);
  gj_ls_store(m, f, &loop->body, gj_lx_local(m, f, z), i,
              gj_lx_op(m, k->op, args, arity, k->result));
  gj_ls_return(m, f, &f->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
}

static void add_kernel(set *s, gj_op op, gj_dtype operand, gj_dtype result, unsigned form) {
  if (s->count == s->capacity) {
    s->capacity = s->capacity ? 2 * s->capacity : 1024;
    kernel *grown = realloc(s->kernels, s->capacity * sizeof *grown);
    if (!grown)
      abort(); // a build tool: nothing can be saved
    s->kernels = grown;
  }
  kernel *k = &s->kernels[s->count++];
  *k = (kernel){op, operand, result, form, ""};
  snprintf(k->name, sizeof k->name, "%s_%s_%s_%u", gj_op_name(op), gj_dtype_name(operand),
           gj_dtype_name(result), form);
  build_kernel(s->module, k);
}

// The dtype rules of ops.def.
enum {
  RULE_leaf = 1,
  RULE_same,
  RULE_truth,
  RULE_attr,
  RULE_first,
  RULE_indexed,
  RULE_select,
  RULE_pair,
  RULE_chosen,
  RULE_permuted,
  RULE_bits,
  RULE_result,
  RULE_control
};

static const uint8_t rules[GJ_OP_COUNT] = {
#define GJ_OP(name, arity, kind, accepts, dtype, shape, attrs, flags) [GJ_OP_##name] = RULE_##dtype,
#include "ops/ops.def"
};

static void add_kernels(set *s, gj_op op, gj_dtype operand) {
  bool wanted = gj_op_is_elementwise(op) && rules[op] != RULE_bits; // the bits are there already
  if (!wanted || !gj_loops_takes(op, operand) || (s->strict && !is_elementary(op, operand)))
    return;
  if (op != GJ_OP_convert) {
    for (unsigned form = 0; form < forms_of(gj_op_get(op)->arity); form++)
      add_kernel(s, op, operand, rules[op] == RULE_truth ? GJ_DTYPE_bool : operand, form);
    return;
  }
  for (gj_dtype to = GJ_DTYPE_none + 1; to < GJ_DTYPE_COUNT; to++)
    if (to != operand)
      add_kernel(s, op, operand, to, 0);
}

// --- compiling ---

static bool complain(set *s, const char *what, const char *message) {
  fprintf(stderr, "blocks: %s: %s: %s\n", s->name, what, message);
  s->failed = true;
  return false;
}

static bool write_object(set *s, const unsigned char *object, size_t size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.o", s->folder, s->name);
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(object, 1, size, file) == size;
  ok = file && fclose(file) == 0 && ok;
  return ok || complain(s, path, "cannot be written");
}

static void *compile_set(void *data) {
  set *s = data;
  char prefix[64];
  gj_error err;
  unsigned char *object = NULL;
  size_t size = 0;
  s->module = gj_lmodule_new(s->name);
  if (!s->module) {
    complain(s, "module", "out of memory");
    return NULL;
  }
  for (gj_op op = GJ_OP_none + 1; op < GJ_OP_COUNT; op++)
    for (gj_dtype operand = GJ_DTYPE_none + 1; operand < GJ_DTYPE_COUNT; operand++)
      add_kernels(s, op, operand);
  snprintf(prefix, sizeof prefix, "gj_block_%s_", s->name);
  gj_codegen_options options = {.numerics = s->strict ? GJ_NUMERICS_STRICT : GJ_NUMERICS_DEFAULT,
                                .opt_level = 2,
                                .entry_symbol = "",
                                .export_prefix = prefix};
  gj_loops_machine machine = gj_target_loops(&s->target);
  gj_status status = gj_loops_vectorise(s->module, &machine, NULL, &err);
  if (status == GJ_OK)
    status =
        gj_codegen(s->module, &s->target, &options, GJ_EMIT_OBJECT, &object, &size, NULL, &err);
  if (status != GJ_OK)
    complain(s, "compiling", err.message);
  else
    write_object(s, object, size);
  free(object);
  gj_lmodule_free(s->module);
  return NULL;
}

// --- the tables ---

static void write_set(FILE *out, const set *s, const set *base) {
  for (size_t i = 0; i < s->count; i++)
    fprintf(out, "gj_block gj_block_%s_%s;\n", s->name, s->kernels[i].name);
  fprintf(out, "static const gj_block_set set_%s = {\n", s->name);
  fprintf(out, "    .cpu = \"%s\",\n    .fused = %d,\n", s->cpu, s->target.fma);
  if (base)
    fprintf(out, "    .base = &set_%s,\n", base->name);
  for (size_t i = 0; i < s->count; i++) {
    const kernel *k = &s->kernels[i];
    if (k->op == GJ_OP_convert)
      fprintf(out, "    .convert[%d][%d]", k->operand, k->result);
    else
      fprintf(out, "    .ops[%d][%d][%u]", k->op, k->operand, k->form);
    fprintf(out, " = gj_block_%s_%s,\n", s->name, k->name);
  }
  fputs("};\n", out);
}

// `sets` are pairs of a full set and its strict one, which is empty where the full one will do.
static bool write_tables(const char *folder, const set *sets, size_t count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/blocks_table.c", folder);
  FILE *out = fopen(path, "w");
  if (!out)
    return false;
  fputs("// Made by src/tools/blocks.\n#include \"interp/blocks.h\"\n", out);
  for (size_t i = 0; i < count; i += 2) {
    write_set(out, &sets[i], NULL);
    if (sets[i + 1].count)
      write_set(out, &sets[i + 1], &sets[i]);
  }
  fputs("const gj_block_set *const gj_block_sets[] = {\n", out);
  for (size_t i = 0; i < count; i += 2)
    fprintf(out, "    &set_%s, &set_%s,\n", sets[i].name, sets[i + (sets[i + 1].count > 0)].name);
  fputs("    0};\n", out);
  bool ok = !ferror(out);
  return fclose(out) == 0 && ok;
}

// --- the sets ---

typedef struct level {
  const char *cpu, *name, *strict_name;
} level;

static const level x86_levels[] = {{"x86-64-v4", "v4", "v4_strict"},
                                   {"x86-64-v3", "v3", "v3_strict"},
                                   {"x86-64-v2", "v2", "v2_strict"}};
static const level other_levels[] = {{NULL, "host", "host_strict"}};

int main(int argc, char **argv) {
  enum { MOST = 6 };
  static set sets[MOST];
  pthread_t threads[MOST];
  gj_error err;
  gj_target host;
  if (argc < 2 || argc > 3) {
    fputs("usage: blocks <folder> [triple]\n", stderr);
    return 2;
  }
  if (argc == 2 && gj_target_host(&host, &err) != GJ_OK) {
    fprintf(stderr, "blocks: %s\n", err.message);
    return 1;
  }
  const char *triple = argc == 3 ? argv[2] : host.triple;
  bool x86 = strncmp(triple, "x86_64", 6) == 0, ok = true;
  const level *levels = x86 ? x86_levels : other_levels;
  size_t count = x86 ? 6 : 2;
  for (size_t i = 0; i < count; i++) {
    const level *l = &levels[i / 2];
    set *s = &sets[i];
    *s = (set){.cpu = l->cpu ? l->cpu : "", .strict = i % 2, .folder = argv[1]};
    s->name = s->strict ? l->strict_name : l->name;
    if (gj_target_named(triple, l->cpu, NULL, &s->target, &err) != GJ_OK) {
      fprintf(stderr, "blocks: %s\n", err.message);
      return 1;
    }
  }
  for (size_t i = 0; i < count; i++)
    if ((!sets[i].strict || sets[i].target.fma) &&
        pthread_create(&threads[i], NULL, compile_set, &sets[i]) != 0)
      return 1;
  for (size_t i = 0; i < count; i++)
    if (!sets[i].strict || sets[i].target.fma) {
      pthread_join(threads[i], NULL);
      ok = ok && !sets[i].failed;
    }
  ok = ok && write_tables(argv[1], sets, count);
  for (size_t i = 0; i < count; i++)
    free(sets[i].kernels);
  return ok ? 0 : 1;
}
