// See population.h.
//
// Elements are taken out of lists before the first address is: taking one may run JavaScript, which
// may detach another. Arrays of the wrong class or length are refused here, as memory safety rests
// on it; what tokens say is checked by the core.
#include "population.h"

#include "program.h"

#include <stdlib.h>

typedef struct owner {
  gj_population *population; // NULL when disposed
  gj_dtype dtype;
  size_t variables, count;
  size_t constants;   // that can be set
  gjn_program **held; // whose code the population calls
  size_t held_count;
  int64_t reported;
} owner;

static void dispose(napi_env env, owner *o) {
  gj_population_free(o->population);
  for (size_t i = 0; i < o->held_count; i++)
    gjn_program_release(env, o->held[i]);
  free(o->held);
  o->held = NULL;
  o->held_count = 0;
  gjn_report_memory(env, -o->reported);
  o->population = NULL;
  o->reported = 0;
}

static void free_owner(napi_env env, void *data) {
  dispose(env, data);
  free(data);
}

// --- reading ---

enum { ANY_LENGTH = -1 };

// The memory of a typed array of a class, with `length` elements unless that is ANY_LENGTH.
static bool get_array(napi_env env, napi_value value, napi_typedarray_type type, int64_t length,
                      const char *name, void **out, size_t *out_length) {
  napi_typedarray_type found;
  size_t count;
  if (napi_get_typedarray_info(env, value, &found, &count, out, NULL, NULL) != napi_ok ||
      found != type || (length != ANY_LENGTH && count != (size_t)length)) {
    gjn_fail(env, GJ_E_ARGUMENT, "population: %s: expected a typed array of another class or size",
             name);
    return false;
  }
  if (out_length)
    *out_length = count;
  return true;
}

static bool get_elements(napi_env env, napi_value list, uint32_t count, napi_value *out) {
  for (uint32_t i = 0; i < count; i++)
    GJN_TRY(env, napi_get_element(env, list, i, &out[i]));
  return true;
}

static bool get_programs(napi_env env, napi_value list, gj_programs *out, size_t *out_tokens) {
  napi_value parts[3];
  void *starts, *tokens, *constants;
  size_t count;
  if (!get_elements(env, list, 3, parts) ||
      !get_array(env, parts[0], napi_uint32_array, ANY_LENGTH, "offsets", &starts, &count) ||
      !get_array(env, parts[1], napi_int32_array, ANY_LENGTH, "tokens", &tokens, out_tokens) ||
      !get_array(env, parts[2], napi_float64_array, (int64_t)*out_tokens, "constants", &constants,
                 NULL))
    return false;
  if (count == 0) {
    gjn_fail(env, GJ_E_ARGUMENT, "population: offsets: expected at least one");
    return false;
  }
  *out = (gj_programs){count - 1, starts, tokens, constants, false};
  return true;
}

static bool is_null(napi_env env, napi_value value) {
  napi_valuetype type;
  return napi_typeof(env, value, &type) == napi_ok && type == napi_null;
}

// --- functions ---

// Whether all arrays of a program have one axis of one size, and the dtype, and it takes no memory.
static bool is_block(const gj_program *program, gj_dtype dtype) {
  size_t inputs = gj_program_input_count(program);
  if (inputs < 1 || inputs > GJ_MOST_ARGS || gj_program_output_count(program) != 1)
    return false;
  const int64_t one = 1;
  const int64_t *shapes[GJ_MOST_ARGS] = {&one, &one, &one};
  for (size_t i = 0; i <= inputs; i++) {
    const gj_type *type =
        &(i < inputs ? gj_program_input(program, i) : gj_program_output(program, 0))->type;
    if (type->dtype != dtype || type->rank != 1)
      return false;
  }
  gj_binding *binding;
  gj_error err;
  if (gj_program_bind(program, shapes, &binding, &err) != GJ_OK)
    return false;
  bool ok = binding->symbol_count == 1 && binding->scratch_bytes == 0;
  gj_binding_free(binding);
  return ok;
}

static bool get_function(napi_env env, napi_value value, gj_dtype dtype, gjn_program **out_program,
                         gj_population_function *out) {
  gj_error err;
  gjn_program *own = *out_program = gjn_get_program(env, value);
  if (!own)
    return false;
  if (gj_program_finish(own->program, &err) != GJ_OK) {
    gjn_throw(env, &err);
    return false;
  }
  *out = (gj_population_function){.entry = gj_program_entry(own->program),
                                  .arity = (uint32_t)gj_program_input_count(own->program)};
  if (out->entry && is_block(own->program, dtype))
    return true;
  gjn_fail(env, GJ_E_ARGUMENT, "population: a program is no function of numbers");
  return false;
}

// The population keeps the program as long as it lives; false without memory.
static bool hold(owner *o, gjn_program *program) {
  for (size_t i = 0; i < o->held_count; i++)
    if (o->held[i] == program)
      return true;
  gjn_program **grown = realloc(o->held, (o->held_count + 1) * sizeof(gjn_program *));
  if (!grown)
    return false;
  o->held = grown;
  grown[o->held_count++] = program;
  program->references++;
  return true;
}

// --- data ---

typedef struct data_set {
  gj_population_data data;
  gj_programs term;
  gj_population_function function;
  void **columns;
} data_set;

static void data_fini(data_set *set) { free(set->columns); }

static bool get_columns(napi_env env, napi_value list, const owner *o, size_t rows, data_set *out) {
  napi_typedarray_type type = o->dtype == GJ_DTYPE_f32 ? napi_float32_array : napi_float64_array;
  napi_value *values = malloc((o->variables + 1) * sizeof *values);
  out->columns = malloc((o->variables + 1) * sizeof *out->columns);
  bool ok = values && out->columns;
  if (!ok)
    gjn_fail(env, GJ_E_MEMORY, "population: no memory for %zu columns", o->variables);
  ok = ok && get_elements(env, list, (uint32_t)o->variables, values);
  for (size_t i = 0; i < o->variables && ok; i++)
    ok = get_array(env, values[i], type, (int64_t)rows, "column", &out->columns[i], NULL);
  free(values);
  out->data.columns = (const void *const *)out->columns;
  return ok;
}

static bool get_floats(napi_env env, napi_value value, size_t length, const char *name,
                       double **out) {
  static double nothing; // an array without elements may have no address
  void *data = NULL;
  bool given = !is_null(env, value);
  if (given && !get_array(env, value, napi_float64_array, (int64_t)length, name, &data, NULL))
    return false;
  *out = given && length == 0 ? &nothing : data;
  return true;
}

// What a row adds to a loss: a term, a function, or neither.
static bool get_term(napi_env env, const napi_value *parts, owner *o, data_set *out) {
  size_t tokens;
  if (!is_null(env, parts[0])) {
    if (!get_programs(env, parts[0], &out->term, &tokens))
      return false;
    if (!out->data.targets || out->term.count != 1 || out->term.starts[1] != tokens) {
      gjn_fail(env, GJ_E_ARGUMENT, "population: a term is one program and needs targets");
      return false;
    }
    out->data.term = &out->term;
  }
  if (is_null(env, parts[1]))
    return true;
  gjn_program *program;
  if (!get_function(env, parts[1], o->dtype, &program, &out->function))
    return false;
  if (!out->data.targets || !hold(o, program)) {
    gjn_fail(env, GJ_E_ARGUMENT, "population: no targets, or no memory, for a function");
    return false;
  }
  out->data.function = &out->function;
  return true;
}

// Whatever the result, the caller calls data_fini().
static bool get_data(napi_env env, napi_value list, owner *o, data_set *out) {
  napi_value parts[6];
  uint32_t rows;
  double *targets, *weights;
  *out = (data_set){0};
  if (!get_elements(env, list, 6, parts) || !gjn_get_u32(env, parts[0], "rows", &rows) ||
      !get_columns(env, parts[1], o, rows, out) ||
      !get_floats(env, parts[2], rows, "targets", &targets) ||
      !get_floats(env, parts[3], rows, "weights", &weights))
    return false;
  out->data.rows = rows;
  out->data.targets = targets;
  out->data.weights = weights;
  return get_term(env, &parts[4], o, out);
}

static owner *get_owner(napi_env env, napi_value value) {
  owner *o = gjn_unwrap(env, value, GJN_POPULATION);
  if (!o || o->population)
    return o;
  gjn_fail(env, GJ_E_STATE, "population: disposed");
  return NULL;
}

// --- what lib/ calls ---

typedef struct parts {
  gj_programs programs, bodies;
  size_t tokens, body_tokens;
  gj_population_options options;
  void *arity;
  gj_population_function *functions;
  gjn_program **held; // of the functions
  uint32_t function_count;
} parts;

static void parts_fini(parts *p) {
  free(p->functions);
  free(p->held);
}

// Functions and, for each of their operands, the number of the derivative + 1.
static bool get_functions(napi_env env, napi_value list, napi_value derivatives, parts *p) {
  uint32_t count;
  void *numbers;
  if (!gjn_get_length(env, list, "functions", &count))
    return false;
  p->functions = malloc((count + 1) * sizeof *p->functions);
  p->held = malloc((count + 1) * sizeof(gjn_program *));
  if (!p->functions || !p->held) {
    gjn_fail(env, GJ_E_MEMORY, "population: no memory for %u functions", count);
    return false;
  }
  for (uint32_t i = 0; i < count; i++, p->function_count++) {
    napi_value value;
    GJN_TRY(env, napi_get_element(env, list, i, &value));
    if (!get_function(env, value, p->options.dtype, &p->held[i], &p->functions[i]))
      return false;
  }
  if (!get_array(env, derivatives, napi_uint32_array, GJ_MOST_ARGS * (int64_t)count, "derivatives",
                 &numbers, NULL))
    return false;
  for (uint32_t i = 0; i < count * GJ_MOST_ARGS; i++)
    p->functions[i / GJ_MOST_ARGS].derivatives[i % GJ_MOST_ARGS] = ((const uint32_t *)numbers)[i];
  return true;
}

static bool get_parts(napi_env env, const napi_value *argv, parts *p) {
  uint32_t variables;
  bool prefix;
  if (!gjn_get_dtype(env, argv[4], &p->options.dtype) || !get_functions(env, argv[8], argv[9], p) ||
      !get_programs(env, argv[0], &p->programs, &p->tokens) ||
      !gjn_get_bool(env, argv[1], "prefix", &prefix) ||
      !get_programs(env, argv[2], &p->bodies, &p->body_tokens) ||
      !get_array(env, argv[3], napi_uint8_array, (int64_t)p->bodies.count, "arity", &p->arity,
                 NULL) ||
      !gjn_get_u32(env, argv[5], "variables", &variables) ||
      !gjn_get_bool(env, argv[6], "strict", &p->options.strict) ||
      !gjn_get_bool(env, argv[7], "parameters", &p->options.parameters))
    return false;
  p->programs.prefix = prefix;
  p->options.variable_count = variables;
  if (p->options.dtype == GJ_DTYPE_f64 || p->options.dtype == GJ_DTYPE_f32)
    return true;
  gjn_fail(env, GJ_E_DTYPE, "population: expected f64 or f32");
  return false;
}

static napi_value own(napi_env env, parts *p, gj_population *population) {
  owner *o = malloc(sizeof *o);
  if (!o) {
    gj_population_free(population);
    return gjn_fail(env, GJ_E_MEMORY, "population: out of memory");
  }
  *o = (owner){.population = population,
               .dtype = p->options.dtype,
               .variables = p->options.variable_count,
               .count = p->programs.count,
               .constants = p->options.parameters ? p->tokens : 0,
               .held = p->held,
               .held_count = p->function_count};
  p->held = NULL;
  for (size_t i = 0; i < o->held_count; i++)
    o->held[i]->references++;
  napi_value object = gjn_wrap(env, GJN_POPULATION, o, free_owner);
  if (!object) {
    free_owner(env, o);
    return NULL;
  }
  o->reported = (int64_t)gj_population_bytes(population);
  gjn_report_memory(env, o->reported);
  double nodes = (double)gj_population_node_count(population);
  return gjn_set_number(env, object, "nodes", nodes) ? object : NULL;
}

napi_value gjn_population_new(napi_env env, napi_callback_info info) {
  napi_value argv[10], result = NULL;
  parts p = {0};
  gj_population *population;
  gj_error err;
  if (gjn_get_args(env, info, 10, argv) && get_parts(env, argv, &p)) {
    gj_operators operators = {p.arity, p.bodies, p.functions, p.function_count};
    if (gj_population_new(&p.programs, p.tokens, &operators, p.body_tokens, &p.options, &population,
                          &err) == GJ_OK)
      result = own(env, &p, population);
    else
      gjn_throw(env, &err);
  }
  parts_fini(&p);
  return result;
}

napi_value gjn_population_dispose(napi_env env, napi_callback_info info) {
  napi_value argv[1];
  if (!gjn_get_args(env, info, 1, argv))
    return NULL;
  owner *o = gjn_unwrap(env, argv[0], GJN_POPULATION);
  if (o)
    dispose(env, o);
  return NULL;
}

// What each call that runs begins with: the population, its data, and threads. NULL when an error
// is pending.
static owner *get_call(napi_env env, napi_callback_info info, size_t count, napi_value *argv,
                       uint32_t *threads) {
  owner *o = gjn_get_args(env, info, count, argv) ? get_owner(env, argv[0]) : NULL;
  return o && gjn_get_u32(env, argv[2], "threads", threads) ? o : NULL;
}

napi_value gjn_population_predict(napi_env env, napi_callback_info info) {
  napi_value argv[4];
  uint32_t threads;
  owner *o = get_call(env, info, 4, argv, &threads);
  if (!o)
    return NULL;
  data_set set;
  void *out;
  gj_error err;
  napi_typedarray_type type = o->dtype == GJ_DTYPE_f32 ? napi_float32_array : napi_float64_array;
  if (get_data(env, argv[1], o, &set) &&
      get_array(env, argv[3], type, (int64_t)(o->count * set.data.rows), "out", &out, NULL) &&
      gj_population_predict(o->population, &set.data, threads, out, &err) != GJ_OK)
    gjn_throw(env, &err);
  data_fini(&set);
  return NULL;
}

static bool get_fitness(napi_env env, const napi_value *argv, size_t count, gj_fitness *out) {
  uint32_t loss;
  if (!gjn_get_u32(env, argv[3], "loss", &loss) ||
      !gjn_get_bool(env, argv[4], "scale", &out->scale) ||
      !get_floats(env, argv[6], count, "losses", &out->losses) ||
      !get_floats(env, argv[7], count, "intercepts", &out->intercepts) ||
      !get_floats(env, argv[8], count, "slopes", &out->slopes))
    return false;
  GJN_TRY(env, napi_get_value_double(env, argv[5], &out->bound));
  out->loss = (gj_loss)loss;
  if (loss <= GJ_LOSS_CORRELATION && out->losses &&
      (!out->scale || (out->intercepts && out->slopes)))
    return true;
  gjn_fail(env, GJ_E_ARGUMENT, "population: a loss, or an array for results, is missing");
  return false;
}

napi_value gjn_population_fitness(napi_env env, napi_callback_info info) {
  napi_value argv[9];
  uint32_t threads;
  owner *o = get_call(env, info, 9, argv, &threads);
  if (!o)
    return NULL;
  data_set set;
  gj_fitness fitness = {0};
  gj_error err;
  bool ok = get_data(env, argv[1], o, &set) && get_fitness(env, argv, o->count, &fitness);
  if (ok && !set.data.targets)
    gjn_fail(env, GJ_E_ARGUMENT, "population: a loss needs targets");
  else if (ok && gj_population_fitness(o->population, &set.data, threads, &fitness, &err) != GJ_OK)
    gjn_throw(env, &err);
  data_fini(&set);
  return NULL;
}

napi_value gjn_population_fit(napi_env env, napi_callback_info info) {
  napi_value argv[6];
  uint32_t threads, rounds;
  owner *o = get_call(env, info, 6, argv, &threads);
  if (!o || !gjn_get_u32(env, argv[3], "rounds", &rounds))
    return NULL;
  data_set set;
  double *constants, *losses;
  gj_error err;
  bool ok = get_data(env, argv[1], o, &set) &&
            get_floats(env, argv[4], o->constants, "constants", &constants) &&
            get_floats(env, argv[5], o->count, "losses", &losses);
  if (ok && (!set.data.targets || !constants || !losses))
    gjn_fail(env, GJ_E_ARGUMENT, "population: targets, or an array for results, are missing");
  else if (ok && gj_population_fit(o->population, &set.data, threads, rounds, constants, losses,
                                   &err) != GJ_OK)
    gjn_throw(env, &err);
  data_fini(&set);
  return NULL;
}
