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
#include "ir/dims/dims.h"
#include "ir/graph.h"
#include "jit/code/host_math.h"
#include "jit/code/note.h"
#include "jit/function/function.h"
#include "jit/observe/profile.h"
#include "jit/observe/report.h"
#include "jit/observe/roof.h"
#include "jit/program/program.h"
#include "object/function.h"
#include "object/object.h"
#include "ops/dtype.h"
#include "ops/op.h"
#include "ops/scalar.h"
#include "population/population.h"
#include "wasm/function.h"
#include "wasm/module.h"

#endif
