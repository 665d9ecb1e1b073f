// Modules, functions, locals and constant data of Loop IR.
//
// A builder call on a failed module does nothing and returns a stand-in that lives in the module,
// so a front end builds a whole kernel and asks once. The arena owns all but the name tables.

#include "loops/rules.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

gj_lmodule *gj_lmodule_new(const char *name) {
  gj_lmodule *m = calloc(1, sizeof *m);
  if (!m)
    return NULL;
  gj_arena_init(&m->arena, 0);
  m->name = gj_arena_strdup(&m->arena, name);
  m->lost_func = (gj_lfunc){.name = "lost", .returns = {GJ_DTYPE_none, 0, 1}};
  if (!m->name) {
    gj_lmodule_free(m);
    return NULL;
  }
  return m;
}

void gj_lmodule_free(gj_lmodule *m) {
  if (!m)
    return;
  for (uint32_t i = 0; i < m->func_count; i++)
    gj_table_fini(&m->funcs[i]->names);
  for (uint32_t i = 0; i < m->data_count; i++)
    gj_storage_release(m->data[i].storage);
  gj_table_fini(&m->names);
  gj_arena_fini(&m->arena);
  free(m);
}

void *gj__larray_grow(gj_arena *arena, void *items, uint32_t count, uint32_t *capacity,
                      size_t size) {
  if (count < *capacity)
    return items;
  if (*capacity > UINT32_MAX / 4)
    return NULL;
  uint32_t bigger = *capacity ? *capacity * 2 : 4;
  char *grown = gj_arena_array(arena, bigger, size);
  if (!grown)
    return NULL;
  if (count)
    memcpy(grown, items, count * size);
  *capacity = bigger;
  return grown;
}

static void out_of_memory(gj_lmodule *m, const char *at) {
  gj__lfail(m, GJ_E_MEMORY, "loops: out of memory at %s", at);
}

gj_lfunc *gj__lfunc_new(gj_lmodule *m, const char *name, gj_ltype returns, bool entry) {
  if (m->failed)
    return &m->lost_func;
  gj_lfunc *f = gj_arena_alloc(&m->arena, sizeof *f);
  gj_lfunc **funcs =
      gj__larray_grow(&m->arena, m->funcs, m->func_count, &m->func_capacity, sizeof *funcs);
  if (!name || !f || !funcs) {
    out_of_memory(m, "a function");
    return &m->lost_func;
  }
  if (returns.dtype == GJ_DTYPE_none)
    returns = (gj_ltype){GJ_DTYPE_none, 0, 1};
  *f = (gj_lfunc){.name = name, .returns = returns, .entry = entry, .index = m->func_count};
  m->funcs = funcs;
  m->funcs[m->func_count++] = f;
  gj__lname_add(m, NULL, f->index);
  return f;
}

gj_lfunc *gj_lfunc_new(gj_lmodule *m, const char *name, gj_ltype returns, bool entry) {
  return gj__lfunc_new(m, m->failed ? NULL : gj__lname_make(m, NULL, name), returns, entry);
}

// Takes `data` over; bytes of NULL are those that there was no memory for.
static uint32_t add_data(gj_lmodule *m, const gj_ldata *data) {
  gj_ldata *all =
      gj__larray_grow(&m->arena, m->data, m->data_count, &m->data_capacity, sizeof *all);
  if (!data->bytes || !all) {
    out_of_memory(m, "data");
    gj_storage_release(data->storage);
    return 0;
  }
  m->data = all;
  m->data[m->data_count] = *data;
  return m->data_count++;
}

uint32_t gj_lmodule_data(gj_lmodule *m, gj_dtype dtype, const void *elements, size_t count) {
  if (m->failed)
    return 0;
  if (dtype <= GJ_DTYPE_none || dtype >= GJ_DTYPE_COUNT) {
    gj__lfail(m, GJ_E_DTYPE, "data: %d is not a dtype", (int)dtype);
    return 0;
  }
  size_t bytes;
  const void *copy = NULL;
  if (gj_mul_size(count, gj_dtype_bytes(dtype), &bytes))
    copy = gj_arena_copy(&m->arena, elements, bytes);
  return add_data(m, &(gj_ldata){dtype, count, copy, NULL});
}

uint32_t gj_lmodule_data_shared(gj_lmodule *m, gj_dtype dtype, gj_storage *storage) {
  if (m->failed)
    return 0;
  size_t count = gj_storage_size(storage) / gj_dtype_bytes(dtype);
  const void *bytes = gj_storage_bytes(storage);
  return add_data(m, &(gj_ldata){dtype, count, bytes, gj_storage_retain(storage)});
}

uint32_t gj_lmodule_data_like(gj_lmodule *m, const gj_ldata *data) {
  return data->storage ? gj_lmodule_data_shared(m, data->dtype, data->storage)
                       : gj_lmodule_data(m, data->dtype, data->bytes, data->count);
}

uint32_t gj__lfunc_local(gj_lmodule *m, gj_lfunc *f, const char *name, gj_ltype type) {
  if (m->failed)
    return 0;
  gj_llocal *locals =
      gj__larray_grow(&m->arena, f->locals, f->local_count, &f->local_capacity, sizeof *locals);
  if (!name || !locals) {
    out_of_memory(m, f->name);
    return 0;
  }
  f->locals = locals;
  f->locals[f->local_count] = (gj_llocal){.name = name, .type = type};
  gj__lname_add(m, f, f->local_count);
  return f->local_count++;
}

uint32_t gj_lfunc_local(gj_lmodule *m, gj_lfunc *f, const char *name, gj_ltype type) {
  return m->failed ? 0 : gj__lfunc_local(m, f, gj__lname_make(m, f, name), type);
}

uint32_t gj_lfunc_param(gj_lmodule *m, gj_lfunc *f, const char *name, gj_ltype type,
                        uint8_t flags) {
  if (m->failed)
    return 0;
  if (f->param_count != f->local_count) {
    gj__lfail(m, GJ_E_VERIFY, "%s: param %s comes after a local", f->name, name);
    return 0;
  }
  uint32_t local = gj_lfunc_local(m, f, name, type);
  if (m->failed)
    return 0;
  f->locals[local].flags = flags;
  f->param_count++;
  return local;
}

// --- statements ---

gj_lstmt *gj__ls_append(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lstmt *draft) {
  if (m->failed)
    return &m->lost_stmt;
  gj_error err;
  gj_status status = gj__ls_check(f, draft, &err);
  if (status) {
    gj__lfail(m, status, "%s: %s", f->name, err.message);
    return &m->lost_stmt;
  }
  gj_lstmt *s = gj_arena_copy(&m->arena, draft, sizeof *draft);
  gj_lstmt **stmts = gj__larray_grow(&m->arena, b->stmts, b->count, &b->capacity, sizeof *stmts);
  if (!s || !stmts) {
    out_of_memory(m, f->name);
    return &m->lost_stmt;
  }
  b->stmts = stmts;
  b->stmts[b->count++] = s;
  return s;
}

uint32_t gj_ls_let(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *name,
                   const gj_lexpr *value) {
  uint32_t local = gj_lfunc_local(m, f, name, value->type);
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_LET, .local = local, .a = value});
  return local;
}

void gj_ls_set(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t local, const gj_lexpr *value) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_SET, .local = local, .a = value});
}

void gj_ls_store(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *p, const gj_lexpr *index,
                 const gj_lexpr *value) {
  gj_ls_store_if(m, f, b, p, index, value, NULL);
}

void gj_ls_store_if(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *p,
                    const gj_lexpr *index, const gj_lexpr *value, const gj_lexpr *mask) {
  gj_lstmt draft = {.kind = GJ_LS_STORE, .a = p, .b = index, .c = value, .d = mask};
  gj__ls_append(m, f, b, &draft);
}

void gj_ls_stream(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *p,
                  const gj_lexpr *index, const gj_lexpr *value) {
  gj_lstmt draft = {.kind = GJ_LS_STORE, .marks = GJ_STORE_STREAM, .a = p, .b = index, .c = value};
  gj__ls_append(m, f, b, &draft);
}

uint32_t gj_ls_array(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *name, gj_dtype dtype,
                     int64_t count) {
  uint32_t local = gj_lfunc_local(m, f, name, gj_ltype_pointer(dtype));
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_ARRAY, .local = local, .count = count});
  return local;
}

gj_lstmt *gj_ls_for(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const char *name, const gj_lexpr *lo,
                    const gj_lexpr *hi, int64_t step, uint8_t marks, uint8_t factor) {
  gj_lstmt draft = {.kind = GJ_LS_FOR,
                    .marks = marks,
                    .factor = factor,
                    .local = gj_lfunc_local(m, f, name, gj_ltype_scalar(GJ_DTYPE_i64)),
                    .count = step,
                    .a = lo,
                    .b = hi};
  return gj__ls_append(m, f, b, &draft);
}

gj_lstmt *gj_ls_while(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *condition) {
  return gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_WHILE, .a = condition});
}

gj_lstmt *gj_ls_if(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *condition) {
  return gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_IF, .a = condition});
}

void gj_ls_break(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t level) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_BREAK, .count = level});
}

void gj_ls_continue(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t level) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_CONTINUE, .count = level});
}

void gj_ls_release(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *mark) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_RELEASE, .a = mark});
}

void gj_ls_assume(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *condition) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_ASSUME, .a = condition});
}

void gj_ls_return(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *value) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_RETURN, .a = value});
}

void gj_ls_tile(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, unsigned side, const gj_lexpr *t,
                const gj_lexpr *p, const gj_lexpr *index, const gj_lexpr *stride) {
  gj_lstmt draft = {.kind = GJ_LS_TILE, .count = side, .a = t, .b = p, .c = index, .d = stride};
  gj__ls_append(m, f, b, &draft);
}

void gj_ls_dim(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, uint32_t index, const gj_lexpr *value) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_DIM, .count = index, .a = value});
}

void gj_ls_fence(gj_lmodule *m, gj_lfunc *f, gj_lblock *b) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_FENCE});
}

void gj_ls_fetch(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *pointer, uint8_t marks) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_FETCH, .marks = marks, .a = pointer});
}

void gj_ls_do(gj_lmodule *m, gj_lfunc *f, gj_lblock *b, const gj_lexpr *call) {
  gj__ls_append(m, f, b, &(gj_lstmt){.kind = GJ_LS_DO, .a = call});
}
