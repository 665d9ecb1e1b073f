// No operator falls back to lane-by-lane code unnoticed.
//
// Every elementwise op and dtype is compiled as a vector loop for x86-64-v2, v3, v4 and wasm, at
// the width that fills a register and at the widths that it has beside wider elements, and with a
// constant last operand too. In the assembly, instructions that move or compute a single lane are
// counted. As many as there are lanes mean that LLVM took the vector apart, which must be so
// exactly where codegen/targets/apart.c says it: the report of the vectoriser comes from there.
//
// The rare parts of elementary functions (huge arguments) are scalar on purpose and do not count.
// `lane_by_lane_test list` prints the counts of all cases.
#include "check.h"
#include "op_cases.h"

#include "codegen/codegen.h"
#include "codegen/targets/apart.h"

typedef struct survey {
  gj_target target;
  gj_takes_apart *takes_apart;
  bool constant; // the last operand is a constant
  bool list;
  unsigned visited;
} survey;

// --- one loop ---

static const gj_lexpr *last_operand(gj_lmodule *m, const op_case *c, unsigned lanes) {
  gj_dtype dtype = c->args[c->arity - 1];
  gj_scalar seven = {dtype, {.i = dtype == GJ_DTYPE_bool ? 1 : 7}};
  if (gj_dtype_is_float(dtype))
    seven.v.f = 7;
  return gj_lx_splat(m, gj_lx_const(m, seven), lanes);
}

// for i = 0 to n step lanes { z[i] = op(x[i], …) }; *out_op is the operator.
static gj_lmodule *make_loop(const survey *s, const op_case *c, unsigned lanes,
                             const gj_lexpr **out_op) {
  gj_lmodule *m = gj_lmodule_new("case");
  gj_lfunc *f = gj_lfunc_new(m, "kernel", gj_ltype_scalar(GJ_DTYPE_i32), true);
  gj_lstmt *loop = gj_ls_for(m, f, &f->body, "i", gj_lx_i64(m, 0), gj_lx_dim(m, 0), lanes, 0, 0);
  const gj_lexpr *i = gj_lx_local(m, f, loop->local), *args[3];
  for (unsigned k = 0; k < c->arity; k++)
    args[k] = s->constant && k == c->arity - 1
                  ? last_operand(m, c, lanes)
                  : gj_lx_load(m, gj_lx_buffer(m, k, c->args[k]), i, lanes);
  *out_op = gj_lx_op(m, c->op, args, c->arity, c->result);
  gj_ls_store(m, f, &loop->body, gj_lx_buffer(m, 3, c->result), i, *out_op);
  gj_ls_return(m, f, &f->body, gj_lx_const(m, (gj_scalar){GJ_DTYPE_i32, {.i = 0}}));
  return m;
}

static char *assembly_of(const survey *s, const gj_lmodule *m) {
  gj_codegen_options options = {
      .opt_level = 2, .for_size = s->target.wasm, .entry_symbol = "case_entry"};
  unsigned char *text = NULL;
  size_t size = 0;
  gj_error err = {0};
  CHECK_OK(gj_codegen(m, &s->target, &options, GJ_EMIT_ASSEMBLY, &text, &size, NULL, &err), &err);
  return (char *)text;
}

// --- what is in it ---

static bool starts(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, size_t length, const char *with) {
  size_t own = strlen(with);
  return length >= own && memcmp(text + length - own, with, own) == 0;
}

// Whether an x86 instruction, without its tab, is about one lane. Those that load or store a short
// vector as a whole look the same but for their operand in memory.
static bool is_single_x86(const char *line) {
  const char *op = line + (*line == 'v');
  size_t length = strcspn(op, "\t");
  if (starts(op, "div") || starts(op, "idiv"))
    return !ends(op, length, "ps") && !ends(op, length, "pd");
  if (strchr(line, '('))
    return false;
  if (starts(op, "pextr") || starts(op, "pinsr") || starts(op, "cvttsd2si") ||
      starts(op, "cvttss2si") || starts(op, "cvtsi2s"))
    return true;
  if (starts(op, "movd\t") || starts(op, "movq\t"))
    return strstr(line, "xmm") && (strstr(line, "%r") || strstr(line, "%e"));
  return (ends(op, length, "ss") || ends(op, length, "sd")) && !starts(op, "mov") &&
         !starts(op, "broadcast");
}

static bool is_single(const survey *s, const char *line) {
  if (s->target.wasm)
    return strstr(line, "extract_lane") || strstr(line, "replace_lane");
  return is_single_x86(line);
}

// A function of one lane that a vector function calls for rare arguments.
static bool is_rare_part(const char *label) {
  return starts(label, "gjm_") && !strstr(label, ".v");
}

// Instructions about single lanes, of the loop and what vector functions it calls.
static unsigned count_singles(const survey *s, const char *text) {
  unsigned count = 0;
  bool skip = false;
  char line[256];
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, at);
    if (line[0] != '\t' && line[0] != '.' && strchr(line, ':'))
      skip = is_rare_part(line) || strstr(line, "_slow");
    if (line[0] == '\t' && line[1] != '.' && !skip)
      count += is_single(s, line + 1);
    at += length + (at[length] != '\0');
  }
  return count;
}

// --- the survey ---

static void look_at(const survey *s, const op_case *c, unsigned lanes) {
  const gj_lexpr *op;
  gj_lmodule *m = make_loop(s, c, lanes, &op);
  bool expected = s->takes_apart && s->takes_apart(op, s->constant);
  char *text = assembly_of(s, m);
  unsigned singles = text ? count_singles(s, text) : 0;
  bool found = singles >= lanes && singles > 2;
  if (s->list || found != expected)
    printf("%-10s %s of %s to %s%s, %u lanes: %u about single lanes, %s expected\n", s->target.cpu,
           gj_op_name(c->op), gj_dtype_name(c->args[c->arity - 1]), gj_dtype_name(c->result),
           s->constant ? ", constant" : "", lanes, singles, expected ? "some" : "none");
  CHECK(found == expected);
  free(text);
  gj_lmodule_free(m);
}

static void visit(const op_case *c, void *data) {
  survey *s = data;
  bool left_out = check_is_quick() && s->visited++ % 16 != 0;
  if (left_out || (s->constant && c->arity == 1))
    return;
  unsigned widest = (unsigned)gj_dtype_bytes(c->result);
  for (unsigned k = 0; k < c->arity; k++)
    if (gj_dtype_bytes(c->args[k]) > widest)
      widest = (unsigned)gj_dtype_bytes(c->args[k]);
  look_at(s, c, s->target.vector_bytes / widest);
  if (widest < 8 && s->target.vector_bytes > 16) // beside f64
    look_at(s, c, s->target.vector_bytes / 8);
}

static bool list;

static void survey_target(const char *triple, const char *cpu) {
  gj_error err = {0};
  survey s = {.list = list};
  CHECK_OK(gj_target_named(triple, cpu, NULL, &s.target, &err), &err);
  s.takes_apart = gj_target_takes_apart(&s.target);
  for_each_case(visit, &s);
  s.constant = true;
  for_each_case(visit, &s);
}

static void x86_64_v2_takes_no_vector_apart(void) {
  survey_target("x86_64-unknown-linux-gnu", "x86-64-v2");
}

static void x86_64_v3_takes_apart_what_the_table_says(void) {
  survey_target("x86_64-unknown-linux-gnu", "x86-64-v3");
}

static void x86_64_v4_takes_no_vector_apart(void) {
  survey_target("x86_64-unknown-linux-gnu", "x86-64-v4");
}

static void wasm_takes_apart_what_the_table_says(void) {
  survey_target("wasm32-unknown-unknown", NULL);
}

int main(int argc, char **argv) {
  list = argc > 1 && strcmp(argv[1], "list") == 0;
  CHECK_RUN(x86_64_v2_takes_no_vector_apart);
  CHECK_RUN(x86_64_v3_takes_apart_what_the_table_says);
  CHECK_RUN(x86_64_v4_takes_no_vector_apart);
  CHECK_RUN(wasm_takes_apart_what_the_table_says);
  return check_report();
}
