// Rules of ops that make one element of one element of each operand, and of random bits, which are
// such ops where there is a key for each example.
#include "passes/batch/rules.h"

void gj__batch_elementwise(gj__batch *b, const gj_node *node, const gj_batched *args,
                           gj_batched *out) {
  gj_ref *refs = gj__b_room(b, node->arg_count, sizeof *refs);
  for (uint32_t i = 0; refs && i < node->arg_count; i++)
    if (!(refs[i] = gj__b_aligned(b, args[i], node->type.rank)))
      return;
  if (refs)
    out[0] = (gj_batched){gj_graph_append_like(b->out, node, refs), true};
}

// --- rng_bits ---
//
// threefry2x32 as ir/eval/random.c has it, of [size, elements] words: a key belongs to the rows, an
// element's number to the columns. All integers are u32 and wrap.

static gj_ref word(gj__batch *b, uint32_t value) {
  return gj__b_filled(b, &(gj_type){.dtype = GJ_DTYPE_u32}, value);
}

static gj_ref add(gj__batch *b, gj_ref x, gj_ref y) { return gj__b_op2(b, GJ_OP_add, x, y); }
static gj_ref differ(gj__batch *b, gj_ref x, gj_ref y) { return gj__b_op2(b, GJ_OP_xor, x, y); }

static gj_ref rotate(gj__batch *b, gj_ref x, uint32_t by) {
  return gj__b_op2(b, GJ_OP_or, gj__b_op2(b, GJ_OP_shl, x, word(b, by)),
                   gj__b_op2(b, GJ_OP_shr, x, word(b, 32 - by)));
}

// Half `index` of the keys, [size, 1].
static gj_ref half_of(gj__batch *b, gj_ref keys, int64_t index) {
  gj_attrs attrs = {0};
  gj_attrs_set(&attrs, GJ_ATTR_start, (int64_t[]){0, index}, 2);
  gj_attrs_set(&attrs, GJ_ATTR_shape, (int64_t[]){b->all->size, 1}, 2);
  gj_attrs_set(&attrs, GJ_ATTR_stride, (int64_t[]){1, 1}, 2);
  return gj__b_append(b, GJ_OP_slice, &keys, 1, &attrs);
}

static void threefry2x32(gj__batch *b, const gj_ref key[2], gj_ref x[2]) {
  static const uint32_t rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  gj_ref words[3] = {key[0], key[1], differ(b, differ(b, key[0], key[1]), word(b, 0x1BD11BDAu))};
  x[0] = add(b, x[0], words[0]);
  x[1] = add(b, x[1], words[1]);
  for (uint32_t round = 0; round < 20; round++) {
    x[0] = add(b, x[0], x[1]);
    x[1] = differ(b, rotate(b, x[1], rotations[round % 8]), x[0]);
    if (round % 4 != 3)
      continue;
    uint32_t injection = round / 4 + 1;
    x[0] = add(b, x[0], words[injection % 3]);
    x[1] = add(b, x[1], add(b, words[(injection + 1) % 3], word(b, injection)));
  }
}

void gj__batch_rng_bits(gj__batch *b, const gj_node *node, const gj_batched *args,
                        gj_batched *out) {
  gj_type wide = {.dtype = GJ_DTYPE_u64}, type = gj__b_batched_type(b, &node->type);
  gj_ref upper = gj__b_filled(b, &wide, 32);
  gj_ref number = gj__b_iota(b, GJ_DTYPE_u64, gj_type_size(gj_graph_dims(b->out), &node->type));
  gj_ref x[2] = {gj__b_convert(b, gj__b_op2(b, GJ_OP_shr, number, upper), GJ_DTYPE_u32),
                 gj__b_convert(b, number, GJ_DTYPE_u32)};
  gj_ref key[2] = {half_of(b, args[0].ref, 0), half_of(b, args[0].ref, 1)};
  threefry2x32(b, key, x);
  gj_ref bits = differ(b, x[0], x[1]);
  if (type.dtype == GJ_DTYPE_u64) {
    gj_ref above = gj__b_op2(b, GJ_OP_shl, gj__b_convert(b, x[0], GJ_DTYPE_u64), upper);
    bits = gj__b_op2(b, GJ_OP_or, above, gj__b_convert(b, x[1], GJ_DTYPE_u64));
  }
  out[0] = (gj_batched){type.rank ? gj__b_reshape(b, bits, &type) : 0, true};
}
