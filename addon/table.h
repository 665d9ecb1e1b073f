// Runs of compiled functions over tables: any number of typed arrays, known to the code by address.
//
// A caller (function.h) describes each of its few parameters; what a kernel over columns takes are
// the buffers of all chunks, thousands of them, whose classes and lengths lib/columns knows. So the
// entry gets two buffers: 0 is the slots, memory of JavaScript's for scalars in both directions; 1
// has an i64 for each array, its address, or 0 where the list has null. There are no dims.
#ifndef GJN_TABLE_H
#define GJN_TABLE_H

#include "helpers.h"

// (code, threads, slots, arrays) => what the code returned. slots: a BigInt64Array or ArrayBuffer.
napi_value gjn_table_run(napi_env env, napi_callback_info info);
// The same on another thread: => { promise }, which gjn_work_cancel() rejects where it stops it.
napi_value gjn_table_start(napi_env env, napi_callback_info info);

#endif
