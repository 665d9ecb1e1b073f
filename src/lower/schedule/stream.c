// When an elementwise kernel had better write past the caches.
//
// A store to memory that is in no cache reads its line first, only to overwrite it. Streamed stores
// do without, so that z = x + y moves three arrays instead of four. It pays when nothing of what is
// written could be found in a cache afterwards anyway: when the kernel touches more memory than the
// last cache holds, which the sizes decide at run time. The vectoriser then makes loops of two
// forms (loops/vectorise/strip.c), if memory is what limits them.
//
// Rows are aligned or not one by one, unless they are whole lines, which all are if the first is.
// Short rows that are not begin and end with ordinary stores to lines that are streamed otherwise,
// which takes ten times as long: they are streamed only where the run finds the first aligned.
//
// Left out: kernels with few but long rows of their own (reductions, concat, pad).
#include "lower/context.h"

enum {
  SHORT_ROW = 512, // elements; rows begin and end with stores that are not streamed
  LINE = 64        // bytes; rows of whole lines all are aligned if one is
};

// The number of elements of a shape, GJ_DIM_ERROR when it has too many terms.
static gj_dim count_of(gj__lower *l, const gj_type *type) {
  gj_dim count = 1;
  for (uint8_t i = 0; i < type->rank && count != GJ_DIM_ERROR; i++)
    count = gj_dim_mul(gj_graph_dims(l->graph), count, type->shape[i]);
  return count;
}

// Bytes per element of the domain that the kernel moves. Operands that are repeated over the domain
// stay in a cache and count for nothing.
static int64_t bytes_of(gj__lower *l, gj_dim count) {
  int64_t bytes = 0;
  for (uint32_t b = 0; b < l->plan->buffer_count; b++)
    if (l->buffers[b] && count_of(l, &l->plan->buffers[b].type) == count)
      bytes += (int64_t)gj_dtype_bytes(l->plan->buffers[b].type.dtype);
  return bytes;
}

// Whether every row that is stored is so many whole lines.
static bool is_lines(const gj__lower *l, const gj_kernel *kernel, gj_dim row) {
  bool lines = gj_dim_is_const(row) && row > 0;
  for (uint32_t i = 0; lines && i < kernel->store_count; i++) {
    gj_dtype dtype = gj_graph_node(l->graph, kernel->stores[i].ref)->type.dtype;
    lines = row % (LINE / (int64_t)gj_dtype_bytes(dtype)) == 0;
  }
  return lines;
}

// Whether what is stored begins at a multiple of a vector, asked at run time.
static const gj_lexpr *is_aligned(gj__lower *l, const gj_kernel *kernel) {
  int64_t bytes = l->vector_bytes > 0 ? (int64_t)l->vector_bytes : LINE;
  const gj_lexpr *all = gj__i64(l, 0);
  for (uint32_t i = 0; i < kernel->store_count; i++) {
    const gj_lexpr *at = gj_lx_address(l->m, l->buffers[kernel->stores[i].buffer]);
    all = i == 0 ? at : gj_lx_binary(l->m, GJ_OP_or, all, at);
  }
  const gj_lexpr *rest = gj_lx_binary(l->m, GJ_OP_and, all, gj__i64(l, bytes - 1));
  return gj_lx_binary(l->m, GJ_OP_eq, rest, gj__i64(l, 0));
}

void gj__stream_begin(gj__lower *l, const gj_kernel *kernel, bool flat) {
  uint8_t axes[GJ_MAX_RANK];
  unsigned rank = gj__loop_axes(&kernel->domain, axes);
  gj_dim count = count_of(l, &kernel->domain);
  l->stream = NULL;
  int64_t bytes = l->stream_bytes > 0 && rank > 0 && count != GJ_DIM_ERROR ? bytes_of(l, count) : 0;
  if (bytes == 0)
    return;
  const gj_lexpr *many = gj__i64(l, l->stream_bytes / bytes);
  const gj_lexpr *stream = gj_lx_binary(l->m, GJ_OP_gt, gj__dim(l, count), many);
  gj_dim inner = kernel->domain.shape[axes[rank - 1]];
  if (!flat && !is_lines(l, kernel, inner)) {
    const gj_lexpr *row = gj__dim(l, inner);
    const gj_lexpr *long_row = gj_lx_binary(l->m, GJ_OP_ge, row, gj__i64(l, SHORT_ROW));
    bool known = long_row->kind == GJ_LX_CONST;
    if (known && !long_row->value.v.u)
      return;
    stream = known ? stream : gj_lx_binary(l->m, GJ_OP_and, stream, long_row);
  }
  if (stream->kind == GJ_LX_CONST && !stream->value.v.u)
    return;
  if (!flat && is_lines(l, kernel, inner) && inner < SHORT_ROW)
    stream = gj_lx_binary(l->m, GJ_OP_and, stream, is_aligned(l, kernel));
  gj__enter(l, &l->f->body);
  l->stream = stream->kind == GJ_LX_CONST ? stream : gj__let(l, "large", stream);
}

void gj__stream_end(gj__lower *l) {
  if (!l->stream)
    return;
  gj_lblock *to = &l->f->body;
  if (l->stream->kind != GJ_LX_CONST)
    to = &gj_ls_if(l->m, l->f, to, l->stream)->body;
  gj_ls_fence(l->m, l->f, to);
  l->stream = NULL;
}
