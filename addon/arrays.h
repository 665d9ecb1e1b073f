// Typed arrays and sizes that a caller passes, checked and turned into what the core takes.
//
// lib/ has found the arrays by name, made them contiguous and derived their shapes; here is what
// memory safety rests on, so nothing that JavaScript says about an array is believed: where it lies
// and its bytes come from the engine, not from properties that anybody may redefine.
#ifndef GJN_ARRAYS_H
#define GJN_ARRAYS_H

#include "helpers.h"

// Inputs, then outputs, of a graph or program. Names and sizes are borrowed.
typedef struct gjn_ports {
  size_t input_count, count;
  gj_port *list; // malloc
} gjn_ports;

bool gjn_ports_init(napi_env env, size_t input_count, size_t output_count, gjn_ports *ports);
void gjn_ports_fini(gjn_ports *ports);

// The sizes of all inputs, from an array with one array of numbers per input.
typedef struct gjn_shapes {
  int64_t (*sizes)[GJ_MAX_RANK];
  const int64_t **rows; // one per input, as gj_graph_bind() and gj_program_bind() take them
} gjn_shapes;

// Whatever the result, the caller calls gjn_shapes_fini().
bool gjn_shapes_init(napi_env env, napi_value value, const gjn_ports *ports, gjn_shapes *shapes);
void gjn_shapes_fini(gjn_shapes *shapes);

// Output shapes as an array of arrays of numbers; sizes[i * GJ_MAX_RANK …] are those of output i.
napi_value gjn_new_output_shapes(napi_env env, const gjn_ports *ports, const int64_t *sizes);

// Memory of one typed array per port. Each must have the class of its dtype and exactly bytes[i]
// bytes, and no output may overlap another array. The pointers stay valid while the arrays are
// referenced and neither detached nor resized. `caller` begins the messages.
bool gjn_get_buffers(napi_env env, const napi_value *arrays, const gjn_ports *ports,
                     const size_t *bytes, const char *caller, void **out_buffers);
// The same for arrays whose class is known to be that of the dtype: of others only the bytes are
// checked, which no memory access depends on.
bool gjn_get_known_buffers(napi_env env, const napi_value *arrays, const gjn_ports *ports,
                           const size_t *bytes, const char *caller, void **out_buffers);
// gjn_get_buffers() with the typed arrays as elements of a JavaScript array.
bool gjn_get_listed_buffers(napi_env env, napi_value list, const gjn_ports *ports,
                            const size_t *bytes, const char *caller, void **out_buffers);

#endif
