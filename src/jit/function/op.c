// Compiled functions as ops. See op.h.
//
// Arrays that a function writes are copied first, as operands of graphs never change, and so is its
// result, which may lie in one of them. Memory that it takes besides is freed with the call.
#include "jit/function/op.h"

#include "ir/custom.h"
#include "ops/literal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, MOST_SLOTS = 1024, NONE = MOST_SLOTS };

typedef enum port_kind {
  PORT_ARRAY = 'a',
  PORT_WRITTEN = 'w',
  PORT_SCALAR = 's',
  PORT_SIZE = 'd',
  PORT_STRIDE = 't',
  PORT_RESULT = 'o'
} port_kind;

typedef enum result_kind {
  RESULT_PLAIN = 'r',
  RESULT_NUMBERS = 'n',
  RESULT_ARRAY = 'a',
  RESULT_WRITTEN = 'o',
  RESULT_CONSTANT = '='
} result_kind;

typedef struct operand {
  gj_dtype dtype;
  uint32_t rank;
} operand;

typedef struct port {
  char kind; // port_kind
  uint32_t operand, axis;
  int64_t length; // that an array must have; -1: any
} port;

// A number among RESULT_NUMBERS.
typedef struct part {
  uint32_t slot, tag; // NONE: there is none
  gj_dtype from;
  uint64_t bits; // where there is no slot
} part;

typedef struct result {
  char kind; // result_kind
  operand made;
  uint32_t slot;
  uint64_t bits; // of a RESULT_CONSTANT
  uint32_t part_count;
  part parts[MOST];
} result;

typedef struct function_op {
  gj_custom face; // first
  gj_function *function;
  char *name; // and behind it the rest of the description
  char **sites;
  size_t site_count;
  uint32_t operand_count, port_count, slot_count;
  result result;
  operand operands[MOST];
  port ports[MOST];
} function_op;

// --- reading the description ---

// The next word of a line, which loses it; NULL at its end.
static char *next_word(char **line) {
  char *word = *line + strspn(*line, " ");
  if (*word == '\0')
    return NULL;
  size_t length = strcspn(word, " ");
  *line = word + length + (word[length] != '\0');
  word[length] = '\0';
  return word;
}

static bool read_dtype(const char *text, gj_dtype *out) {
  *out = text ? gj_dtype_parse(text, strlen(text)) : GJ_DTYPE_none;
  return *out != GJ_DTYPE_none;
}

static bool read_operand(char *word, operand *out) {
  char *rank = word ? strchr(word, '/') : NULL;
  if (!rank)
    return false;
  *rank = '\0';
  out->rank = (uint32_t)strtoul(rank + 1, NULL, 10);
  return read_dtype(word, &out->dtype) && out->rank <= GJ_MAX_RANK;
}

static bool read_operands(function_op *op, char *line) {
  for (char *word; (word = next_word(&line)) && strcmp(word, "->") != 0; op->operand_count++)
    if (op->operand_count == MOST || !read_operand(word, &op->operands[op->operand_count]))
      return false;
  return read_operand(next_word(&line), &op->result.made);
}

static bool read_port(const function_op *op, const char *word, port *out) {
  char *rest;
  *out = (port){.kind = word[0], .operand = (uint32_t)strtoul(word + 1, &rest, 10), .length = -1};
  if (out->kind == PORT_RESULT)
    return word[1] == '\0';
  if (out->operand >= op->operand_count)
    return false;
  switch (out->kind) {
  case PORT_ARRAY:
  case PORT_WRITTEN:
    if (*rest == '=')
      out->length = strtoll(rest + 1, &rest, 10);
    return *rest == '\0';
  case PORT_SCALAR:
    return *rest == '\0' && op->operands[out->operand].rank == 0;
  case PORT_SIZE:
  case PORT_STRIDE:
    if (*rest != '.')
      return false;
    out->axis = (uint32_t)strtoul(rest + 1, &rest, 10);
    return *rest == '\0' && out->axis < op->operands[out->operand].rank;
  default:
    return false;
  }
}

static bool read_ports(function_op *op, char *line) {
  for (char *word; (word = next_word(&line)); op->port_count++)
    if (op->port_count == MOST || !read_port(op, word, &op->ports[op->port_count]))
      return false;
  return true;
}

// "5:i32", "5:i32:6" or "=4008000000000000"
static bool read_part(char *word, part *out) {
  *out = (part){.slot = NONE, .tag = NONE};
  if (word[0] == '=') {
    out->bits = strtoull(word + 1, NULL, 16);
    return true;
  }
  char *dtype = strchr(word, ':'), *tag = dtype ? strchr(dtype + 1, ':') : NULL;
  if (!dtype)
    return false;
  if (tag) {
    out->tag = (uint32_t)strtoul(tag + 1, NULL, 10);
    *tag = '\0';
  }
  out->slot = (uint32_t)strtoul(word, NULL, 10);
  return read_dtype(dtype + 1, &out->from);
}

static bool read_parts(result *r, char *line) {
  for (char *word; (word = next_word(&line)); r->part_count++)
    if (r->part_count == MOST || !read_part(word, &r->parts[r->part_count]))
      return false;
  return r->made.dtype == GJ_DTYPE_f64 && (r->made.rank == 1 || r->part_count == 1);
}

static bool read_result(result *r, char *line) {
  const char *kind = next_word(&line);
  r->kind = kind ? kind[0] : '\0';
  if (r->kind == RESULT_NUMBERS)
    return read_parts(r, line);
  if (r->kind == RESULT_WRITTEN)
    return true;
  const char *word = next_word(&line);
  if (!word)
    return false;
  r->slot = (uint32_t)strtoul(word, NULL, 10);
  r->bits = strtoull(word, NULL, 16);
  return r->kind == RESULT_ARRAY ||
         ((r->kind == RESULT_CONSTANT || r->kind == RESULT_PLAIN) && r->made.rank == 0);
}

static bool read_slots(function_op *op, const char *line) {
  const result *r = &op->result;
  uint32_t count = op->slot_count = (uint32_t)strtoul(line, NULL, 10);
  for (uint32_t i = 0; i < r->part_count; i++) {
    const part *p = &r->parts[i];
    if ((p->slot >= count && p->slot != NONE) || (p->tag >= count && p->tag != NONE))
      return false;
  }
  uint32_t taken = r->kind == RESULT_ARRAY ? 3 : r->kind == RESULT_PLAIN;
  return count < MOST_SLOTS && taken <= count && r->slot <= count - taken;
}

enum { NAME, OPERANDS, PORTS, RESULT, SLOTS, LINES };

// Takes `text`, its name, apart.
static bool read_description(function_op *op, char *text) {
  char *lines[LINES] = {NULL};
  size_t count = 0, capacity = 1;
  for (const char *at = text; *at; at++)
    capacity += *at == '\n';
  op->sites = calloc(capacity, sizeof *op->sites);
  if (!op->sites)
    return false;
  for (char *at = text, *next; at; at = next, count++) {
    next = strchr(at, '\n');
    if (next)
      *next++ = '\0';
    if (count < LINES)
      lines[count] = at;
    else
      op->sites[op->site_count++] = at;
  }
  return count >= LINES && read_operands(op, lines[OPERANDS]) && read_ports(op, lines[PORTS]) &&
         read_result(&op->result, lines[RESULT]) && read_slots(op, lines[SLOTS]);
}

// --- what went wrong ---

static void put_value(char kind, uint64_t slot, gj_strbuf *out) {
  double number;
  memcpy(&number, &slot, sizeof number);
  if (kind == 2)
    gj_strbuf_printf(out, "%lld", (long long)slot);
  else if (kind == 3)
    gj_strbuf_printf(out, "%llu", (unsigned long long)slot);
  else if (kind == 4)
    gj_strbuf_text(out, number != 0 ? "true" : "false");
  else if (!isfinite(number))
    gj_strbuf_text(out, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
  else if (number == trunc(number) && fabs(number) < 1e21)
    gj_strbuf_printf(out, "%.0f", number == 0 ? 0 : number);
  else
    gj__literal_print(GJ_DTYPE_f64, &number, out);
}

static void refuse_site(const gj_exec *exec, const char *site, const uint64_t *slots) {
  gj_strbuf text = {0};
  for (uint32_t value = 0; *site; site++)
    if (*site >= 1 && *site <= 4)
      put_value(*site, slots[value < MOST_SLOTS ? value++ : 0], &text);
    else
      gj_strbuf_char(&text, *site);
  gj_custom_refuse(exec, GJ_E_CALL, "%s", gj_strbuf_peek(&text));
  gj_strbuf_fini(&text);
}

static int32_t refuse_status(const function_op *op, const gj_exec *exec, int32_t status,
                             const uint64_t *slots) {
  size_t site = (size_t)status - GJ_RUN_THREW;
  if (status >= GJ_RUN_THREW && site < op->site_count)
    refuse_site(exec, op->sites[site], slots);
  else if (status == GJ_RUN_CANCELLED)
    gj_custom_refuse(exec, GJ_E_CANCELLED, "cancelled");
  else if (status == GJ_RUN_NO_MEMORY)
    gj_custom_refuse(exec, GJ_E_MEMORY, "%s: out of memory for an array", op->name);
  else if (status == GJ_RUN_TOO_DEEP)
    gj_custom_refuse(exec, GJ_E_CALL, "%s: maximum call stack size exceeded", op->name);
  else
    gj_custom_refuse(exec, GJ_E_INTERNAL, "%s: compiled code returned %d", op->name, (int)status);
  return status;
}

// --- calls ---

// An operand of this call.
typedef struct given {
  void *data;
  const int64_t *shape;
  int64_t count;
} given;

typedef struct frame {
  given operands[MOST];
  void *buffers[MOST + 1];
  int64_t dims[MOST];
  uint64_t slots[MOST_SLOTS];
} frame;

// Of an empty array there may be no address, which code asks for all the same.
static uint64_t nowhere[MOST];

static int64_t count_of(const int64_t *shape, uint32_t rank) {
  int64_t count = 1;
  for (uint32_t axis = 0; axis < rank; axis++)
    count *= shape[axis];
  return count;
}

static int64_t stride_of(const given *own, uint32_t rank, uint32_t axis) {
  return count_of(own->shape + axis + 1, rank - axis - 1);
}

static void *copy_of(const given *own, gj_dtype dtype, gj_run_heap *heap) {
  int64_t bytes = (int64_t)gj_dtype_bytes(dtype);
  void *copy = heap->face.alloc(&heap->face, own->count, bytes);
  if (copy)
    memcpy(copy, own->data, (size_t)(own->count * bytes));
  return copy;
}

static int32_t fill_array(const function_op *op, const port *p, uint32_t array, frame *f,
                          gj_run_heap *heap, const gj_exec *exec) {
  const given *own = &f->operands[p->operand];
  f->dims[array] = own->count;
  f->buffers[1 + array] = own->count > 0 ? own->data : &nowhere[array];
  if (p->length >= 0 && own->count != p->length) {
    gj_custom_refuse(exec, GJ_E_CALL, "%s: expected an array of %lld elements, got %lld", op->name,
                     (long long)p->length, (long long)own->count);
    return GJ_RUN_REFUSED;
  }
  if (p->kind != PORT_WRITTEN || own->count == 0)
    return 0;
  f->buffers[1 + array] = copy_of(own, op->operands[p->operand].dtype, heap);
  return f->buffers[1 + array] ? 0 : refuse_status(op, exec, GJ_RUN_NO_MEMORY, f->slots);
}

// What the function takes; returns where sizes of the result begin, NULL where it must not run.
static const int64_t *fill(const function_op *op, void *const *buffers, const int64_t *sizes,
                           frame *f, gj_run_heap *heap, const gj_exec *exec) {
  for (uint32_t i = 0; i < op->operand_count; sizes += op->operands[i++].rank)
    f->operands[i] = (given){buffers[i], sizes, count_of(sizes, op->operands[i].rank)};
  uint32_t array = 0, slot = 0;
  f->buffers[0] = f->slots;
  for (uint32_t i = 0; i < op->port_count; i++) {
    const port *p = &op->ports[i];
    if (p->kind == PORT_RESULT) {
      f->dims[array] = count_of(sizes, op->result.made.rank);
      f->buffers[1 + array++] = buffers[op->operand_count];
      continue;
    }
    const given *own = &f->operands[p->operand];
    const operand *type = &op->operands[p->operand];
    if (p->kind == PORT_ARRAY || p->kind == PORT_WRITTEN) {
      if (fill_array(op, p, array++, f, heap, exec) != 0)
        return NULL;
      continue;
    }
    f->slots[slot] = 0;
    if (p->kind == PORT_SCALAR && type->dtype == GJ_DTYPE_bool)
      f->slots[slot] = *(const uint8_t *)own->data != 0; // what comes from outside may be any byte
    else if (p->kind == PORT_SCALAR)
      memcpy(&f->slots[slot], own->data, gj_dtype_bytes(type->dtype));
    else
      f->slots[slot] = (uint64_t)(p->kind == PORT_SIZE ? own->shape[p->axis]
                                                       : stride_of(own, type->rank, p->axis));
    slot++;
  }
  return sizes;
}

// undefined is NaN where a number is wanted, null 0, and a boolean a number already.
static double number_of(const part *p, const uint64_t *slots) {
  gj_scalar value = {.dtype = GJ_DTYPE_f64};
  if (p->slot == NONE)
    memcpy(&value.v.f, &p->bits, sizeof value.v.f);
  else
    value = gj_scalar_load(p->from, &slots[p->slot]);
  int32_t tag = p->tag == NONE ? 0 : (int32_t)slots[p->tag];
  if (tag == 1 || tag == 2)
    return tag == 1 ? (double)NAN : 0;
  switch ((gj_dtype_kind)gj_dtype_get((gj_dtype)value.dtype)->kind) {
  case GJ_KIND_FLOAT:
    return value.v.f;
  case GJ_KIND_INT:
    return (double)value.v.i;
  default:
    return (double)value.v.u;
  }
}

static void take_plain(const result *r, const uint64_t *slots, void *out) {
  uint64_t bits = r->kind == RESULT_CONSTANT ? r->bits : slots[r->slot];
  if (r->made.dtype == GJ_DTYPE_bool)
    bits &= 1;
  memcpy(out, &bits, gj_dtype_bytes(r->made.dtype));
}

static void take_array(const function_op *op, const uint64_t *slots, int64_t count, void *out) {
  const result *r = &op->result;
  if (r->kind == RESULT_ARRAY && count > 0)
    memcpy(out, (const void *)(uintptr_t)slots[r->slot],
           (size_t)count * gj_dtype_bytes(r->made.dtype));
  for (uint32_t i = 0; i < r->part_count; i++)
    ((double *)out)[i] = number_of(&r->parts[i], slots);
}

// `shape`: what the graph says that the result has.
static int32_t take_result(const function_op *op, const uint64_t *slots, const int64_t *shape,
                           void *out, const gj_exec *exec) {
  const result *r = &op->result;
  if (r->kind == RESULT_PLAIN || r->kind == RESULT_CONSTANT) {
    take_plain(r, slots, out);
    return 0;
  }
  if (r->kind == RESULT_WRITTEN)
    return 0;
  int64_t wanted = count_of(shape, r->made.rank);
  int64_t count = r->kind == RESULT_ARRAY ? (int64_t)slots[r->slot + 1] : r->part_count;
  if (count != wanted) {
    gj_custom_refuse(exec, GJ_E_CALL, "%s: returned %lld elements where its shape has %lld",
                     op->name, (long long)count, (long long)wanted);
    return GJ_RUN_REFUSED;
  }
  take_array(op, slots, count, out);
  return 0;
}

static int32_t call(const gj_custom *custom, void *const *buffers, const int64_t *sizes,
                    const gj_exec *exec) {
  const function_op *op = (const function_op *)custom;
  gj_run_heap heap;
  frame f; // of which only what there are operands and slots for is used
  gj_heap_init(&heap);
  int32_t status = GJ_RUN_REFUSED;
  const int64_t *shape = fill(op, buffers, sizes, &f, &heap, exec);
  if (shape) {
    status = gj_function_run_within(op->function, f.buffers, f.dims, exec, &heap);
    status = status != 0 ? refuse_status(op, exec, status, f.slots)
                         : take_result(op, f.slots, shape, buffers[op->operand_count], exec);
  }
  gj_heap_fini(&heap);
  return status;
}

// --- nodes ---

static bool is_like(const operand *own, const gj_type *type) {
  return type->dtype == own->dtype && type->rank == own->rank;
}

static gj_status check(const gj_custom *custom, const gj_graph *graph, const gj_node *node,
                       gj_error *err) {
  const function_op *op = (const function_op *)custom;
  bool ok = node->arg_count == op->operand_count && is_like(&op->result.made, &node->type);
  for (uint32_t i = 0; ok && i < node->arg_count; i++)
    ok = is_like(&op->operands[i], &gj_graph_node(graph, node->args[i])->type);
  return ok ? GJ_OK
            : gj_fail(err, GJ_E_ARGUMENT,
                      "custom_call: \"%s\" is a native function of other operands, or another "
                      "result",
                      node->name);
}

// --- registering ---

static void free_op(function_op *op) {
  if (!op)
    return;
  gj_function_free(op->function);
  free(op->name);
  free(op->sites);
  free(op);
}

static gj_status new_op(const char *text, size_t size, const gj_function_options *options,
                        const char *description, function_op **out_op, gj_error *err) {
  function_op *op = calloc(1, sizeof *op);
  char *own = malloc(strlen(description) + 1);
  *out_op = op;
  if (!op || !own) {
    free(own);
    return gj_fail(err, GJ_E_MEMORY, "native: out of memory for an op");
  }
  strcpy(own, description);
  op->name = own; // the first line, which holds all others
  op->face = (gj_custom){.call = call, .check = check};
  if (!read_description(op, own))
    return gj_fail(err, GJ_E_INTERNAL, "native: not what an op takes and gives: %.200s",
                   description);
  return gj_function_compile(text, size, options, &op->function, err);
}

gj_status gj_function_op_register(const char *name, const char *text, size_t size,
                                  const gj_function_options *options, const char *description,
                                  gj_error *err) {
  const gj_custom *known = gj_custom_find(name);
  if (known && known->call == call)
    return GJ_OK;
  function_op *op;
  gj_status status = new_op(text, size, options, description, &op, err);
  if (status == GJ_OK)
    status = gj_custom_add(name, &op->face, err);
  if (status == GJ_OK)
    return GJ_OK;
  free_op(op);
  known = gj_custom_find(name); // by another thread, meanwhile
  return known && known->call == call ? GJ_OK : status;
}
