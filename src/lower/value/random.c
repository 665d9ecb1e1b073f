// Random bits, computed on the way: threefry2x32 of a key and of where an element is.
//
// This is arithmetic on 32-bit words like any other, 20 rounds of an addition, a rotation and an
// exclusive or, so it is fused into whoever uses the bits and runs in vectors. The key is the same
// for all elements: what depends on it alone is computed once per loop. Where the index fits 32
// bits for certain, the upper word of the counter is the number 0. src/ir/eval/random.c says what
// is computed, in C.
#include "lower/context.h"

// Two words on their way through the rounds.
typedef struct state {
  gj__lower *l;
  const gj_lexpr *x0, *x1;
} state;

static const gj_lexpr *word(gj__lower *l, uint32_t value) {
  return gj_lx_const(l->m, (gj_scalar){.dtype = GJ_DTYPE_u32, .v.u = value});
}

static const gj_lexpr *plus(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj__let(l, "x", gj_lx_binary(l->m, GJ_OP_add, a, b));
}

static const gj_lexpr *both(gj__lower *l, const gj_lexpr *a, const gj_lexpr *b) {
  return gj__let(l, "x", gj_lx_binary(l->m, GJ_OP_xor, a, b));
}

static void mix(state *s, unsigned rotation) {
  gj__lower *l = s->l;
  const gj_lexpr *left = gj_lx_binary(l->m, GJ_OP_shl, s->x1, word(l, rotation));
  const gj_lexpr *right = gj_lx_binary(l->m, GJ_OP_shr, s->x1, word(l, 32 - rotation));
  s->x0 = plus(l, s->x0, s->x1);
  s->x1 = both(l, gj_lx_binary(l->m, GJ_OP_or, left, right), s->x0);
}

static void threefry2x32(state *s, const gj_lexpr *const key[2]) {
  static const uint8_t rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  gj__lower *l = s->l;
  const gj_lexpr *third =
      both(l, gj_lx_binary(l->m, GJ_OP_xor, key[0], key[1]), word(l, 0x1BD11BDA));
  const gj_lexpr *words[3] = {key[0], key[1], third};
  s->x0 = plus(l, s->x0, words[0]);
  s->x1 = plus(l, s->x1, words[1]);
  for (unsigned round = 0; round < 20; round++) {
    mix(s, rotations[round % 8]);
    if (round % 4 != 3)
      continue;
    uint32_t injection = round / 4 + 1;
    const gj_lexpr *last = plus(l, words[(injection + 1) % 3], word(l, injection));
    s->x0 = plus(l, s->x0, words[injection % 3]);
    s->x1 = plus(l, s->x1, last);
  }
}

static const gj_lexpr *key_word(gj__lower *l, gj_ref key, int64_t i) {
  gj__index *at = gj__index_new(l);
  at->at[0] = gj__i64(l, i);
  return gj__value(l, key, at);
}

// The upper word of a position in `type`.
static const gj_lexpr *upper(gj__lower *l, const gj_type *type, const gj_lexpr *position) {
  gj_dim size = gj_type_size(gj_graph_dims(l->graph), type);
  if (size != GJ_DIM_ERROR && gj_dim_is_const(size) && size <= (gj_dim)1 << 32)
    return word(l, 0);
  return gj_lx_convert(l->m, gj_lx_binary(l->m, GJ_OP_shr, position, gj__i64(l, 32)), GJ_DTYPE_u32);
}

const gj_lexpr *gj__value_rng_bits(gj__lower *l, gj_ref ref, const gj__index *index) {
  const gj_node *node = gj_graph_node(l->graph, ref);
  const gj_lexpr *key[2] = {key_word(l, node->args[0], 0), key_word(l, node->args[0], 1)};
  const gj_lexpr *position = gj__let(l, "at", gj__flatten(l, &node->type, index));
  state s = {.l = l, .x0 = upper(l, &node->type, position)};
  s.x1 = gj_lx_convert(l->m, position, GJ_DTYPE_u32);
  threefry2x32(&s, key);
  if (node->type.dtype == GJ_DTYPE_u32)
    return gj_lx_binary(l->m, GJ_OP_xor, s.x0, s.x1);
  const gj_lexpr *wide = gj_lx_convert(l->m, s.x0, GJ_DTYPE_u64);
  const gj_lexpr *amount = gj_lx_const(l->m, (gj_scalar){.dtype = GJ_DTYPE_u64, .v.u = 32});
  return gj_lx_binary(l->m, GJ_OP_or, gj_lx_binary(l->m, GJ_OP_shl, wide, amount),
                      gj_lx_convert(l->m, s.x1, GJ_DTYPE_u64));
}
