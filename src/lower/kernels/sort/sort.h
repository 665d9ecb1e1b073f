// What the files that lower sorts share. Private to lower/.
#ifndef GJ_LOWER_KERNELS_SORT_SORT_H
#define GJ_LOWER_KERNELS_SORT_SORT_H

#include "lower/context.h"

// --- code.c: functions on arrays of keys ---

// i32 f(keys, room, [positions, room,] n): sorts unsigned keys, and positions along with them. The
// result is 0, or 1 after cancellation. Makes functions: not while another one is being made.
const gj_lfunc *gj__sort_function(gj__lower *l, gj_dtype key, gj_dtype position);
// i64 f(keys, positions, found, block, base, count, limit): appends the keys of a block that are at
// most `limit`, and their positions from `base` on; returns how many are found then.
const gj_lfunc *gj__take_function(gj__lower *l, gj_dtype key, gj_dtype position);
// i64 f(keys, n, drop, first, step): moves the keys that are not `drop` together, going by `step`,
// 1 or -1, from `first` on; returns how many there are.
const gj_lfunc *gj__keep_function(gj__lower *l, gj_dtype key);
// i64 f(keys, n, key): how many of the sorted keys are less.
const gj_lfunc *gj__below_function(gj__lower *l, gj_dtype key);

// --- keys.c: values as unsigned keys of the same order ---

// The dtype of keys of `dtype`: unsigned, of as many bytes.
gj_dtype gj__key_dtype(gj_dtype dtype);
// The key of a value, in `to`, which may be wider. All NaNs have the greatest key, both zeros have
// one; descending turns the order.
const gj_lexpr *gj__key_of(gj__lower *l, const gj_lexpr *value, gj_dtype to, bool descending);
// The value that a key stands for: of zeros +0, of NaNs that of JavaScript.
const gj_lexpr *gj__value_of_key(gj__lower *l, const gj_lexpr *key, gj_dtype dtype,
                                 bool descending);
// Whether a float is a zero, or NaN.
const gj_lexpr *gj__is_zero(gj__lower *l, const gj_lexpr *value);
const gj_lexpr *gj__is_nan(gj__lower *l, const gj_lexpr *value);
// Whether it is another zero or NaN than keys give back.
const gj_lexpr *gj__is_odd(gj__lower *l, const gj_lexpr *value);
// The key of zero, and that of NaN.
const gj_lexpr *gj__zero_key(gj__lower *l, gj_dtype dtype, bool descending);
const gj_lexpr *gj__nan_key(gj__lower *l, gj_dtype dtype, bool descending);

// --- ready.c: lines that are in order ---

// Something about element i of a line.
typedef const gj_lexpr *gj__element_test(gj__lower *l, const void *of, const gj_lexpr *i);

enum { GJ__TEST_LANES = 256 };

// Whether it holds anywhere in the range; `lanes` is an array of GJ__TEST_LANES u8 to work in.
const gj_lexpr *gj__any_in_line(gj__lower *l, gj_lblock *into, gj__range range,
                                const gj_lexpr *lanes, gj__element_test *test, const void *of);
// Whether `falls`, asked for all elements but the last, is never true; false for short lines. Code
// for that is worth it if the first says so.
bool gj__may_be_in_order(gj_dim size);
const gj_lexpr *gj__in_order(gj__lower *l, gj_lblock *into, const gj_lexpr *size,
                             const gj_lexpr *lanes, gj__element_test *falls, const void *of);

// --- sort.c: what sort and top_k have in common ---

// The lines of this call, one by one; enters the body, makes the line's number and its index.
gj_lblock *gj__lines_loop(gj__lower *l, const gj_node *node, const gj_lexpr **out_line,
                          const gj__index **out_index);
const gj__index *gj__in_line(gj__lower *l, const gj__index *line, uint8_t axis,
                             const gj_lexpr *position);
// A loop of step 1; enters its body and returns the counter.
const gj_lexpr *gj__range_loop(gj__lower *l, gj_lblock *into, const char *name, const gj_lexpr *lo,
                               const gj_lexpr *hi, uint8_t marks);
// Makes a call whose result, unless it is 0, ends the kernel.
void gj__call_or_stop(gj__lower *l, gj_lblock *into, const gj_lexpr *call);
// Which result of its op a store is.
uint32_t gj__result_number(const gj__lower *l, const gj_store *store);

#endif
