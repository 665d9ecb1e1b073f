// Expressions as code of the first tier.
//
// In a block loop an expression is uniform, affine or varying (loops/vectorise/lanes.h). Uniform
// ones and the lane 0 of affine ones are scalars in slots; varying ones are arrays of n elements,
// in block registers or, if they are loaded from consecutive addresses, where they lie in memory.
#include "interp/translate.h"

#include "base/array.h"

#include <string.h>

static uint8_t bytes_of(const gj_lexpr *e) {
  return (uint8_t)gj_dtype_bytes((gj_dtype)e->type.dtype);
}

static bool is_i64(const gj_lexpr *e) { return e->type.dtype == GJ_DTYPE_i64 && !e->type.pointer; }

// --- scalars ---

static uint32_t preset(gj__translation *t, uint64_t value) {
  for (size_t k = 0; k < t->preset_count; k++)
    if (t->presets[k].value == value)
      return t->presets[k].at;
  gj__preset *presets =
      gj_array_grow(t->presets, &t->preset_capacity, t->preset_count + 1, sizeof *presets);
  if (!presets) {
    gj__tr_fail(t, GJ_E_MEMORY, "%s: out of memory at its constants", t->f->name);
    return 0;
  }
  t->presets = presets;
  presets[t->preset_count] = (gj__preset){gj__tr_slot(t), value};
  return presets[t->preset_count++].at;
}

static uint32_t i64_preset(gj__translation *t, int64_t value) { return preset(t, (uint64_t)value); }

static uint32_t const_preset(gj__translation *t, gj_scalar value) {
  uint64_t bits = 0;
  gj_scalar_store(value, &bits);
  return preset(t, bits);
}

static gj_block *find_kernel(gj__translation *t, const gj_lexpr *e, unsigned form) {
  gj_dtype operand = (gj_dtype)e->args[e->arg_count - 1]->type.dtype;
  gj_block *kernel = NULL;
  if (e->kind == GJ_LX_OP && e->index == 0)
    kernel = gj_block_find(t->set, (gj_op)e->op, operand, (gj_dtype)e->type.dtype, form);
  if (!kernel)
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: there is no block kernel for %s of %s", t->f->name,
                gj_op_name((gj_op)e->op), gj_dtype_name(operand));
  return kernel;
}

// Whether the result is the operand, bit for bit.
static bool is_same_bits(const gj_lexpr *e) {
  return e->kind == GJ_LX_OP &&
         (e->op == GJ_OP_bitcast ||
          (e->op == GJ_OP_convert && e->type.dtype == e->args[0]->type.dtype));
}

static void scalar_op(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  gj__insn insn = {.d = d};
  uint32_t *operands[3] = {&insn.a, &insn.b, &insn.c};
  for (uint32_t k = 0; k < e->arg_count; k++)
    *operands[k] = gj__tr_scalar(t, e->args[k]);
  insn.code = GJ__CODE_scalar;
  if (is_same_bits(e))
    insn.code = GJ__CODE_move;
  else if (is_i64(e) && e->op == GJ_OP_add)
    insn.code = GJ__CODE_add;
  else if (is_i64(e) && e->op == GJ_OP_sub)
    insn.code = GJ__CODE_sub;
  else if (is_i64(e) && e->op == GJ_OP_mul)
    insn.code = GJ__CODE_mul;
  else
    insn.kernel = find_kernel(t, e, GJ_BLOCK_PLAIN);
  gj__tr_emit(t, insn);
}

static void scalar_load(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  static const uint8_t codes[] = {
      [1] = GJ__CODE_load1, [2] = GJ__CODE_load2, [4] = GJ__CODE_load4, [8] = GJ__CODE_load8};
  uint8_t code = e->type.dtype == GJ_DTYPE_bool ? GJ__CODE_load_bool : codes[bytes_of(e)];
  uint32_t p = gj__tr_scalar(t, e->args[0]), index = gj__tr_scalar(t, e->args[1]);
  gj__tr_emit(t, (gj__insn){.code = code, .d = d, .a = p, .b = index});
}

static void scalar_call(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  const gj__ifunc *callee = &t->interp->funcs[e->index];
  uint32_t places[64];
  if (e->index >= t->f->index) {
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it calls a function that does not stand before it",
                t->f->name);
    return;
  }
  if (e->arg_count > sizeof places / sizeof places[0]) {
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: a call with more than 64 arguments", t->f->name);
    return;
  }
  for (uint32_t k = 0; k < e->arg_count; k++)
    places[k] = gj__tr_scalar(t, e->args[k]);
  uint32_t *lists =
      gj_array_grow(t->lists, &t->list_capacity, t->list_count + e->arg_count + 1, sizeof *lists);
  if (!lists) {
    gj__tr_fail(t, GJ_E_MEMORY, "%s: out of memory at a call", t->f->name);
    return;
  }
  t->lists = lists;
  memcpy(lists + t->list_count, places, e->arg_count * sizeof *places);
  gj__tr_emit(t, (gj__insn){.code = e->kind == GJ_LX_CALL ? GJ__CODE_call : GJ__CODE_parallel,
                            .d = d,
                            .a = (uint32_t)t->list_count,
                            .imm = e->index});
  t->list_count += e->arg_count;
  t->stack = callee->stack > t->stack ? callee->stack : t->stack;
  t->calls = callee->calls + 1 > t->calls ? callee->calls + 1 : t->calls;
}

static void environment(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  gj__insn insn = {.d = d, .imm = e->index};
  switch (e->kind) {
  case GJ_LX_BUFFER:
    insn.code = GJ__CODE_buffer;
    break;
  case GJ_LX_DIM:
    insn.code = GJ__CODE_dim;
    break;
  case GJ_LX_SCRATCH:
    insn.code = GJ__CODE_scratch;
    insn.a = gj__tr_scalar(t, e->args[0]);
    break;
  case GJ_LX_CANCELLED:
    insn.code = GJ__CODE_cancelled;
    break;
  case GJ_LX_SLOT:
    insn.code = GJ__CODE_slot;
    break;
  default:
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it holds what the first tier leaves out", t->f->name);
  }
  gj__tr_emit(t, insn);
}

void gj__tr_scalar_into(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  switch (e->kind) {
  case GJ_LX_OP:
    scalar_op(t, e, d);
    return;
  case GJ_LX_LOAD:
    scalar_load(t, e, d);
    return;
  case GJ_LX_OFFSET: {
    uint32_t p = gj__tr_scalar(t, e->args[0]), index = gj__tr_scalar(t, e->args[1]);
    gj__tr_emit(
        t, (gj__insn){.code = GJ__CODE_address, .bytes = bytes_of(e), .d = d, .a = p, .b = index});
    return;
  }
  case GJ_LX_CALL:
  case GJ_LX_PARALLEL:
    scalar_call(t, e, d);
    return;
  case GJ_LX_CONST:
  case GJ_LX_LOCAL:
  case GJ_LX_DATA:
    gj__tr_emit(t, (gj__insn){.code = GJ__CODE_move, .d = d, .a = gj__tr_scalar(t, e)});
    return;
  default:
    environment(t, e, d);
  }
}

uint32_t gj__tr_scalar(gj__translation *t, const gj_lexpr *e) {
  if (e->type.lanes != 1) {
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it holds vectors already", t->f->name);
    return 0;
  }
  if (e->kind == GJ_LX_CONST)
    return const_preset(t, e->value);
  if (e->kind == GJ_LX_DATA)
    return preset(t, (uint64_t)(uintptr_t)t->m->data[e->index].bytes);
  if (e->kind == GJ_LX_LOCAL)
    return t->places[e->index];
  uint32_t d = gj__tr_slot(t);
  gj__tr_scalar_into(t, e, d);
  return d;
}

uint32_t gj__tr_address(gj__translation *t, const gj_lexpr *p, const gj_lexpr *index) {
  uint32_t d = gj__tr_slot(t), a = gj__tr_scalar(t, p), b = gj__tr_scalar(t, index);
  gj__tr_emit(t,
              (gj__insn){.code = GJ__CODE_address, .bytes = bytes_of(p), .d = d, .a = a, .b = b});
  return d;
}

// --- blocks ---

static gj__form form_of(const gj__translation *t, const gj_lexpr *e) {
  return gj__lanes_form(t->lanes, e);
}

static gj__operand scalar_operand(uint32_t at) { return (gj__operand){at, -1, true}; }

static gj__operand ramp(gj__translation *t, uint32_t first, int64_t step) {
  gj__operand made = gj__tr_temporary(t, 8);
  gj__tr_emit(t, (gj__insn){.code = GJ__CODE_ramp, .d = made.at, .a = first, .imm = step});
  return made;
}

// The value as an operand of a kernel.
static gj__operand operand_of(gj__translation *t, const gj_lexpr *e) {
  gj__form form = form_of(t, e);
  if (form.kind == GJ__FORM_UNIFORM)
    return scalar_operand(gj__tr_scalar(t, e));
  if (form.kind == GJ__FORM_AFFINE)
    return ramp(t, gj__tr_scalar(t, e), form.stride);
  if (e->kind == GJ_LX_LOCAL)
    return (gj__operand){t->places[e->index], -1, false};
  if (is_same_bits(e))
    return operand_of(t, e->args[0]);
  if (e->kind == GJ_LX_LOAD) {
    gj__form address = gj__lanes_address(t->lanes, e->args[0], e->args[1]);
    if (address.kind == GJ__FORM_AFFINE && address.stride == 1)
      return (gj__operand){gj__tr_address(t, e->args[0], e->args[1]) | GJ__INDIRECT, -1, false};
  }
  gj__operand made = gj__tr_temporary(t, bytes_of(e));
  gj__tr_block_into(t, e, made.at);
  return made;
}

// Makes an array of a splat.
static gj__operand spread(gj__translation *t, gj__operand from, unsigned bytes) {
  if (!from.splat)
    return from;
  gj__operand made = gj__tr_temporary(t, bytes);
  gj__tr_emit(
      t, (gj__insn){.code = GJ__CODE_fill, .bytes = (uint8_t)bytes, .d = made.at, .a = from.at});
  return made;
}

// Which of the built forms serves operands that are splats or not; where none does, one is spread.
static unsigned choose_form(gj__translation *t, const gj_lexpr *e, gj__operand *o) {
  if (e->arg_count < 2) {
    o[0] = spread(t, o[0], bytes_of(e->args[0]));
    return GJ_BLOCK_PLAIN;
  }
  if (e->arg_count == 2) {
    if (o[0].splat && o[1].splat)
      o[0] = spread(t, o[0], bytes_of(e->args[0]));
    return o[0].splat ? GJ_BLOCK_FIRST : o[1].splat ? GJ_BLOCK_SECOND : GJ_BLOCK_PLAIN;
  }
  if (e->op == GJ_OP_fma && o[0].splat && !o[1].splat) { // x · y is y · x
    gj__operand x = o[0];
    o[0] = o[1];
    o[1] = x;
  }
  o[0] = spread(t, o[0], bytes_of(e->args[0]));
  return (o[1].splat ? GJ_BLOCK_MIDDLE : 0) | (o[2].splat ? GJ_BLOCK_LAST : 0);
}

static void block_op(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  gj__operand o[3] = {{0, -1, false}, {0, -1, false}, {0, -1, false}};
  for (uint32_t k = 0; k < e->arg_count; k++)
    o[k] = operand_of(t, e->args[k]);
  unsigned form = choose_form(t, e, o);
  gj__tr_emit(t, (gj__insn){.code = GJ__CODE_block,
                            .d = d,
                            .a = o[0].at,
                            .b = o[1].at,
                            .c = o[2].at,
                            .kernel = find_kernel(t, e, form)});
  for (uint32_t k = 0; k < 3; k++)
    gj__tr_release(t, o[k]);
}

static gj__operand i64_sum(gj__translation *t, gj__operand a, gj__operand b) {
  gj__operand made = gj__tr_temporary(t, 8);
  unsigned form = a.splat ? GJ_BLOCK_FIRST : b.splat ? GJ_BLOCK_SECOND : GJ_BLOCK_PLAIN;
  gj_block *add = gj_block_find(t->set, GJ_OP_add, GJ_DTYPE_i64, GJ_DTYPE_i64, form);
  if (!add)
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: there is no block kernel for indices", t->f->name);
  gj__tr_emit(
      t, (gj__insn){.code = GJ__CODE_block, .d = made.at, .a = a.at, .b = b.at, .kernel = add});
  gj__tr_release(t, a);
  gj__tr_release(t, b);
  return made;
}

// What varies in the pointer moves into the index, where lanes can have their own.
static void block_gather(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  const gj_lexpr *p = e->args[0];
  bool is_bool = e->type.dtype == GJ_DTYPE_bool;
  gj__operand index = operand_of(t, e->args[1]);
  while (p->kind == GJ_LX_OFFSET && form_of(t, p).kind == GJ__FORM_VARYING) {
    index = i64_sum(t, spread(t, index, 8), operand_of(t, p->args[1]));
    p = p->args[0];
  }
  gj__form form = form_of(t, p);
  if (form.kind == GJ__FORM_AFFINE)
    index = i64_sum(t, spread(t, index, 8), ramp(t, i64_preset(t, 0), form.stride));
  index = spread(t, index, 8);
  gj__tr_emit(t, (gj__insn){.code = is_bool ? GJ__CODE_gather_bool : GJ__CODE_gather,
                            .bytes = bytes_of(e),
                            .d = d,
                            .a = gj__tr_scalar(t, p),
                            .b = index.at});
  gj__tr_release(t, index);
}

static void block_load(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  gj__form form = gj__lanes_address(t->lanes, e->args[0], e->args[1]);
  bool is_bool = e->type.dtype == GJ_DTYPE_bool;
  if (form.kind != GJ__FORM_AFFINE) {
    block_gather(t, e, d);
    return;
  }
  gj__insn insn = {.bytes = bytes_of(e), .d = d, .a = gj__tr_address(t, e->args[0], e->args[1])};
  if (form.stride == 1) {
    insn.code = is_bool ? GJ__CODE_copy_bool : GJ__CODE_copy;
    insn.a |= GJ__INDIRECT;
  } else {
    insn.code = is_bool ? GJ__CODE_stride_bool : GJ__CODE_stride;
    insn.imm = form.stride;
  }
  gj__tr_emit(t, insn);
}

void gj__tr_block_into(gj__translation *t, const gj_lexpr *e, uint32_t d) {
  gj__form form = form_of(t, e);
  if (form.kind == GJ__FORM_UNIFORM) {
    gj__tr_emit(
        t,
        (gj__insn){.code = GJ__CODE_fill, .bytes = bytes_of(e), .d = d, .a = gj__tr_scalar(t, e)});
  } else if (form.kind == GJ__FORM_AFFINE) {
    gj__tr_emit(
        t, (gj__insn){.code = GJ__CODE_ramp, .d = d, .a = gj__tr_scalar(t, e), .imm = form.stride});
  } else if (e->kind == GJ_LX_LOCAL) {
    gj__tr_emit(
        t, (gj__insn){.code = e->type.dtype == GJ_DTYPE_bool ? GJ__CODE_copy_bool : GJ__CODE_copy,
                      .bytes = bytes_of(e),
                      .d = d,
                      .a = t->places[e->index]});
  } else if (e->kind == GJ_LX_LOAD) {
    block_load(t, e, d);
  } else if (is_same_bits(e)) {
    gj__tr_block_into(t, e->args[0], d);
  } else {
    block_op(t, e, d);
  }
}
