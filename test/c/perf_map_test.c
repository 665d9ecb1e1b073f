// Tests of the perf map: its lines name the code, and its file is nobody else's.
#include "check.h"
#include "graphjit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const text = "graph \"two steps\" {\n"
                                "  %1 = param \"x\" : f64[n]\n"
                                "  %2 = exp %1\n"
                                "  %3 = reduce_sum %2 {axes=[0]}\n"
                                "  %4 = div %2, %3\n"
                                "  output \"z\" = %4\n}\n";

static gj_program *compile(void) {
  gj_error err = {0};
  gj_program *program = NULL;
  gj_graph *graph = NULL;
  gj_compile_options options = {.opt_level = 3, .threads = 1, .cache = true};
  CHECK_OK(gj_graph_parse(text, strlen(text), &graph, &err), &err);
  if (graph)
    CHECK_OK(gj_program_compile(graph, &options, &program, &err), &err);
  gj_graph_free(graph);
  return program;
}

static const char *map_path(void) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
  return path;
}

typedef struct line {
  uintptr_t start;
  size_t size;
  char name[200];
} line;

enum { MOST_LINES = 64 };

// The lines of this process's map; -1 when there is none or it is malformed.
static int read_map(line *lines) {
  FILE *file = fopen(map_path(), "r");
  char own[300];
  int count = 0;
  if (!file)
    return -1;
  while (fgets(own, sizeof own, file) && count >= 0) {
    unsigned long start;
    line *l = &lines[count];
    if (count == MOST_LINES || sscanf(own, "%lx %zx %199[^\n]", &start, &l->size, l->name) != 3) {
      count = -1;
      break;
    }
    l->start = start;
    count++;
  }
  fclose(file);
  return count;
}

static const line *find_line(const line *lines, int count, const char *name) {
  for (int i = 0; i < count; i++)
    if (strcmp(lines[i].name, name) == 0)
      return &lines[i];
  return NULL;
}

static void lines_name_the_code(void) {
  line lines[MOST_LINES];
  gj_program *program = compile();
  CHECK_OR_RETURN(program != NULL);
  int count = read_map(lines);
  CHECK_OR_RETURN(count >= 4);
  const line *run = find_line(lines, count, "graphjit two steps run");
  const line *sum = find_line(lines, count, "graphjit two steps k1 reduce_sum");
  CHECK(find_line(lines, count, "graphjit two steps k0 exp") != NULL);
  CHECK(find_line(lines, count, "graphjit two steps k2 div") != NULL);
  CHECK_OR_RETURN(run && sum);
  CHECK(run->start == (uintptr_t)gj_program_entry(program));
  for (int i = 0; i < count; i++) {
    CHECK(lines[i].size > 0);
    for (int k = 0; k < i; k++)
      CHECK(lines[i].start + lines[i].size <= lines[k].start ||
            lines[k].start + lines[k].size <= lines[i].start);
  }
  size_t span = run->start > sum->start ? run->start - sum->start : sum->start - run->start;
  gj_program_stats stats;
  gj_program_get_stats(program, &stats);
  CHECK(span < stats.code_bytes);
  gj_program_free(program);
}

static void equal_programs_have_code_of_their_own(void) {
  line lines[MOST_LINES];
  int before = read_map(lines);
  gj_program *a = compile(), *b = compile();
  CHECK_OR_RETURN(a && b);
  CHECK(gj_program_entry(a) != gj_program_entry(b));
  CHECK(read_map(lines) > before);
  gj_program_free(a);
  gj_program_free(b);
}

static void profiles_are_named_too(void) {
  line lines[MOST_LINES];
  gj_error err = {0};
  gj_program *program = compile();
  const int64_t shape[1] = {4}, *shapes[1] = {shape};
  gj_binding *binding = NULL;
  gj_profile *profile = NULL;
  CHECK_OR_RETURN(program != NULL);
  CHECK_OK(gj_program_bind(program, shapes, &binding, &err), &err);
  double x[4] = {0}, z[4];
  void *buffers[2] = {x, z};
  int before = read_map(lines);
  gj_profile_options options = {1, 1};
  CHECK_OK(gj_program_profile(program, binding, buffers, &options, &profile, &err), &err);
  CHECK(read_map(lines) >= before + 4);
  gj_profile_free(profile);
  gj_binding_free(binding);
  gj_program_free(program);
}

// Runs `test` in a child, which has a map of its own; true when it returns 0.
static bool in_child(int (*test)(void)) {
  int status = 1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    _exit(test());
  return CHECK(child > 0) && waitpid(child, &status, 0) == child && status == 0;
}

static const char *const victim = "/tmp/graphjit-perf-map-victim";

static int behind_a_link(void) {
  line lines[MOST_LINES];
  struct stat own, other;
  if (symlink(victim, map_path()) != 0)
    return 2;
  gj_program *program = compile();
  if (!program || lstat(map_path(), &own) != 0 || stat(victim, &other) != 0)
    return 3;
  bool ok = S_ISREG(own.st_mode) && (own.st_mode & 0777) == 0600 && other.st_size == 0 &&
            read_map(lines) >= 4;
  gj_program_free(program);
  unlink(map_path());
  return ok ? 0 : 4;
}

static int where_a_folder_is(void) {
  if (mkdir(map_path(), 0700) != 0)
    return 2;
  gj_program *program = compile();
  bool ok = program != NULL;
  gj_program_free(program);
  return rmdir(map_path()) == 0 && ok ? 0 : 3;
}

static void nothing_in_the_way_is_followed_or_fatal(void) {
  int file = open(victim, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  CHECK_OR_RETURN(file >= 0);
  close(file);
  CHECK(in_child(behind_a_link));
  CHECK(in_child(where_a_folder_is));
  unlink(victim);
}

int main(void) {
  setenv("GRAPHJIT_PERF", "1", 1);
  CHECK_RUN(nothing_in_the_way_is_followed_or_fatal); // first: LLVM's locks are free in children
  CHECK_RUN(lines_name_the_code);
  CHECK_RUN(equal_programs_have_code_of_their_own);
  CHECK_RUN(profiles_are_named_too);
  unlink(map_path());
  return check_report();
}
