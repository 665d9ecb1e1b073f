// Vectorisation and unrolling of marked loops.
//
// Requires: a module that verifies; iterations of loops marked vector are independent.
// Keeps:    results bit for bit: the same scalar operations happen, in the same order per
//           iteration.
// Changes:  a loop marked vector becomes a loop of W iterations per step and something for the
//           rest (strip.c); with a constant trip count of a few steps it becomes straight-line
//           code, so that arrays indexed by it can live in registers. A loop marked unroll becomes
//           straight-line code. Loops that do not allow it keep running as they are.
//
// Vectorising is explicit instead of left to LLVM: the width, the treatment of the rest and the
// order of operations are then the same on every target and known to the lowering. Outer loops come
// first; what is made of them is looked at again, so loops inside are unrolled, or vectorised in
// the scalar rest.

#include "loops/copy.h"
#include "loops/rules.h"
#include "loops/vectorise/apart.h"
#include "loops/vectorise/lanes.h"
#include "loops/vectorise/strip.h"
#include "loops/vectorise/tile.h"
#include "loops/vectorise/widen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  MAX_VECTOR_STEPS = 16,  // straight-line copies of a vector loop
  MAX_STEPS_FLOPS = 2048, // operations in them all: code of more takes longer to make than it saves
  MAX_ALL_FLOPS = 8192,   // in those of all loops of a module: it may have hundreds
  MAX_UNROLL = 64,        // straight-line copies of a loop marked unroll
  PAIR_FLOPS = 20,        // operations of a heavy body from which on two vectors are made at a time
  QUAD_FLOPS = 60,        // from which on four are, in f64
  MOST_QUAD_FLOPS = 128,  // up to which four are
  NARROW_BYTES = 16,      // vectors of SSE and WebAssembly
  FEW_LANES_BYTES = 4,    // elements of which they hold four or fewer
  LIGHT_FACTOR = 4,       // of them in a step of a light body
  LEAST_APPENDED = 4,     // bytes of an element, of which machines compress whole vectors
  MAX_COPIED = 4096,      // statements that one loop may become
  MAX_MADE = 1 << 16      // statements that unrolling may add to one function
};

typedef struct pass {
  gj_lmodule *m;
  gj_lfunc *f;
  const gj_loops_machine *machine;
  unsigned marks; // of loops to be rewritten
  gj_strbuf *report;
  uint64_t made;     // statements added to the function
  uint64_t straight; // operations of loops of the module that have become straight code
} pass;

static void rewrite_block(pass *p, gj_lblock *b);

static void say(pass *p, const gj_lstmt *s, const char *format, ...) GJ_PRINTF(3, 4);

static void say(pass *p, const gj_lstmt *s, const char *format, ...) {
  char text[256];
  if (!p->report)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  gj_strbuf_printf(p->report, "%s: for %s: %s\n", p->f->name, p->f->locals[s->local].name, text);
}

static uint64_t statements(const gj_lblock *b) {
  uint64_t count = b->count;
  for (uint32_t i = 0; i < b->count; i++)
    count += statements(&b->stmts[i]->body) + statements(&b->stmts[i]->orelse);
  return count;
}

// Whether `copies` of the body may be laid out; if so they are counted.
static bool afford(pass *p, const gj_lstmt *s, int64_t copies) {
  uint64_t total = statements(&s->body) * (uint64_t)copies;
  if (total > MAX_COPIED || p->made + total > MAX_MADE)
    return false;
  p->made += total;
  return true;
}

// --- vector loops ---

static unsigned floor_power(uint64_t n) {
  unsigned power = 1;
  while (power * 2 <= n && power < GJ_MAX_LANES)
    power *= 2;
  return power;
}

// Native vectors per step. Where these are narrow and of few lanes, the loop around a light body
// costs as much as the body, so several of them share it, and so do two of bytes that become 16
// bits, which are loaded at once then. Otherwise short bodies overlap with the iterations behind
// them. In a long one, whose operations mostly wait for each other, a second vector fills the
// processor's window, where there are registers for both: machines with masks have 32. Where one
// elementary function of f64 waits for another, the window does not reach the next iteration, and
// four vectors pay although registers go to the stack; not so for still longer bodies, of which
// more waits side by side.
static unsigned choose_factor(const pass *p, const gj__lanes *lanes) {
  // One vector of what is appended, which is what machines compress: of numbers of half the size of
  // what is compared, one has the lanes of two.
  if (lanes->appends)
    return lanes->appended >= LEAST_APPENDED ? lanes->widest / lanes->appended : 1;
  if (lanes->loop->factor != 1 || lanes->nested)
    return lanes->loop->factor;
  if (!lanes->heavy && p->machine->vector_bytes == NARROW_BYTES)
    return lanes->widest >= FEW_LANES_BYTES ? LIGHT_FACTOR : lanes->touched & 1 ? lanes->widest : 1;
  if (!lanes->heavy || !p->machine->cheap_masks || lanes->flops < PAIR_FLOPS)
    return 1;
  bool quad = lanes->flops >= QUAD_FLOPS && lanes->flops <= MOST_QUAD_FLOPS;
  return quad && lanes->widest == 8 ? 4 : 2;
}

// As many lanes as the registers hold; for fewer iterations than that as many as these fill, or
// need when the last lanes can be masked off.
static unsigned choose_width(const pass *p, const gj__lanes *lanes, int64_t trip) {
  unsigned width =
      floor_power((uint64_t)choose_factor(p, lanes) * p->machine->vector_bytes / lanes->widest);
  if (trip < 0 || (uint64_t)trip >= width)
    return width;
  unsigned fit = floor_power((uint64_t)trip);
  return fit > 1 && fit < trip && gj__strip_maskable(lanes, p->machine) ? 2 * fit : fit;
}

// The whole vectors of a short loop one after the other.
static void lay_out(pass *p, const gj__lanes *lanes, unsigned width, int64_t steps, bool stream,
                    gj_lblock *to) {
  for (int64_t k = 0; k < steps && !p->m->failed; k++)
    gj__widen(p->m, p->f, lanes, width, gj_lx_i64(p->m, lanes->loop->a->value.v.i + k * width),
              (gj__widen_how){.stream = stream}, to);
}

static bool emit_straight(pass *p, const gj__lanes *lanes, unsigned width, int64_t trip,
                          gj_lblock *to) {
  const gj_lstmt *s = lanes->loop;
  int64_t steps = (trip + width - 1) / width, rest = trip % width;
  int64_t most = s->marks & GJ_LOOP_UNROLL ? MAX_UNROLL : MAX_VECTOR_STEPS;
  bool maskable = gj__strip_maskable(lanes, p->machine), able = !rest || maskable;
  bool asked = steps == 1 || (s->marks & GJ_LOOP_UNROLL);
  uint64_t flops = asked ? 0 : (uint64_t)steps * lanes->flops;
  bool heavy = flops > MAX_STEPS_FLOPS || p->straight + flops > MAX_ALL_FLOPS;
  if (!able || steps > most || heavy || !afford(p, s, steps))
    return false;
  p->straight += flops;
  const gj_lexpr *streams = !rest && maskable && afford(p, s, steps)
                                ? gj__strip_streams(p->m, p->f, lanes, width, to)
                                : NULL;
  if (streams) {
    gj_lstmt *choice = gj_ls_if(p->m, p->f, to, streams);
    lay_out(p, lanes, width, steps, true, &choice->body);
    lay_out(p, lanes, width, steps, false, &choice->orelse);
    return true;
  }
  for (int64_t k = 0; k < steps && !p->m->failed; k++) {
    const gj_lexpr *mask = NULL;
    if (rest && k == steps - 1)
      mask = gj_lx_first(p->m, gj_lx_i64(p->m, rest), width);
    gj__widen(p->m, p->f, lanes, width, gj_lx_i64(p->m, s->a->value.v.i + k * width),
              (gj__widen_how){.mask = mask}, to);
  }
  return true;
}

// Appends the vector form of `s` to `to`; false when it stays as it is.
static bool vectorise(pass *p, const gj_lstmt *s, gj_lblock *to) {
  if (s->count != 1) {
    say(p, s, "scalar: its step is %" PRId64, s->count);
    return false;
  }
  gj__lanes lanes;
  int64_t trip = gj__strip_trip(s);
  bool able = gj__lanes_init(&lanes, p->f, s);
  unsigned width = able ? choose_width(p, &lanes, trip) : 0;
  char apart[96] = "";
  if (width >= 2 && p->report)
    gj__apart(&lanes, p->machine, apart, sizeof apart);
  if (!able)
    say(p, s, "scalar: %s", lanes.why);
  else if (width < 2)
    say(p, s, "scalar: too few iterations or lanes");
  else if (trip >= 0 && emit_straight(p, &lanes, width, trip, to))
    say(p, s, "%u lanes, unrolled ×%" PRId64 "%s%s", width, (trip + width - 1) / width,
        trip % width ? ", masked rest" : "", apart);
  else
    say(p, s, "%u lanes%s%s", width, gj__strip(p->m, p->f, &lanes, p->machine, width, to), apart);
  gj__lanes_fini(&lanes);
  return width >= 2;
}

// The same for a loop around a vector loop, done in tiles. Where the sizes are too small for those,
// the loops stay what they are; whether they are may show at run time only.
static bool tiled(pass *p, gj_lstmt *s, gj_lblock *to) {
  s->marks &= (uint8_t)~GJ_LOOP_TILE;
  unsigned side = gj__tile(p->m, p->f, s, p->machine, to);
  if (side)
    say(p, s->body.stmts[s->body.count - 1], "%u lanes, in tiles of %u rows", side, side);
  return side > 0;
}

// --- unrolling ---

// Why a block inside `loops` loops of a body cannot stand several times in a row, or NULL.
static const char *obstacle(const gj_lblock *b, int64_t loops, bool top) {
  const char *why = NULL;
  for (uint32_t i = 0; i < b->count && !why; i++) {
    const gj_lstmt *s = b->stmts[i];
    bool loop = s->kind == GJ_LS_FOR || s->kind == GJ_LS_WHILE;
    if ((s->kind == GJ_LS_BREAK || s->kind == GJ_LS_CONTINUE) && s->count > loops)
      return "it has a break or continue of its own";
    if (s->kind == GJ_LS_ARRAY)
      return "it makes an array";
    if (top && s->kind == GJ_LS_RETURN)
      return "it returns";
    why = obstacle(&s->body, loops + loop, false);
    why = why ? why : obstacle(&s->orelse, loops, false);
  }
  return why;
}

static bool unroll(pass *p, const gj_lstmt *s, gj_lblock *to) {
  int64_t trip = gj__strip_trip(s);
  const char *why = obstacle(&s->body, 0, true);
  if (trip < 1 || trip > MAX_UNROLL)
    why = "its trip count is not a constant from 1 to 64";
  else if (!why && !afford(p, s, trip))
    why = "it would become too long";
  gj__lcopy copy = {0};
  if (!why && !gj__lcopy_init(&copy, p->m, p->f))
    why = "out of memory";
  if (why) {
    say(p, s, "not unrolled: %s", why);
    return false;
  }
  for (int64_t k = 0; k < trip && !p->m->failed; k++) {
    copy.replace[s->local] = gj_lx_i64(p->m, s->a->value.v.i + k * s->count);
    gj__lcopy_block(&copy, &s->body, to);
  }
  free(copy.replace);
  say(p, s, "unrolled ×%" PRId64, trip);
  return true;
}

// --- the walk ---

static bool expand(pass *p, gj_lstmt *s, gj_lblock *to) {
  if (s->kind != GJ_LS_FOR)
    return false;
  if ((s->marks & p->marks & GJ_LOOP_TILE) && tiled(p, s, to))
    return true;
  s->marks &= (uint8_t)~GJ_LOOP_TILE;
  if (!(p->marks & GJ_LOOP_VECTOR))
    return false;
  // One iteration is no loop: laid out, it leaves no variable index behind.
  bool single = s->marks && gj__strip_trip(s) == 1;
  if ((s->marks & GJ_LOOP_VECTOR) && !single && vectorise(p, s, to))
    return true;
  s->marks &= (uint8_t)~GJ_LOOP_VECTOR;
  s->factor = 0;
  s->d = NULL;
  if (!(p->marks & GJ_LOOP_UNROLL))
    return false;
  if ((single || (s->marks & GJ_LOOP_UNROLL)) && unroll(p, s, to))
    return true;
  s->marks &= (uint8_t)~GJ_LOOP_UNROLL;
  return false;
}

static void rewrite_block(pass *p, gj_lblock *b) {
  gj_lblock result = {0};
  for (uint32_t i = 0; i < b->count && !p->m->failed; i++) {
    gj_lstmt *s = b->stmts[i];
    gj_lblock made = {0};
    if (expand(p, s, &made)) {
      // Marks are gone from what was made, except for loops inside: this ends.
      rewrite_block(p, &made);
      for (uint32_t k = 0; k < made.count; k++)
        gj__ls_append(p->m, p->f, &result, made.stmts[k]);
      continue;
    }
    rewrite_block(p, &s->body);
    rewrite_block(p, &s->orelse);
    gj__ls_append(p->m, p->f, &result, s);
  }
  *b = result;
}

gj_status gj_loops_rewrite(gj_lmodule *m, const gj_loops_machine *machine, unsigned marks,
                           gj_strbuf *report, gj_error *err) {
  unsigned vector_bytes = machine->vector_bytes;
  if (vector_bytes != 16 && vector_bytes != 32 && vector_bytes != 64)
    return gj_fail(err, GJ_E_ARGUMENT, "vectorise: %u vector bytes, expected 16, 32 or 64",
                   vector_bytes);
  pass p = {.m = m, .machine = machine, .marks = marks, .report = report};
  for (uint32_t i = 0; i < m->func_count; i++) {
    p.f = m->funcs[i];
    p.made = 0;
    rewrite_block(&p, &p.f->body);
  }
  if (m->failed)
    return gj_fail(err, m->failed, "%s", m->error.message);
  return GJ_OK;
}

gj_status gj_loops_vectorise(gj_lmodule *m, const gj_loops_machine *machine, gj_strbuf *report,
                             gj_error *err) {
  return gj_loops_rewrite(m, machine, GJ_LOOP_TILE | GJ_LOOP_VECTOR | GJ_LOOP_UNROLL, report, err);
}
