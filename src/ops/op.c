// Ops, their kinds, flags and attributes as data: ops.def, kinds.def, flags.def and attrs.def
// turned into tables.

#include "ops/op.h"

#include <string.h>

// ops.def names flags and attributes without their prefixes.
enum {
#define GJ_FLAG(NAME, name) NAME = GJ_OP_##NAME,
#include "ops/flags.def"
#define GJ_ATTR(name, NAME, form) NAME = GJ_HAS_##NAME,
#include "ops/attrs.def"
};

// Each row closes the one before it, so that optional column groups can follow in the same braces.
// clang-format off
static const gj_op_info rows[GJ_OP_COUNT] = {
    [GJ_OP_none] = {.name = "none", .doc = ""
#define GJ_OP(op_name, op_arity, op_kind, op_accepts, dtype, shape, op_attrs, op_flags)            \
    }, [GJ_OP_##op_name] = {                                                                       \
      .name = #op_name, .arity = op_arity, .kind = GJ_OP_KIND_##op_kind,                           \
      .accepts = GJ_ACCEPTS_##op_accepts, .flags = op_flags, .attrs = op_attrs
#define GJ_COMBINE(op, begin) , .combine = GJ_OP_##op, .start = GJ_START_##begin
#define GJ_FLOPS(narrow, wide) , .narrow_flops = narrow, .wide_flops = wide
#define GJ_CYCLES(count) , .cycles = count
#define GJ_DOC(text) , .doc = text
#include "ops/ops.def"
    }
};
// clang-format on

// kinds.def names traits without their prefix.
enum {
  MAPS = GJ_TRAIT_MAPS,
  COMPUTES = GJ_TRAIT_COMPUTES,
  PICKS = GJ_TRAIT_PICKS,
  ONCE = GJ_TRAIT_ONCE,
  CONTRACTS = GJ_TRAIT_CONTRACTS,
  ADDRESSES = GJ_TRAIT_ADDRESSES,
  CALLS = GJ_TRAIT_CALLS
};

static const struct kind_row {
  const char *name;
  uint8_t traits;
} kind_rows[GJ_OP_KIND_COUNT] = {
    [GJ_OP_KIND_NONE] = {"none", 0},
#define GJ_KIND(NAME, name, traits, doc) [GJ_OP_KIND_##NAME] = {#name, traits},
#include "ops/kinds.def"
};

static const char *const flag_names[GJ_OP_FLAG_COUNT] = {
#define GJ_FLAG(NAME, name) #name,
#include "ops/flags.def"
};

static const uint8_t js_cycles[GJ_OP_COUNT] = {
#define GJS_OP(name, arity) [GJ_OP_##name] =
#define GJS_CYCLES(count) count,
#include "math/js/js.def"
};

static const gj_attr_info attr_rows[GJ_ATTR_COUNT] = {
#define GJ_ATTR(attr, NAME, attr_form) [GJ_ATTR_##attr] = {#attr, GJ_FORM_##attr_form},
#include "ops/attrs.def"
};

const gj_op_info *gj_op_get(gj_op op) {
  return &rows[(unsigned)op < GJ_OP_COUNT ? op : GJ_OP_none];
}

const char *gj_op_kind_name(gj_op_kind kind) { return kind_rows[kind].name; }

bool gj_op_has(gj_op op, unsigned trait) {
  return (kind_rows[gj_op_get(op)->kind].traits & trait) != 0;
}

const char *gj_op_flag_name(gj_op_flag flag) { return flag_names[flag]; }

unsigned gj_op_js_cycles(gj_op op) { return js_cycles[op]; }

bool gj_op_takes(gj_op op, gj_dtype dtype) {
  unsigned kind = gj_dtype_get(dtype)->kind;
  switch ((gj_op_accepts)gj_op_get(op)->accepts) {
  case GJ_ACCEPTS_ANY:
    return kind != GJ_KIND_NONE;
  case GJ_ACCEPTS_NUMERIC:
    return kind == GJ_KIND_UINT || kind == GJ_KIND_INT || kind == GJ_KIND_FLOAT;
  case GJ_ACCEPTS_FLOAT:
    return kind == GJ_KIND_FLOAT;
  case GJ_ACCEPTS_REAL:
    return dtype == GJ_DTYPE_f64 || dtype == GJ_DTYPE_f32;
  case GJ_ACCEPTS_INTEGER:
    return kind == GJ_KIND_UINT || kind == GJ_KIND_INT;
  case GJ_ACCEPTS_SIGNED:
    return kind == GJ_KIND_INT || kind == GJ_KIND_FLOAT;
  case GJ_ACCEPTS_LOGIC:
    return kind == GJ_KIND_BOOL || kind == GJ_KIND_UINT || kind == GJ_KIND_INT;
  }
  return false;
}

gj_op gj_op_parse(const char *name, size_t length) {
  for (int i = GJ_OP_none + 1; i < GJ_OP_COUNT; i++)
    if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
      return (gj_op)i;
  return GJ_OP_none;
}

const gj_attr_info *gj_attr_get(gj_attr attr) { return &attr_rows[attr]; }

size_t gj_attr_most(gj_attr attr) {
  return attr_rows[attr].form == GJ_FORM_FUNCTIONS ? GJ_MAX_LIST : GJ_MAX_RANK;
}

gj_attr gj_attr_parse(const char *name, size_t length) {
  for (int i = 0; i < GJ_ATTR_COUNT; i++)
    if (strlen(attr_rows[i].name) == length && memcmp(attr_rows[i].name, name, length) == 0)
      return (gj_attr)i;
  return GJ_ATTR_COUNT;
}
