// graphjit, the C interface: build or parse a graph, compile it, run it, write it as wasm or an
// object; compile a function from Loop IR text and run it.
//
//   gj_error err;
//   gj_graph *graph;
//   gj_program *program;
//   gj_binding *binding;
//   if (gj_graph_parse(text, length, &graph, &err) == GJ_OK &&
//       gj_program_compile(graph, &(gj_compile_options){.opt_level = 3, .threads = 1}, &program,
//       &err) == GJ_OK && gj_program_bind(program, shapes, &binding, &err) == GJ_OK)
//     gj_program_run(program, binding, buffers, NULL, NULL, &err);
//
// The Node.js addon and the gj command are written against this header alone.
#ifndef GRAPHJIT_H
#define GRAPHJIT_H

#include "base/status.h"
#include "base/strbuf.h"
#include "ir/dims.h"
#include "ir/dtype.h"
#include "ir/graph.h"
#include "ir/op.h"
#include "ir/scalar.h"
#include "jit/function.h"
#include "jit/host_math.h"
#include "jit/note.h"
#include "jit/profile.h"
#include "jit/program.h"
#include "jit/report.h"
#include "jit/roof.h"
#include "object/function.h"
#include "object/object.h"
#include "wasm/function.h"
#include "wasm/module.h"

#endif
