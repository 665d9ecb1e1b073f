// Small arrays of vectors in registers: whatever the overlap of loads and stores, machine code
// gives what the interpreter of Loop IR gives, on every instruction set of this machine.
//
// One kernel keeps an array whose places are constants; its twin has one place that is not, so that
// its array stays in memory. What cannot live in registers must come out right as well.
#include "loop_trial.h"
#include "loops_text.h"

typedef struct kernel {
  const char *name, *type;
  const char *body; // of a loop over i; x is read, z is written, n is 0
} kernel;

static const kernel kernels[] = {
    {"slides", "f64",
     "array a: f64[16] a[0] = splat<8>(0.5:f64) a[8] = x[i:8]"
     "z[i] = add(a[7:8], add(a[6:8], add(a[3:8], a[AT:8])))"},
    {"a running sum", "f32",
     "array a: f32[8] array b: f32[8] a[0] = splat<4>(0.0:f32) a[4] = x[i:4]"
     "b[0] = splat<4>(0.0:f32) b[4] = add(a[3:4], a[4:4])"
     "z[i] = add(b[AT:4], b[4:4]) z[add(i, 4)] = x[add(i, 4):4]"},
    {"carried from round to round", "i32",
     "if (eq(i, 0)) { c[0] = splat<4>(7:i32) c[4] = splat<4>(9:i32) }"
     "c[4] = add(c[AT:4], x[i:4]) c[0] = sub(c[4:4], x[add(i, 4):4]) z[i] = c[1:4]"
     "z[add(i, 4)] = c[4:4]"},
    {"lanes and halves", "u8",
     "array a: u8[32] a[0] = x[i:8] a[8] = x[i:8] a[16] = x[i:8] a[24] = x[i:8]"
     "z[i] = add(splat<8>(a[AT]), a[17:8]) let s: u8 = a[31] z[i] = add(z[i], s)"
     "z[add(i, 6)] = a[14:2]"},
    {"a load wider than the stores", "f64",
     "array a: f64[8] a[0] = x[i:4] a[4] = x[add(i, 4):4] z[i] = add(a[AT:8], a[0:8])"},
    {"stores that overlap", "f64",
     "array a: f64[16] a[0] = x[i:8] a[8] = x[i:8] a[4] = splat<8>(2.0:f64) z[i] = a[AT:8]"},
    {"an address that is passed on", "f64",
     "array a: f64[8] a[0] = x[i:8] do call fill(a) z[i] = a[AT:8]"},
    {"a mask", "i32",
     "array a: i32[8] a[0] = x[i:8] a[0 if first<8>(3)] = splat<8>(5:i32) z[i] = a[AT:8]"},
};

static gj_lmodule *make(const kernel *k, bool constant) {
  char body[1024], text[2048];
  size_t used = 0;
  for (const char *at = k->body; *at; at++) {
    bool here = strncmp(at, "AT", 2) == 0;
    const char *place = constant ? "0" : "n";
    used += (size_t)snprintf(body + used, sizeof body - used, "%.*s", here ? (int)strlen(place) : 1,
                             here ? place : at);
    at += here;
  }
  snprintf(text, sizeof text,
           "module \"t\" { func fill(p: f64*) -> i32 { p[3] = 1.5:f64 return 0:i32 }"
           "func f(z: %s* noalias, x: %s* readonly, n: i64) -> i32 { array c: i32[8] "
           "for i = 0 to 64 step 8 { %s } return 0:i32 } "
           "entry func main() -> i32 { return call f(buffer<0, %s>, buffer<1, %s>, dim<0>) } }",
           k->type, k->type, body, k->type, k->type);
  return parse(text);
}

static void run_kernel(const kernel *k, const gj_target *target) {
  gj_lmodule *own = make(k, true), *twin = make(k, false);
  CHECK_OR_RETURN(own && twin);
  gj_codegen_options options = {.opt_level = 3};
  gj_jit_code *code = NULL, *twin_code = NULL;
  gj_entry *entry = load_code(own, target, options, &code);
  gj_entry *in_memory = load_code(twin, target, options, &twin_code);
  CHECK_OR_RETURN(entry && in_memory);
  static int64_t none = 0;
  trial t = {.dims = &none, .dim_count = 1, .exact = true};
  for (int b = 0; b < 2; b++)
    add_array(&t, k->type, 64, b == 1);
  bool same = try_loops(&t, own, entry, in_memory);
  CHECK(same);
  if (!same)
    printf("%s, %s\n", k->name, target->cpu);
  gj_jit_unload(code);
  gj_jit_unload(twin_code);
  gj_lmodule_free(own);
  gj_lmodule_free(twin);
}

static void arrays_in_registers_hold_what_was_stored(void) {
  static gj_target targets[MOST_TARGETS];
  size_t count = find_targets(targets);
  for (size_t t = 0; t < count; t++)
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
      run_kernel(&kernels[i], &targets[t]);
}

int main(void) {
  make_arenas();
  CHECK_RUN(arrays_in_registers_hold_what_was_stored);
  return check_report();
}
