// Every block kernel of every set that this machine runs: the bits of compiled code, whichever
// operands are splats and however long the block is, and nothing written behind its end.
#include "loop_code.h"
#include "op_cases.h"

#include "interp/blocks.h"

enum { SHORT = 37 };

static gj_target target;
static unsigned char expected[MAX_COUNT * 8], got[MAX_COUNT * 8 + 64], filled[MAX_COUNT * 8];

// for i = 0 to count { z[i] = op(x[i], …) } as scalar code.
static gj_lmodule *build(const op_case *c, size_t count) {
  gj_lmodule *m = gj_lmodule_new("case");
  gj_lfunc *f = gj_lfunc_new(m, "entry", gj_ltype_scalar(GJ_DTYPE_i32), true);
  gj_lstmt *loop =
      gj_ls_for(m, f, &f->body, "i", gj_lx_i64(m, 0), gj_lx_i64(m, (int64_t)count), 1, 0, 0);
  const gj_lexpr *i = gj_lx_local(m, f, loop->local), *args[3];
  for (unsigned k = 0; k < c->arity; k++)
    args[k] = gj_lx_load(m, gj_lx_buffer(m, k, c->args[k]), i, 1);
  gj_ls_store(m, f, &loop->body, gj_lx_buffer(m, 3, c->result), i,
              gj_lx_op(m, c->op, args, c->arity, c->result));
  gj_ls_return(m, f, &f->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

static bool compute_expected(const op_case *c, size_t count, gj_numerics numerics) {
  gj_jit_code *code;
  gj_lmodule *m = build(c, count);
  gj_entry *entry =
      load_code(m, &target, (gj_codegen_options){.numerics = numerics, .opt_level = 1}, &code);
  gj_lmodule_free(m);
  if (!entry)
    return false;
  void *buffers[4] = {operands[0], operands[1], operands[2], expected};
  gj_exec exec = {0};
  CHECK_INT_EQ(entry(buffers, NULL, &exec), 0);
  gj_jit_unload(code);
  return true;
}

static bool same(gj_dtype dtype, const unsigned char *a, const unsigned char *b, size_t count) {
  size_t bytes = gj_dtype_bytes(dtype);
  for (size_t i = 0; i < count; i++)
    if (!gj_scalar_same_bits(gj_scalar_load(dtype, a + i * bytes),
                             gj_scalar_load(dtype, b + i * bytes)))
      return false;
  return true;
}

static void complain(const op_case *c, const gj_block_set *set, const char *what) {
  printf("%s %s -> %s, %s%s: %s\n", gj_op_name(c->op), gj_dtype_name(c->args[c->arity - 1]),
         gj_dtype_name(c->result), set->cpu, set->base ? " strict" : "", what);
  CHECK(!"a block kernel is wrong");
}

static gj_block *find(const op_case *c, const gj_block_set *set, unsigned form) {
  return gj_block_find(set, c->op, c->args[c->arity - 1], c->result, form);
}

// All elements, a few, and one, with the bytes behind them watched.
static void check_plain(const op_case *c, const gj_block_set *set, size_t count) {
  size_t bytes = gj_dtype_bytes(c->result);
  const size_t lengths[] = {count, SHORT, 1};
  gj_block *kernel = find(c, set, GJ_BLOCK_PLAIN);
  if (!kernel) {
    complain(c, set, "there is none");
    return;
  }
  for (size_t k = 0; k < 3; k++) {
    memset(got, 0xa5, sizeof got);
    kernel(got, operands[0], operands[1], operands[2], (int64_t)lengths[k], NULL);
    if (!same(c->result, expected, got, lengths[k]))
      complain(c, set, "other bits");
    for (size_t i = lengths[k] * bytes; i < lengths[k] * bytes + 64; i++)
      if (got[i] != 0xa5) {
        complain(c, set, "writes behind its end");
        break;
      }
  }
}

// A result over its own operand, which gives way element by element.
static void check_in_place(const op_case *c, const gj_block_set *set, size_t count) {
  unsigned last = c->arity - 1;
  size_t bytes = gj_dtype_bytes(c->result);
  gj_block *kernel = find(c, set, GJ_BLOCK_PLAIN);
  if (!kernel || gj_dtype_bytes(c->args[last]) != bytes)
    return;
  const void *args[3] = {operands[0], operands[1], operands[2]};
  memcpy(got, operands[last], count * bytes);
  args[last] = got;
  kernel(got, args[0], args[1], args[2], (int64_t)count - 5, NULL);
  if (!same(c->result, expected, got, count - 5))
    complain(c, set, "other bits in place");
}

static bool is_splat(const op_case *c, unsigned form, unsigned k) {
  return c->arity == 2 ? form == k + 1 : c->arity == 3 && k > 0 && (form & k) != 0;
}

// A form with splats against the plain one on arrays filled with the same element.
static void check_form(const op_case *c, const gj_block_set *set, unsigned form, size_t at,
                       size_t count) {
  const void *splats[3], *arrays[3];
  static unsigned char fills[3][MAX_COUNT * 8];
  for (unsigned k = 0; k < 3; k++) {
    splats[k] = arrays[k] = operands[k];
    if (k >= c->arity || !is_splat(c, form, k))
      continue;
    size_t bytes = gj_dtype_bytes(c->args[k]);
    for (size_t i = 0; i < count; i++)
      memcpy(fills[k] + i * bytes, operands[k] + at * bytes, bytes);
    splats[k] = operands[k] + at * bytes;
    arrays[k] = fills[k];
  }
  gj_block *kernel = find(c, set, form), *plain = find(c, set, GJ_BLOCK_PLAIN);
  if (!kernel || !plain) {
    complain(c, set, "a form is missing");
    return;
  }
  kernel(got, splats[0], splats[1], splats[2], (int64_t)count, NULL);
  plain(filled, arrays[0], arrays[1], arrays[2], (int64_t)count, NULL);
  if (!same(c->result, filled, got, count))
    complain(c, set, "other bits with splats");
}

static void check_set(const op_case *c, const gj_block_set *set, size_t count) {
  check_plain(c, set, count);
  check_in_place(c, set, count);
  for (unsigned form = 1; form < (c->arity < 2 ? 1 : c->arity == 2 ? 3 : GJ_BLOCK_FORMS); form++)
    for (size_t at = 0; at < count; at += count / 4 + 1)
      check_form(c, set, form, at, count);
}

static bool is_here(const gj_block_set *set) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return strcmp(set->cpu, "x86-64-v4") == 0   ? __builtin_cpu_supports("x86-64-v4")
         : strcmp(set->cpu, "x86-64-v3") == 0 ? __builtin_cpu_supports("x86-64-v3")
                                              : __builtin_cpu_supports("x86-64-v2");
#else
  (void)set;
  return true;
#endif
}

// Sets without fused multiply-add have one variant, the strict one.
static void visit(const op_case *c, void *data) {
  const bool strict = *(const bool *)data;
  if (c->op == GJ_OP_bitcast)
    return; // the same bits: there is nothing to compute
  size_t count = fill_operands(c);
  if (!compute_expected(c, count, strict ? GJ_NUMERICS_STRICT : GJ_NUMERICS_DEFAULT))
    return;
  for (const gj_block_set *const *pair = gj_block_sets; *pair; pair += 2)
    if (is_here(pair[0]) && (strict || pair[0]->fused == target.fma))
      check_set(c, pair[strict], count);
}

static void kernels_have_the_bits_of_compiled_code(void) {
  bool strict = false;
  for_each_case(visit, &strict);
}

static void strict_kernels_have_the_bits_of_strict_code(void) {
  bool strict = true;
  for_each_case(visit, &strict);
}

static void there_is_a_set_for_this_machine(void) {
  const gj_block_set *set = gj_block_set_choose(false);
  CHECK(set && set->fused == target.fma);
  CHECK(gj_block_set_choose(true));
}

int main(void) {
  gj_error err = {0};
  CHECK_OK(gj_target_host(&target, &err), &err);
  CHECK_RUN(there_is_a_set_for_this_machine);
  CHECK_RUN(kernels_have_the_bits_of_compiled_code);
  CHECK_RUN(strict_kernels_have_the_bits_of_strict_code);
  return check_report();
}
