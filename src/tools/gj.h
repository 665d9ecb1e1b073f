// What the files of the gj command share.
#ifndef GJ_TOOLS_GJ_H
#define GJ_TOOLS_GJ_H

#include "graphjit.h"

enum { EXIT_OK = 0, EXIT_INPUT = 1, EXIT_USAGE = 2 };

// The whole file ("-": standard input), freed by the caller; a NUL is added.
gj_status gj__read_file(const char *path, char **out_text, size_t *out_size, gj_error *err);
// The verified graph of a file ("-": standard input), NULL after printing what is wrong.
gj_graph *gj__load_graph(const char *path);
// Prints "gj: path: message (CODE)" and returns EXIT_INPUT.
int gj__complain(const char *path, const gj_error *err);
// Writes and frees `text`; returns the exit status.
int gj__write_text(gj_strbuf *text);

// Sub-commands of compile.c; arguments behind the sub-command.
int gj__run_passes(int argc, char **argv);
int gj__run_kernels(int argc, char **argv);
int gj__run_loops(int argc, char **argv);
int gj__run_llvm(int argc, char **argv);
int gj__run_asm(int argc, char **argv);
int gj__run_wasm(int argc, char **argv);
// Those of derive.c.
int gj__run_vjp(int argc, char **argv);
int gj__run_jvp(int argc, char **argv);
// That of function.c.
int gj__run_fn(int argc, char **argv);
// Those of object.c.
int gj__run_object(int argc, char **argv);
int gj__run_header(int argc, char **argv);

#endif
