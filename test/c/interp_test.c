// The first tier against compiled code and the reference interpreter of Loop IR.
#include "check.h"

#include "interp/interp.h"

typedef struct text_case {
  void *buffers[4];
  size_t sizes[4];
  size_t count;
  int64_t dims[4];
} text_case;

// Runs a module in the first tier and in the reference interpreter on copies of the same buffers,
// which must agree afterwards.
static void check_text(const char *text, const text_case *c) {
  gj_error err = {0};
  gj_lmodule *m = NULL;
  gj_interp *interp = NULL;
  CHECK_OK(gj_lmodule_parse(text, strlen(text), &m, &err), &err);
  if (!m)
    return;
  CHECK_OK(gj_interp_new(m, gj_block_set_choose(false), &interp, &err), &err);
  char expected[4][4096];
  int64_t dims[4], same[4];
  memcpy(dims, c->dims, sizeof dims);
  memcpy(same, c->dims, sizeof same);
  void *copies[4];
  for (size_t i = 0; i < c->count; i++) {
    memcpy(expected[i], c->buffers[i], c->sizes[i]);
    copies[i] = expected[i];
  }
  gj_leval args = {.buffers = copies,
                   .buffer_sizes = c->sizes,
                   .buffer_count = c->count,
                   .dims = same,
                   .dim_count = 4};
  int32_t status = -1;
  CHECK_OK(gj_lmodule_eval(m, &args, &status, &err), &err);
  gj_exec exec = {0};
  if (interp) {
    CHECK_INT_EQ(gj_interp_run(interp, c->buffers, dims, &exec), status);
    CHECK(memcmp(dims, same, sizeof dims) == 0);
    for (size_t i = 0; i < c->count; i++)
      CHECK(memcmp(expected[i], c->buffers[i], c->sizes[i]) == 0);
  }
  gj_interp_free(interp);
  gj_lmodule_free(m);
}

static void arithmetic_on_blocks_and_rest(void) {
  double x[300], y[300], z[300];
  for (int i = 0; i < 300; i++) {
    x[i] = i * 0.5 - 7;
    y[i] = 100.0 / (i + 1);
    z[i] = -1;
  }
  text_case c = {{x, y, z}, {sizeof x, sizeof y, sizeof z}, 3, {299}};
  check_text("module \"m\" {\n"
             "  func k0(z: f64* noalias, x: f64* noalias readonly, y: f64* noalias readonly, n: "
             "i64) -> i32 {\n"
             "    for i = 0 to n step 1 vector {\n"
             "      let a: f64 = x[i]\n"
             "      let b: f64 = y[i]\n"
             "      let c: f64 = mul(a, b)\n"
             "      let d: f64 = add(c, 2.5:f64)\n"
             "      let e: f64 = sub(1.5:f64, d)\n"
             "      z[i] = select(lt(a, 3.0:f64), e, x[sub(298, i)])\n"
             "    }\n"
             "    return 0:i32\n"
             "  }\n"
             "  entry func main() -> i32 {\n"
             "    return call k0(buffer<2, f64>, buffer<0, f64>, buffer<1, f64>, dim<0>)\n"
             "  }\n"
             "}\n",
             &c);
}

// A function with `stores` stores of n + n + … + n, 1024 terms that are added one by one.
static gj_lmodule *new_long(unsigned stores) {
  gj_lmodule *m = gj_lmodule_new("long");
  gj_lfunc *f = gj_lfunc_new(m, "main", gj_ltype_scalar(GJ_DTYPE_i32), true);
  const gj_lexpr *out = gj_lx_buffer(m, 0, GJ_DTYPE_i64), *sum = gj_lx_dim(m, 0);
  const gj_lexpr *zero = gj_lx_const(m, (gj_scalar){.dtype = GJ_DTYPE_i64});
  for (int i = 0; i < 10; i++)
    sum = gj_lx_binary(m, GJ_OP_add, sum, sum);
  for (unsigned i = 0; i < stores; i++)
    gj_ls_store(m, f, &f->body, out, zero, sum);
  gj_ls_return(m, f, &f->body, gj_lx_const(m, (gj_scalar){.dtype = GJ_DTYPE_i32}));
  return m;
}

// One that is too long is refused, and what its code lay in is freed once.
static void refuses_long_functions(void) {
  static const struct {
    unsigned stores;
    gj_status status;
  } cases[] = {{20, GJ_OK}, {100, GJ_E_UNSUPPORTED}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    gj_error err = {0};
    gj_interp *interp = NULL;
    gj_lmodule *m = new_long(cases[i].stores);
    CHECK_INT_EQ(gj_interp_new(m, gj_block_set_choose(false), &interp, &err), cases[i].status);
    CHECK((interp != NULL) == (cases[i].status == GJ_OK));
    gj_interp_free(interp);
    gj_lmodule_free(m);
  }
}

int main(void) {
  CHECK_RUN(arithmetic_on_blocks_and_rest);
  CHECK_RUN(refuses_long_functions);
  return check_report();
}
