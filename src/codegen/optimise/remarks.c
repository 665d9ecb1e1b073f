// What LLVM says about loops → one sentence for each.
//
// LLVM looks at a loop several times, and at each copy that inlining made. The best that happened
// to any copy is kept, and of reasons the first one that says something. A reason may come without
// the place, which the remark behind it has then. Reasons that users can do something about are put
// in our words; others keep LLVM's.
#include "codegen/optimise/remarks.h"

#include "base/array.h"
#include "codegen/context.h"
#include "codegen/optimise/remarks_shim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *text;
} reasons[] = {
    {"CantComputeNumberOfIterations", "how often it runs is not known before it begins"},
    {"UnsupportedUncountableLoop", "how often it runs is not known before it begins"},
    {"CFGNotUnderstood", "its control flow is too complicated"},
    {"NoCFGForSelect", "a branch in it cannot be made a selection"},
    {"LoopContainsSwitch", "it has a switch"},
    {"UnsafeDep", "an iteration may read what another writes"},
    {"UnsafeIndirectDependence", "an iteration may read what another writes"},
    {"CantIdentifyArrayBounds", "what it reads and writes may overlap"},
    {"CantReorderMemOps", "what it reads and writes may overlap"},
    {"CantReorderFPOps", "floats must be added in order; numerics: 'fast' allows another one"},
    {"NonReductionValueUsedOutsideLoop",
     "each iteration needs a value from the one before that is no sum, product or extreme"},
    {"CantVectorizeCall", "it calls a function"},
    {"CantVectorizeLibcall", "it calls a function"},
    {"CantVectorizeIntrinsic", "it uses an operation that has no vector form"},
    {"CantVectorizeInstruction", "it uses an operation that has no vector form"},
    {"VectorizationNotBeneficial", "vectors would not be faster"},
    {"UnknownLoopCountComplexCFG", "its control flow is too complicated"},
    {"LowTripCount", "it runs too few times"},
    {"TooManyMemoryRuntimeChecks", "too many arrays may overlap"},
    {"NoInductionVariable", "it does not count"},
};

static const char *known_reason(const gj__llvm_remark *r) {
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (strcmp(reasons[i].name, r->name) == 0)
      return reasons[i].text;
  return NULL;
}

static const char *reason_of(const gj__llvm_remark *r) {
  static const char head[] = "loop not vectorized: ";
  const char *known = known_reason(r);
  if (known)
    return known;
  return strncmp(r->text, head, sizeof head - 1) == 0 ? r->text + sizeof head - 1 : r->text;
}

// Says what happened; false for what is not worth a word.
static bool describe(const gj__llvm_remark *r, const char *reason, gj_remark *out, char *text,
                     size_t size) {
  *out = (gj_remark){
      .line = r->line, .column = r->column, .width = r->width, .interleave = r->interleave};
  bool vectoriser = strcmp(r->pass, "loop-vectorize") == 0;
  if (vectoriser && r->done && r->width > 1) {
    out->kind = GJ_REMARK_VECTORISED;
    int used = snprintf(text, size, "vectorised, %u lanes", r->width);
    if (r->interleave > 1)
      snprintf(text + used, size - (size_t)used, ", %u vectors at a time", r->interleave);
    return true;
  }
  if (!vectoriser && strcmp(r->name, "FullyUnrolled") == 0) {
    out->kind = GJ_REMARK_UNROLLED;
    snprintf(text, size, "unrolled completely");
    return true;
  }
  if (!vectoriser || r->done || strcmp(r->name, "InterleavingNotBeneficial") == 0 ||
      strcmp(r->name, "InterleavingBeneficialButDisabled") == 0)
    return false;
  out->kind = GJ_REMARK_REFUSED;
  snprintf(text, size, "not vectorised: %.400s", reason);
  return true;
}

static gj_remark *find(gj_remarks *list, uint32_t line, uint32_t column) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].line == line && list->items[i].column == column)
      return &list->items[i];
  return NULL;
}

static bool put(gj_remarks *list, gj_remark remark, const char *text) {
  gj_remark *place = find(list, remark.line, remark.column);
  if (place && place->kind >= remark.kind)
    return true;
  char *copy = strdup(text);
  if (!copy)
    return false;
  remark.text = copy;
  if (place) {
    free((void *)place->text);
    *place = remark;
    return true;
  }
  gj_remark *items = gj_array_grow(list->items, &list->capacity, list->count + 1, sizeof *items);
  if (!items) {
    free(copy);
    return false;
  }
  list->items = items;
  items[list->count++] = remark;
  return true;
}

void gj__on_loop_remark(const gj__llvm_remark *r, void *data) {
  gj__cg *cg = data;
  gj_remark remark;
  char text[512];
  bool last = strcmp(r->name, "MissedDetails") == 0; // what follows the reason, and has none
  const char *reason = last ? cg->reason : reason_of(r);
  if (!r->line && !r->done && !last)
    cg->reason = known_reason(r);
  if (!r->line || !reason || !describe(r, reason, &remark, text, sizeof text))
    return;
  cg->reason = NULL;
  if (!put(cg->options->remarks, remark, text))
    gj__cg_fail(cg, GJ_E_MEMORY, "codegen: out of memory at a remark");
}

static int by_position(const void *a, const void *b) {
  const gj_remark *x = a, *y = b;
  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return (x->column > y->column) - (x->column < y->column);
}

void gj__remarks_sort(gj_remarks *remarks) {
  if (remarks->count)
    qsort(remarks->items, remarks->count, sizeof *remarks->items, by_position);
}

void gj_remarks_fini(gj_remarks *remarks) {
  for (size_t i = 0; i < remarks->count; i++)
    free((void *)remarks->items[i].text);
  free(remarks->items);
  *remarks = (gj_remarks){0};
}

void gj_remarks_print(const gj_remarks *remarks, gj_strbuf *out) {
  for (size_t i = 0; i < remarks->count; i++)
    gj_strbuf_printf(out, "%u:%u: %s\n", (unsigned)remarks->items[i].line,
                     (unsigned)remarks->items[i].column, remarks->items[i].text);
}
