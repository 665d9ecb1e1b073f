// gj object, header: a graph as an object file and as the C header of that object.
//
//   gj object FILE [--target=TRIPLE] [--cpu=NAME] [--features=+a,-b] [--symbol=NAME] [--threads]
//                  [--numerics=strict|default|fast] [--opt=0…3] [--emit=object|assembly|llvm|raw]
//                  -o OUT
//   gj header FILE [--symbol=NAME] [--threads] [--numerics=…]
#include "object/object.h"
#include "tools/gj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
  gj_object_options options;
  const char *target, *cpu, *features;
  const char *numerics, *level, *emit;
} request;

static bool choose(const char *text, const char *const *names, size_t count, unsigned *out) {
  for (unsigned i = 0; text && i < count; i++)
    if (strcmp(text, names[i]) == 0) {
      *out = i;
      return true;
    }
  return !text;
}

static bool parse_word(request *r, const char *text) {
  const struct {
    const char *prefix, **value;
  } words[] = {{"--target=", &r->target},     {"--cpu=", &r->cpu},
               {"--features=", &r->features}, {"--symbol=", &r->options.symbol},
               {"--numerics=", &r->numerics}, {"--opt=", &r->level},
               {"--emit=", &r->emit}};
  if (strcmp(text, "--threads") == 0)
    return r->options.threads = true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i].prefix);
    if (strncmp(text, words[i].prefix, length) == 0) {
      *words[i].value = text + length;
      return true;
    }
  }
  return false;
}

static bool parse(request *r, int argc, char **argv, gj_emit *out_emit) {
  static const char *const numerics[] = {"default", "strict", "fast"};
  static const char *const levels[] = {"0", "1", "2", "3"};
  static const char *const emits[] = {"raw", "llvm", "bitcode", "assembly", "object"};
  unsigned mode = GJ_NUMERICS_STRICT, level = 3, emit = GJ_EMIT_OBJECT;
  *r = (request){.target = "x86_64"};
  bool ok = true;
  for (int i = 1; ok && i < argc; i++)
    ok = parse_word(r, argv[i]);
  ok = ok && choose(r->numerics, numerics, 3, &mode) && choose(r->level, levels, 4, &level) &&
       choose(r->emit, emits, 5, &emit);
  r->options.numerics = (gj_numerics)mode;
  r->options.opt_level = level;
  *out_emit = (gj_emit)emit;
  if (!ok)
    fprintf(stderr, "gj: expected --target=, --cpu=, --features=, --symbol=, --threads, "
                    "--numerics=strict|default|fast, --opt=0…3 or "
                    "--emit=object|assembly|bitcode|llvm|raw\n");
  return ok;
}

static gj_status make(const gj_graph *graph, const request *r, gj_emit emit, gj_strbuf *out,
                      gj_error *err) {
  gj_target target;
  unsigned char *bytes = NULL;
  size_t size = 0;
  GJ_TRY(gj_target_named(r->target, r->cpu, r->features, &target, err));
  GJ_TRY(gj_object_compile(graph, &target, &r->options, emit, &bytes, &size, err));
  gj_strbuf_bytes(out, bytes, size);
  free(bytes);
  return GJ_OK;
}

static int run(int argc, char **argv, bool header) {
  request r;
  gj_emit emit;
  if (!parse(&r, argc, argv, &emit))
    return EXIT_USAGE;
  gj_graph *graph = gj__load_graph(argv[0]);
  if (!graph)
    return EXIT_INPUT;
  gj_error err;
  gj_strbuf out = {0};
  gj_status status =
      header ? gj_object_header(graph, &r.options, &out, &err) : make(graph, &r, emit, &out, &err);
  gj_graph_free(graph);
  if (status != GJ_OK) {
    gj_strbuf_fini(&out);
    return gj__complain(argv[0], &err);
  }
  return gj__write_text(&out);
}

int gj__run_object(int argc, char **argv) { return run(argc, argv, false); }
int gj__run_header(int argc, char **argv) { return run(argc, argv, true); }
