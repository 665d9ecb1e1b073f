// gj passes, kernels, loops, llvm, asm, wasm: what a graph becomes on its way to code.
//
// Options stand behind the file: --after=NAME for passes (what there is behind one of them; in
// place of a file --list shows them all), --numerics=strict|default|fast, --opt=0…3, --wasm for
// kernels, loops, llvm and asm (show the wasm32 side), --variant=mvp|simd|relaxed of that side,
// --divide (with threads there, too), --plan (with the plan function), --raw for llvm (before
// LLVM's optimiser), for wasm -o FILE and --weights=FILE (constants go there, not into the module).
#include "lower/pipeline.h"
#include "passes/pass.h"
#include "tools/gj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct settings {
  gj_numerics numerics;
  unsigned opt_level;
  gj_wasm_variant variant;
  bool wasm, divide, raw, plan;
  gj_pass_id after;
  const char *output, *weights; // paths
} settings;

static const char *const numerics_names[] = {"default", "strict", "fast"};
static const char *const variant_names[] = {"mvp", "simd", "relaxed"};

static bool parse_setting(settings *s, const char *text) {
  if (strncmp(text, "--opt=", 6) == 0 && text[6] >= '0' && text[6] <= '3' && !text[7]) {
    s->opt_level = (unsigned)(text[6] - '0');
    return true;
  }
  for (unsigned i = 0; strncmp(text, "--numerics=", 11) == 0 && i < 3; i++)
    if (strcmp(text + 11, numerics_names[i]) == 0) {
      s->numerics = (gj_numerics)i;
      return true;
    }
  for (unsigned i = 0; strncmp(text, "--variant=", 10) == 0 && i < 3; i++)
    if (strcmp(text + 10, variant_names[i]) == 0) {
      s->variant = (gj_wasm_variant)i;
      return true;
    }
  if (strncmp(text, "--weights=", 10) == 0 && text[10]) {
    s->weights = text + 10;
    return true;
  }
  const struct {
    const char *text;
    bool *set;
  } flags[] = {
      {"--wasm", &s->wasm}, {"--divide", &s->divide}, {"--raw", &s->raw}, {"--plan", &s->plan}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (strcmp(text, flags[i].text) == 0)
      return *flags[i].set = true;
  return false;
}

static bool parse_settings(settings *s, int argc, char **argv) {
  *s = (settings){.opt_level = 3, .variant = GJ_WASM_SIMD};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
      s->output = argv[++i];
    } else if (!parse_setting(s, argv[i])) {
      fprintf(stderr,
              "gj: %s: expected --numerics=strict|default|fast, --opt=0…3, --wasm, "
              "--variant=mvp|simd|relaxed, --divide, --raw, --plan, --weights=FILE or "
              "-o FILE\n",
              argv[i]);
      return false;
    }
  }
  return true;
}

// Ends a sub-command: writes the text, or says what went wrong.
static int finish(const char *path, gj_status status, gj_strbuf *out, const gj_error *err) {
  if (status == GJ_OK)
    return gj__write_text(out);
  gj_strbuf_fini(out);
  return gj__complain(path, err);
}

static void print_pass(const gj_pass *pass, const gj_graph *result, void *context) {
  gj_strbuf *out = context;
  gj_strbuf_printf(out, "// after %s: %s\n", pass->name, pass->text);
  gj_graph_print(result, out);
}

// What a command line asks for: its settings and the graph of its file. Returns 0, or the exit
// status when it has said what is wrong.
static int load(int argc, char **argv, settings *s, gj_graph **out_graph) {
  if (!parse_settings(s, argc, argv))
    return EXIT_USAGE;
  *out_graph = gj__load_graph(argv[0]);
  return *out_graph ? 0 : EXIT_INPUT;
}

typedef gj_status print_fn(const gj_pipeline *p, const gj_target *target, const settings *s,
                           gj_strbuf *out, gj_error *err);

// Takes the file through the front half and lets `print` write what it shows. Frees the graph.
static int show_graph(const char *path, settings s, gj_graph *graph, print_fn *print) {
  gj_error err;
  gj_target target = {0};
  gj_pipeline p = {0};
  gj_strbuf out = {0};
  gj_status status =
      s.wasm ? gj_target_wasm(s.variant, s.divide, &target, &err) : gj_target_host(&target, &err);
  gj_pipeline_options options = {.machine = gj_target_loops(&target),
                                 .poll = !s.wasm,
                                 .reassociate = s.numerics == GJ_NUMERICS_FAST,
                                 .plan = s.plan,
                                 .until = s.after,
                                 .piece_ns = s.wasm && !s.divide ? 0 : GJ_PIECE_NS,
                                 .narrow = s.wasm ? GJ_WASM_NARROW : 1};
  if (status == GJ_OK)
    status = gj_pipeline_run(graph, &options, &p, &err);
  if (status == GJ_OK) {
    status = print(&p, &target, &s, &out, &err);
    gj_pipeline_fini(&p);
  }
  gj_graph_free(graph);
  return finish(path, status, &out, &err);
}

static int show(int argc, char **argv, print_fn *print) {
  settings s;
  gj_graph *graph;
  int code = load(argc, argv, &s, &graph);
  return code != 0 ? code : show_graph(argv[0], s, graph, print);
}

// --- passes ---

// What is there behind a pass of the plan or of loops.
static gj_status print_after(const gj_pipeline *p, const gj_target *target, const settings *s,
                             gj_strbuf *out, gj_error *err) {
  (void)target, (void)err;
  const gj_pass *pass = gj_pass_get(s->after);
  gj_strbuf_printf(out, "// after %s: %s\n", pass->name, pass->text);
  if (pass->stage == GJ_STAGE_PLAN)
    gj_plan_print(p->plan, out);
  else
    gj_lmodule_print(p->lowered.module, out);
  return GJ_OK;
}

static gj_status print_graph_after(const gj_graph *graph, gj_pass_id after, gj_strbuf *out,
                                   gj_error *err) {
  gj_graph *result = NULL;
  GJ_TRY(gj_passes_until(graph, after, &result, err));
  print_pass(gj_pass_get(after), result ? result : graph, out);
  gj_graph_free(result);
  return GJ_OK;
}

static int list_passes(void) {
  static const char *const stages[] = {"graph", "plan", "loops"};
  gj_strbuf out = {0};
  for (int id = GJ_PASS_NONE + 1; id < GJ_PASS_COUNT; id++) {
    const gj_pass *pass = gj_pass_get((gj_pass_id)id);
    gj_strbuf_printf(&out, "%s (%s", pass->name, stages[pass->stage]);
    if (pass->part_of)
      gj_strbuf_printf(&out, ", part of %s", gj_pass_get(pass->part_of)->name);
    gj_strbuf_printf(&out, "): %s\n  requires %s\n  keeps    %s\n  changes  %s\n", pass->text,
                     pass->requires, pass->keeps, pass->changes);
  }
  return gj__write_text(&out);
}

// Takes --after=PASS out of the options, which mean the same to all sub-commands but for this one.
static bool take_after(int *argc, char **argv, gj_pass_id *out_after) {
  int kept = 0;
  *out_after = GJ_PASS_NONE;
  for (int i = 0; i < *argc; i++) {
    if (strncmp(argv[i], "--after=", 8) != 0) {
      argv[kept++] = argv[i];
      continue;
    }
    const char *name = argv[i] + 8;
    if (*out_after != GJ_PASS_NONE || (*out_after = gj_pass_parse(name)) == GJ_PASS_NONE) {
      fprintf(stderr, "gj: %s: expected one pass of those that gj passes --list names\n", argv[i]);
      return false;
    }
  }
  *argc = kept;
  return true;
}

int gj__run_passes(int argc, char **argv) {
  if (argc == 1 && strcmp(argv[0], "--list") == 0)
    return list_passes();
  settings s;
  gj_pass_id after;
  gj_graph *graph, *result = NULL;
  if (!take_after(&argc, argv, &after))
    return EXIT_USAGE;
  if (argc == 0) {
    fprintf(stderr, "gj: passes: expected a file\n");
    return EXIT_USAGE;
  }
  int code = load(argc, argv, &s, &graph);
  if (code != 0)
    return code;
  s.after = after;
  if (s.after && gj_pass_get(s.after)->stage != GJ_STAGE_GRAPH)
    return show_graph(argv[0], s, graph, print_after);
  gj_error err;
  gj_strbuf out = {0};
  gj_status status = s.after ? print_graph_after(graph, s.after, &out, &err)
                             : gj_passes_run(graph, print_pass, &out, &result, &err);
  gj_graph_free(result);
  gj_graph_free(graph);
  return finish(argv[0], status, &out, &err);
}

// --- what a graph becomes ---

static void print_list(const gj_lowered_kernel *kernels, uint32_t count, const char *indent,
                       gj_strbuf *out) {
  for (uint32_t i = 0; i < count; i++)
    gj_strbuf_printf(out, "%s%s %s %s: %s\n", indent, kernels[i].name, kernels[i].kind,
                     kernels[i].shape, kernels[i].what);
}

// Functions stand before those that call them.
static void print_functions(const gj_pipeline *p, gj_strbuf *out) {
  for (uint32_t i = 0; i < p->lowered.function_count; i++) {
    const gj_lowered_function *f = &p->lowered.functions[i];
    gj_strbuf_printf(out, "@%u %s: %s\n", i, f->title,
                     !f->called             ? "no kernels, part of those that name it"
                     : f->kernel_count == 0 ? "nothing to do"
                                            : "called");
    print_list(f->kernels, f->kernel_count, "  ", out);
  }
}

static gj_status print_kernels(const gj_pipeline *p, const gj_target *target, const settings *s,
                               gj_strbuf *out, gj_error *err) {
  (void)target, (void)s, (void)err;
  print_functions(p, out);
  print_list(p->lowered.kernels, p->lowered.kernel_count, "", out);
  gj_strbuf_text(out, "scratch bytes: ");
  gj_dim_print(gj_graph_dims(p->graph), p->scratch_bytes, out);
  gj_strbuf_printf(out, "\n%s", gj_strbuf_peek(&p->report));
  return GJ_OK;
}

static gj_status print_loops(const gj_pipeline *p, const gj_target *target, const settings *s,
                             gj_strbuf *out, gj_error *err) {
  (void)target, (void)s, (void)err;
  gj_lmodule_print(p->lowered.module, out);
  return GJ_OK;
}

static gj_status generate(const gj_pipeline *p, const gj_target *target, const settings *s,
                          gj_emit what, gj_strbuf *out, gj_error *err) {
  unsigned char *text = NULL;
  size_t size = 0;
  gj_codegen_options options = {.numerics = s->numerics,
                                .opt_level = s->opt_level,
                                .for_size = s->wasm,
                                .wasm_pool = s->wasm && s->divide,
                                .entry_symbol = s->wasm ? "run" : "graphjit_main",
                                .plan_symbol = s->wasm ? "plan" : "graphjit_main_plan"};
  GJ_TRY(gj_codegen(p->lowered.module, target, &options, what, &text, &size, NULL, err));
  gj_strbuf_bytes(out, text, size);
  free(text);
  return GJ_OK;
}

static gj_status print_llvm(const gj_pipeline *p, const gj_target *target, const settings *s,
                            gj_strbuf *out, gj_error *err) {
  return generate(p, target, s, s->raw ? GJ_EMIT_LLVM : GJ_EMIT_LLVM_OPTIMIZED, out, err);
}

static gj_status print_asm(const gj_pipeline *p, const gj_target *target, const settings *s,
                           gj_strbuf *out, gj_error *err) {
  return generate(p, target, s, GJ_EMIT_ASSEMBLY, out, err);
}

int gj__run_kernels(int argc, char **argv) { return show(argc, argv, print_kernels); }
int gj__run_loops(int argc, char **argv) { return show(argc, argv, print_loops); }
int gj__run_llvm(int argc, char **argv) { return show(argc, argv, print_llvm); }
int gj__run_asm(int argc, char **argv) { return show(argc, argv, print_asm); }

// Whether the path may be replaced: not a device or a pipe.
static bool is_plain(const char *path) {
  struct stat found;
  return stat(path, &found) != 0 || S_ISREG(found.st_mode);
}

static bool write_bytes(const char *path, const unsigned char *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  bool ok = file && (size == 0 || fwrite(bytes, 1, size, file) == size);
  return file && fclose(file) == 0 && ok;
}

// Writes beside the target first, so that a failure leaves no half-written file.
static int write_file(const char *path, const unsigned char *bytes, size_t size) {
  char draft[4096];
  int length = snprintf(draft, sizeof draft, "%s.part", path);
  bool ok = false;
  if (!is_plain(path)) {
    ok = write_bytes(path, bytes, size);
  } else if (length > 0 && (size_t)length < sizeof draft) {
    ok = write_bytes(draft, bytes, size) && rename(draft, path) == 0;
    if (!ok)
      remove(draft);
  }
  if (ok)
    return EXIT_OK;
  fprintf(stderr, "gj: %s: cannot be written\n", path);
  return EXIT_INPUT;
}

static int write_module(const settings *s, const gj_wasm_module *module) {
  if (s->weights) {
    int code = write_file(s->weights, module->weights, module->weight_bytes);
    if (code != EXIT_OK)
      return code;
  }
  if (s->output)
    return write_file(s->output, module->bytes, module->size);
  gj_strbuf out = {0};
  gj_strbuf_bytes(&out, module->bytes, module->size);
  return gj__write_text(&out);
}

int gj__run_wasm(int argc, char **argv) {
  settings s;
  gj_graph *graph;
  int code = load(argc, argv, &s, &graph);
  if (code != 0)
    return code;
  gj_error err;
  gj_wasm_module module;
  gj_wasm_options options = {.numerics = s.numerics,
                             .opt_level = s.opt_level,
                             .variant = s.variant,
                             .separate_weights = s.weights != NULL,
                             .threads = s.divide};
  gj_status status = gj_wasm_compile(graph, &options, &module, &err);
  gj_graph_free(graph);
  if (status != GJ_OK)
    return gj__complain(argv[0], &err);
  code = write_module(&s, &module);
  gj_wasm_module_fini(&module);
  return code;
}
