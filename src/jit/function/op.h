// Compiled functions as ops of graphs: what a custom_call of one runs.
//
// A function of arrays (jit/function/function.h) takes slots and buffers; a custom_call hands over
// the addresses of operands and their sizes. What stands here goes from one to the other, by a
// description that the front end writes (lib/native/graph/array-op.js), of lines:
//
//   dot                          the name, for messages
//   f64/1 f64/1 i32/0 -> f64     dtype and rank of each operand, dtype of the result
//   a0 w1 a1=3 s2 d0.0 t0.0      what the function takes, in order: the elements of operand 0; a
//                                copy of those of 1, which it writes; those of 1, which must be 3;
//                                the number that operand 2 is; size, and stride, of an axis; o:
//                                the elements of the result
//   r 5                          what it gives: what lies in a slot, as it is; or
//   n 5:i32 6:f64:7 =40080…      numbers, as f64: in slot 5; in slot 6, of which 7 may say that it
//                                is undefined; always this one; or
//   a 5                          an array, in three slots; or
//   o                            what it has written to the elements of the result; or
//   = 1                          always these bits
//   12                           slots
//   a line per place that throws: the message, with a byte per value that it shows, 1 for f64, 2
//   for i64, 3 for u64, 4 for bool
//
// So it depends on nothing of JavaScript's, and any thread may call it. Nodes that call it come
// from texts of strangers too, so operands are compared with the description.
#ifndef GJ_JIT_FUNCTION_OP_H
#define GJ_JIT_FUNCTION_OP_H

#include "jit/function/function.h"

// Makes the function of a text known to custom_call by a name, for the life of the process. A name
// that is known is not looked at again: it is made of all that the rest depends on. Thread-safe.
gj_status gj_function_op_register(const char *name, const char *text, size_t size,
                                  const gj_function_options *options, const char *description,
                                  gj_error *err);

#endif
