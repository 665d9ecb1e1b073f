// Where code comes from: this process, the disk, or the compiler.
//
// Code in use is in a table by key, so equal graphs and functions share it; it leaves the table
// with its last user. Two threads that compile equal ones at once both do the work, and the second
// one drops its own: waiting for the first would tie one compile to another.
#include "jit/code/compiled.h"

#include "base/clock.h"
#include "cache/disk.h"
#include "jit/observe/perf_map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 256 };

static struct {
  pthread_mutex_t lock;
  gj_compiled *chains[CHAINS];
  size_t bytes; // of everything that lives, in the table or not
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static gj_compiled **chain_of(const gj_digest *key) {
  return &table.chains[key->bytes[0] % CHAINS];
}

static gj_compiled *find_locked(const gj_digest *key) {
  gj_compiled *c = *chain_of(key);
  while (c && memcmp(&c->key, key, sizeof *key) != 0)
    c = c->next;
  if (c)
    c->references++;
  return c;
}

static gj_compiled *find(const gj_digest *key) {
  pthread_mutex_lock(&table.lock);
  gj_compiled *c = find_locked(key);
  pthread_mutex_unlock(&table.lock);
  return c;
}

size_t gj__compiled_bytes(void) {
  pthread_mutex_lock(&table.lock);
  size_t bytes = table.bytes;
  pthread_mutex_unlock(&table.lock);
  return bytes;
}

static void destroy(gj_compiled *c) {
  if (!c)
    return;
  gj_jit_unload(c->code);
  gj_constants_fini(&c->constants);
  free(c->scratch);
  free(c->remarks);
  free(c);
}

// `graph` may be NULL.
static gj_compiled *new_compiled(const gj_graph *graph, gj_error *err) {
  gj_compiled *c = calloc(1, sizeof *c);
  if (!c) {
    gj_fail(err, GJ_E_MEMORY, "compile: out of memory");
    return NULL;
  }
  c->references = 1;
  if (graph && gj_constants_init(&c->constants, graph, err) != GJ_OK) {
    destroy(c);
    return NULL;
  }
  return c;
}

void gj__compiled_release(gj_compiled *c) {
  if (!c)
    return;
  pthread_mutex_lock(&table.lock);
  bool last = --c->references == 0;
  if (last) {
    table.bytes -= c->code_bytes;
    for (gj_compiled **at = chain_of(&c->key); c->shared && *at; at = &(*at)->next)
      if (*at == c) {
        *at = c->next;
        break;
      }
  }
  pthread_mutex_unlock(&table.lock);
  if (last)
    destroy(c);
}

// Takes `c` over and returns it, or what another thread has entered meanwhile.
static gj_compiled *enter(gj_compiled *c, const gj_digest *key) {
  pthread_mutex_lock(&table.lock);
  gj_compiled *other = key ? find_locked(key) : NULL;
  if (!other) {
    table.bytes += c->code_bytes;
    if (key) {
      c->key = *key;
      c->shared = true;
      c->next = *chain_of(key);
      *chain_of(key) = c;
    }
  }
  pthread_mutex_unlock(&table.lock);
  if (!other)
    return c;
  destroy(c);
  return other;
}

static gj_status load(gj_compiled *c, const gj_parts *parts, gj_program_stats *stats,
                      gj_error *err) {
  double start = gj_clock_ms();
  gj_status status =
      gj_jit_load_all(parts->objects, parts->count, c->constants.count ? &c->constants : NULL,
                      GJ__ENTRY_SYMBOL, &c->code, &c->entry, err);
  stats->load_ms = gj_clock_ms() - start;
  return status;
}

// Code from the disk, or NULL. A file that does not load counts as none and is written anew.
static gj_compiled *from_disk(const gj_digest *key, const gj_graph *graph,
                              gj_program_stats *stats) {
  unsigned char *bytes;
  size_t size;
  gj_parts parts;
  gj_error err;
  if (!gj_disk_read(gj_disk_default(), key, &bytes, &size))
    return NULL;
  gj_compiled *c = new_compiled(graph, &err);
  if (c && (!gj__compiled_read(bytes, size, c, &parts) || load(c, &parts, stats, &err) != GJ_OK)) {
    destroy(c);
    c = NULL;
  }
  free(bytes);
  return c;
}

static void to_disk(const gj_digest *key, const gj_compiled *c, const gj_parts *parts) {
  gj_strbuf bytes = {0};
  if (gj_disk_default()->folder && gj__compiled_write(c, parts, &bytes))
    gj_disk_write(gj_disk_default(), key, bytes.data, bytes.size);
  gj_strbuf_fini(&bytes);
}

// Compiles; `key` is NULL when the result is not kept.
static gj_status compile(const gj_digest *key, const gj__maker *maker, gj_compiled **out_compiled,
                         gj_program_stats *stats, gj_error *err) {
  gj_parts parts = {0};
  gj_compiled *c = new_compiled(maker->graph, err);
  if (!c)
    return GJ_E_MEMORY;
  gj_status status = maker->make(maker->source, c, &parts, stats, err);
  for (size_t i = 0; status == GJ_OK && i < parts.count; i++)
    c->code_bytes += parts.objects[i].size;
  if (status == GJ_OK)
    status = load(c, &parts, stats, err);
  if (status == GJ_OK && maker->name && gj_perf_map_is_on())
    maker->name(maker->source, c, &parts.objects[0]);
  double start = gj_clock_ms();
  if (status == GJ_OK && key)
    to_disk(key, c, &parts);
  stats->cache_ms += gj_clock_ms() - start;
  gj__parts_fini(&parts);
  if (status != GJ_OK) {
    destroy(c);
    return status;
  }
  *out_compiled = enter(c, key);
  return GJ_OK;
}

bool gj__compiled_may_keep(bool cache) {
  return cache && !gj_disk_is_off() && !gj_perf_map_is_on();
}

static void tell(const gj_compiled *c, gj_program_stats *stats) {
  stats->nodes_after = c->nodes;
  stats->kernels = c->kernels;
  stats->code_bytes = c->code_bytes;
}

gj_compiled *gj__compiled_known(const gj_digest *key, const gj_graph *graph,
                                gj_program_stats *stats) {
  double start = gj_clock_ms();
  gj_compiled *c = find(key);
  stats->cache = GJ_CACHE_MEMORY;
  if (!c && (c = from_disk(key, graph, stats)) != NULL) {
    stats->cache = GJ_CACHE_DISK;
    c = enter(c, key);
  }
  stats->cache_ms += gj_clock_ms() - start - stats->load_ms;
  if (c)
    tell(c, stats);
  return c;
}

gj_status gj__compiled_find(const gj_digest *key, const gj__maker *maker,
                            gj_compiled **out_compiled, gj_program_stats *stats, gj_error *err) {
  gj_compiled *c = key ? gj__compiled_known(key, maker->graph, stats) : NULL;
  if (!c) {
    stats->cache = key ? GJ_CACHE_MISS : GJ_CACHE_OFF;
    GJ_TRY(compile(key, maker, &c, stats, err));
    tell(c, stats);
  }
  *out_compiled = c;
  return GJ_OK;
}
