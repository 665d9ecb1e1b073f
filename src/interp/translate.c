// Functions and statements as code of the first tier.
//
// A loop marked vector becomes a loop over blocks if lane analysis (loops/vectorise/lanes.h) finds
// that its body can be widened: that is the question the vectoriser asks, so what is fast in one
// tier is fast in the other. Values that differ from lane to lane get block registers by the time
// they live; a value that is only stored is computed where it is stored. The block is as long as
// leaves all registers in the first-level cache.
#include "interp/translate.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
  REGISTER_BYTES = 16 << 10, // of all registers of a loop, unless blocks get too short
  MIN_BLOCK = 64,
  MAX_BLOCK = 1024,
  LOOK_AHEAD = 64 // statements between a let and its store
};

gj_status gj__tr_fail(gj__translation *t, gj_status code, const char *format, ...) {
  if (t->status != GJ_OK)
    return t->status;
  va_list arguments;
  va_start(arguments, format);
  t->status = gj_fail_v(t->err, code, format, arguments);
  va_end(arguments);
  return t->status;
}

uint32_t gj__tr_emit(gj__translation *t, gj__insn insn) {
  if (t->status != GJ_OK)
    return 0;
  if (t->count >= GJ__MAX_CODE) {
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it is too long for the first tier", t->f->name);
    return 0;
  }
  gj__insn *code = gj_array_grow(t->code, &t->capacity, t->count + 1, sizeof *code);
  if (!code) {
    gj__tr_fail(t, GJ_E_MEMORY, "%s: out of memory at its code", t->f->name);
    return 0;
  }
  t->code = code;
  code[t->count] = insn;
  return (uint32_t)t->count++;
}

uint32_t gj__tr_slot(gj__translation *t) {
  uint32_t at = t->frame;
  if (at >= GJ__MAX_FRAME)
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it needs too much memory for the first tier", t->f->name);
  else
    t->frame += 8;
  return at;
}

static void block(gj__translation *t, const gj_lblock *b);

// --- stores ---

static bool is_known_before(const gj__translation *t, const gj_lexpr *e) {
  if (e->kind == GJ_LX_LOCAL)
    return t->uses[e->index].made < t->step && t->uses[e->index].sets == 0;
  for (uint32_t k = 0; k < e->arg_count; k++)
    if (!is_known_before(t, e->args[k]))
      return false;
  return e->kind != GJ_LX_LOAD;
}

// The store of a value made by statement `at` of `b` and used for nothing else, if it may happen
// at once: nothing in between may read what it writes, or write there itself.
static const gj_lstmt *find_store(const gj__translation *t, const gj_lblock *b, uint32_t at) {
  const gj_lstmt *let = b->stmts[at], *store = NULL;
  const gj__use *u = &t->uses[let->local];
  uint32_t end = b->count - at > LOOK_AHEAD ? at + LOOK_AHEAD : b->count, k = at + 1;
  if (u->reads != 1 || u->sets != 0)
    return NULL;
  for (; k < end && !store; k++) {
    const gj_lstmt *s = b->stmts[k];
    if (s->kind == GJ_LS_STORE && s->c->kind == GJ_LX_LOCAL && s->c->index == let->local)
      store = s;
    else if (s->kind != GJ_LS_LET && s->kind != GJ_LS_STORE)
      return NULL;
  }
  if (!store || !is_known_before(t, store->a) || !is_known_before(t, store->b))
    return NULL;
  for (uint32_t i = at + 1; i + 1 < k; i++) {
    const gj_lstmt *s = b->stmts[i];
    if (gj__tr_reads(t, s->a, store->a) || (s->b && gj__tr_reads(t, s->b, store->a)) ||
        (s->c && gj__tr_reads(t, s->c, store->a)) ||
        (s->kind == GJ_LS_STORE && gj__tr_may_alias(t, s->a, store->a)))
      return NULL;
  }
  return store;
}

static void store(gj__translation *t, const gj_lstmt *s) {
  static const uint8_t codes[] = {
      [1] = GJ__CODE_store1, [2] = GJ__CODE_store2, [4] = GJ__CODE_store4, [8] = GJ__CODE_store8};
  if (s->c->kind == GJ_LX_LOCAL && t->forwarded[s->c->index])
    return;
  if (t->lanes) {
    gj__tr_block_into(t, s->c, gj__tr_address(t, s->a, s->b) | GJ__INDIRECT);
    return;
  }
  uint32_t value = gj__tr_scalar(t, s->c), p = gj__tr_scalar(t, s->a), at = gj__tr_scalar(t, s->b);
  uint8_t code = codes[gj_dtype_bytes((gj_dtype)s->c->type.dtype)];
  gj__tr_emit(t, (gj__insn){.code = code, .a = p, .b = at, .c = value});
}

// --- lets ---

static bool is_varying(const gj__translation *t, uint32_t local) {
  return t->lanes && t->lanes->forms[local].kind == GJ__FORM_VARYING;
}

// A load that can be read where it lies for as long as the local lives.
static bool is_in_place(const gj__translation *t, const gj_lstmt *s) {
  if (s->a->kind != GJ_LX_LOAD || t->uses[s->local].sets > 0)
    return false;
  gj__form form = gj__lanes_address(t->lanes, s->a->args[0], s->a->args[1]);
  return form.kind == GJ__FORM_AFFINE && form.stride == 1 &&
         !gj__tr_is_written(t, &t->lanes->loop->body, s->a->args[0]);
}

static void let(gj__translation *t, const gj_lblock *b, uint32_t at) {
  const gj_lstmt *s = b->stmts[at];
  if (s->a->type.lanes != 1)
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it holds vectors already", t->f->name);
  if (!is_varying(t, s->local)) {
    t->places[s->local] = gj__tr_slot(t);
    gj__tr_scalar_into(t, s->a, t->places[s->local]);
    return;
  }
  if (is_in_place(t, s)) {
    t->places[s->local] = gj__tr_address(t, s->a->args[0], s->a->args[1]) | GJ__INDIRECT;
    return;
  }
  const gj_lstmt *stored = find_store(t, b, at);
  if (stored) {
    t->forwarded[s->local] = 1;
    gj__tr_block_into(t, s->a, gj__tr_address(t, stored->a, stored->b) | GJ__INDIRECT);
    return;
  }
  unsigned bytes = (unsigned)gj_dtype_bytes((gj_dtype)s->a->type.dtype);
  t->places[s->local] = gj__tr_register(t, bytes, s->local);
  gj__tr_block_into(t, s->a, t->places[s->local]);
}

static void set(gj__translation *t, const gj_lstmt *s) {
  if (is_varying(t, s->local))
    gj__tr_block_into(t, s->a, t->places[s->local]);
  else
    gj__tr_scalar_into(t, s->a, t->places[s->local]);
}

static void array(gj__translation *t, const gj_lstmt *s) {
  size_t bytes = (size_t)s->count * gj_dtype_bytes((gj_dtype)t->f->locals[s->local].type.dtype);
  uint32_t start = (t->frame + 63) & ~(uint32_t)63;
  if (bytes > GJ__MAX_FRAME - start || s->count < 0) {
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: its arrays are too large for the first tier", t->f->name);
    return;
  }
  t->frame = (uint32_t)((start + bytes + 63) & ~(size_t)63);
  t->places[s->local] = gj__tr_slot(t);
  gj__tr_emit(t, (gj__insn){.code = GJ__CODE_array, .d = t->places[s->local], .imm = start});
}

// --- control ---

// Jumps to a place not known yet form a chain through their `c`.
static void chain_jump(gj__translation *t, uint32_t *chain) {
  *chain = gj__tr_emit(t, (gj__insn){.code = GJ__CODE_jump, .c = *chain}) + 1;
}

static void settle_jumps(gj__translation *t, uint32_t chain, uint32_t target) {
  while (chain && t->status == GJ_OK) {
    gj__insn *jump = &t->code[chain - 1];
    chain = jump->c;
    jump->c = target;
  }
}

static void settle(gj__translation *t, uint32_t insn) {
  if (t->status == GJ_OK)
    t->code[insn].c = (uint32_t)t->count;
}

// The code of a loop's body; continues go behind it. Returns the chain of breaks.
static uint32_t loop_body(gj__translation *t, const gj_lstmt *s) {
  uint32_t outer_breaks = t->breaks, outer_continues = t->continues;
  t->breaks = t->continues = 0;
  block(t, &s->body);
  t->step++;
  settle_jumps(t, t->continues, (uint32_t)t->count);
  uint32_t breaks = t->breaks;
  t->breaks = outer_breaks;
  t->continues = outer_continues;
  return breaks;
}

// A bound that stays what it was when the loop began.
static uint32_t bound(gj__translation *t, const gj_lexpr *e) {
  if (e->kind != GJ_LX_LOCAL || t->uses[e->index].sets == 0)
    return gj__tr_scalar(t, e);
  uint32_t kept = gj__tr_slot(t);
  gj__tr_scalar_into(t, e, kept);
  return kept;
}

static void serial_loop(gj__translation *t, const gj_lstmt *s) {
  uint32_t i = t->places[s->local] = gj__tr_slot(t);
  uint32_t lo = gj__tr_scalar(t, s->a), hi = bound(t, s->b);
  uint32_t enter = gj__tr_emit(t, (gj__insn){.code = GJ__CODE_for_enter, .d = i, .a = lo, .b = hi});
  uint32_t body = (uint32_t)t->count, breaks = loop_body(t, s);
  gj__tr_emit(t,
              (gj__insn){.code = GJ__CODE_for_next, .d = i, .b = hi, .c = body, .imm = s->count});
  settle(t, enter);
  settle_jumps(t, breaks, (uint32_t)t->count);
}

// Iterations per block: a multiple of 64, so that every register is aligned.
static uint32_t block_length(uint32_t units) {
  uint32_t fits = units ? REGISTER_BYTES / units & ~(uint32_t)(MIN_BLOCK - 1) : MAX_BLOCK;
  return fits < MIN_BLOCK ? MIN_BLOCK : fits > MAX_BLOCK ? MAX_BLOCK : fits;
}

static void block_loop(gj__translation *t, const gj_lstmt *s, const gj__lanes *lanes) {
  t->lanes = lanes;
  t->register_count = 0;
  t->units = 0;
  uint32_t i = t->places[s->local] = gj__tr_slot(t);
  uint32_t lo = gj__tr_scalar(t, s->a), hi = bound(t, s->b);
  uint32_t enter =
      gj__tr_emit(t, (gj__insn){.code = GJ__CODE_block_enter, .d = i, .a = lo, .b = hi});
  uint32_t body = (uint32_t)t->count;
  loop_body(t, s); // without breaks of its own, or lane analysis would have refused
  uint32_t next =
      gj__tr_emit(t, (gj__insn){.code = GJ__CODE_block_next, .d = i, .b = hi, .c = body});
  settle(t, enter);
  uint32_t length = block_length(t->units);
  if (t->status == GJ_OK)
    t->code[enter].imm = t->code[next].imm = length;
  // Registers of different loops share their memory: places count in elements until here.
  for (size_t k = body; k < next && t->status == GJ_OK; k++) {
    uint32_t *places[] = {&t->code[k].d, &t->code[k].a, &t->code[k].b, &t->code[k].c};
    for (size_t p = 0; p < 4; p++)
      if (*places[p] & GJ__REGISTER)
        *places[p] = GJ__REGISTER | (*places[p] & ~GJ__REGISTER) * length;
  }
  t->most_units = t->units * length > t->most_units ? t->units * length : t->most_units;
  t->lanes = NULL;
}

static void loop(gj__translation *t, const gj_lstmt *s) {
  gj__lanes lanes;
  if (!(s->marks & GJ_LOOP_VECTOR) || s->count != 1 || t->lanes) {
    serial_loop(t, s);
    return;
  }
  if (gj__lanes_init(&lanes, t->f, s) && !lanes.appends)
    block_loop(t, s, &lanes);
  else
    serial_loop(t, s);
  gj__lanes_fini(&lanes);
}

static void while_loop(gj__translation *t, const gj_lstmt *s) {
  uint32_t top = (uint32_t)t->count, condition = gj__tr_scalar(t, s->a);
  uint32_t leave = gj__tr_emit(t, (gj__insn){.code = GJ__CODE_unless, .a = condition});
  uint32_t breaks = loop_body(t, s);
  gj__tr_emit(t, (gj__insn){.code = GJ__CODE_jump, .c = top});
  settle(t, leave);
  settle_jumps(t, breaks, (uint32_t)t->count);
}

static void choice(gj__translation *t, const gj_lstmt *s) {
  uint32_t condition = gj__tr_scalar(t, s->a);
  uint32_t skip = gj__tr_emit(t, (gj__insn){.code = GJ__CODE_unless, .a = condition});
  block(t, &s->body);
  if (s->orelse.count == 0) {
    settle(t, skip);
    return;
  }
  uint32_t end = gj__tr_emit(t, (gj__insn){.code = GJ__CODE_jump});
  settle(t, skip);
  block(t, &s->orelse);
  settle(t, end);
}

static void give_back(gj__translation *t, const gj_lstmt *s) {
  uint32_t value = s->a ? gj__tr_scalar(t, s->a) : gj__tr_slot(t);
  gj__tr_emit(t, (gj__insn){.code = GJ__CODE_ret, .a = value});
}

static void stmt(gj__translation *t, const gj_lblock *b, uint32_t at) {
  const gj_lstmt *s = b->stmts[at];
  switch ((gj_lstmt_kind)s->kind) {
  case GJ_LS_LET:
    let(t, b, at);
    return;
  case GJ_LS_SET:
    set(t, s);
    return;
  case GJ_LS_STORE:
    store(t, s);
    return;
  case GJ_LS_ARRAY:
    array(t, s);
    return;
  case GJ_LS_FOR:
    loop(t, s);
    return;
  case GJ_LS_WHILE:
    while_loop(t, s);
    return;
  case GJ_LS_IF:
    choice(t, s);
    return;
  case GJ_LS_BREAK:
  case GJ_LS_CONTINUE:
    if (s->count > 1)
      gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it leaves several loops at once", t->f->name);
    chain_jump(t, s->kind == GJ_LS_BREAK ? &t->breaks : &t->continues);
    return;
  case GJ_LS_RETURN:
    give_back(t, s);
    return;
  case GJ_LS_DO:
    gj__tr_scalar(t, s->a);
    return;
  case GJ_LS_DIM:
    gj__tr_emit(t,
                (gj__insn){.code = GJ__CODE_set_dim, .a = gj__tr_scalar(t, s->a), .imm = s->count});
    return;
  case GJ_LS_FENCE: // nothing is streamed here
  case GJ_LS_FETCH: // blocks of elements are near
    return;
  case GJ_LS_RELEASE:
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: release is not interpreted", t->f->name);
    return;
  case GJ_LS_ASSUME:
    return;
  case GJ_LS_TILE: // made by the vectoriser, which comes later
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it holds tiles already", t->f->name);
    return;
  }
}

static void block(gj__translation *t, const gj_lblock *b) {
  for (uint32_t k = 0; k < b->count && t->status == GJ_OK; k++) {
    t->step++;
    stmt(t, b, k);
    if (t->lanes)
      gj__tr_release_dead(t);
  }
}

// --- functions ---

// Registers come behind slots and arrays, whose size is known now.
static void place_registers(gj__translation *t) {
  uint32_t start = (t->frame + 63) & ~(uint32_t)63;
  for (size_t k = 0; k < t->count; k++) {
    uint32_t *places[] = {&t->code[k].d, &t->code[k].a, &t->code[k].b, &t->code[k].c};
    for (size_t p = 0; p < 4; p++)
      if (*places[p] & GJ__REGISTER)
        *places[p] = start + (*places[p] & ~GJ__REGISTER);
  }
  t->frame = start + ((t->most_units + 63) & ~(uint32_t)63);
}

static void keep(gj__translation *t, gj__ifunc *out) {
  gj_arena *arena = &t->interp->arena;
  if (t->frame + t->stack > GJ__MAX_FRAME || t->calls > GJ__MAX_CALLS)
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it needs too much memory for the first tier", t->f->name);
  *out = (gj__ifunc){
      .code = gj_arena_copy(arena, t->code, t->count * sizeof *t->code),
      .count = (uint32_t)t->count,
      .presets = gj_arena_copy(arena, t->presets, t->preset_count * sizeof *t->presets),
      .preset_count = (uint32_t)t->preset_count,
      .lists = gj_arena_copy(arena, t->lists, t->list_count * sizeof *t->lists),
      .list_count = (uint32_t)t->list_count,
      .param_count = t->f->param_count,
      .frame = t->frame,
      .stack = t->frame + t->stack,
      .calls = t->calls,
  };
  if (!out->code || !out->presets || !out->lists)
    gj__tr_fail(t, GJ_E_MEMORY, "%s: out of memory", t->f->name);
}

static void function(gj__translation *t, const gj_lfunc *f, gj__ifunc *out) {
  t->f = f;
  t->count = t->preset_count = t->list_count = 0;
  t->step = t->frame = t->stack = t->calls = t->most_units = 0;
  t->breaks = t->continues = 0;
  memset(t->uses, 0, f->local_count * sizeof *t->uses);
  memset(t->forwarded, 0, f->local_count);
  if (gj_lfunc_is_foreign(f))
    gj__tr_fail(t, GJ_E_UNSUPPORTED, "%s: it is a C function", f->name);
  for (uint32_t k = 0; k < f->param_count; k++)
    t->places[k] = gj__tr_slot(t);
  if (!gj__tr_find_uses(t))
    return;
  block(t, &f->body);
  gj__tr_emit(t, (gj__insn){.code = GJ__CODE_ret}); // of a function without a result
  if (t->status == GJ_OK)
    place_registers(t);
  if (t->status == GJ_OK)
    keep(t, out);
}

static void translate(gj__translation *t) {
  const gj_lmodule *m = t->m;
  gj_interp *interp = t->interp;
  uint32_t most = 1;
  bool entry = false;
  for (uint32_t k = 0; k < m->func_count; k++)
    most = m->funcs[k]->local_count > most ? m->funcs[k]->local_count : most;
  interp->func_count = m->func_count;
  interp->funcs = gj_arena_array(&interp->arena, m->func_count + 1, sizeof *interp->funcs);
  t->uses = calloc(most, sizeof *t->uses);
  t->places = calloc(most, sizeof *t->places);
  t->forwarded = calloc(most, 1);
  if (!interp->funcs || !t->uses || !t->places || !t->forwarded) {
    gj__tr_fail(t, GJ_E_MEMORY, "first tier: out of memory");
    return;
  }
  for (uint32_t k = 0; k < m->func_count && t->status == GJ_OK; k++) {
    function(t, m->funcs[k], &interp->funcs[k]);
    entry = entry || m->funcs[k]->entry;
    interp->entry = m->funcs[k]->entry ? k : interp->entry;
  }
  if (!entry)
    gj__tr_fail(t, GJ_E_VERIFY, "module %s has no entry function", m->name);
}

gj_status gj_interp_new(const gj_lmodule *module, const gj_block_set *set, gj_interp **out_interp,
                        gj_error *err) {
  *out_interp = NULL;
  gj_interp *interp = calloc(1, sizeof *interp);
  if (!interp)
    return gj_fail(err, GJ_E_MEMORY, "first tier: out of memory");
  gj_arena_init(&interp->arena, 4096);
  gj_error unseen;
  gj__translation t = {.m = module, .set = set, .interp = interp, .err = err ? err : &unseen};
  translate(&t);
  free(t.uses);
  free(t.loop_ends);
  free(t.places);
  free(t.forwarded);
  free(t.code);
  free(t.presets);
  free(t.lists);
  if (t.status != GJ_OK) {
    gj_interp_free(interp);
    return t.status;
  }
  *out_interp = interp;
  return GJ_OK;
}

void gj_interp_free(gj_interp *interp) {
  if (!interp)
    return;
  gj_arena_fini(&interp->arena);
  free(interp);
}
