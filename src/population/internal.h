// What the files of this folder know of a population.
#ifndef GJ_POPULATION_INTERNAL_H
#define GJ_POPULATION_INTERNAL_H

#include "population/population.h"
#include "population/run.h"

struct gj_population {
  size_t count; // of programs
  gj_population_options options;
  gj__nodes nodes;
  uint32_t *roots;   // [count]
  double *constants; // beside the tokens, with `parameters`
  size_t constant_count;
  const gj_block_set *set;
  gj__kept kept;
};

// A run's data with the target as one column more, which terms read.
typedef struct gj__view {
  gj__table table;
  const void **columns;
  float *narrow; // the target in f32
} gj__view;

gj_status gj__view_make(const gj_population *population, const gj_population_data *data,
                        gj__view *view, gj_error *err);
void gj__view_fini(gj__view *view);

// All rows of the view for the sinks; what takes their values is for the caller to add.
gj__run gj__run_of(gj_population *population, const gj__view *view, const gj__sinks *sinks,
                   unsigned threads);

// The nodes whose values a term makes of the roots, or the roots. nodes[count], malloc.
gj_status gj__terms(gj_population *population, const gj_population_data *data, uint32_t **out_nodes,
                    gj_error *err);
static inline bool gj__has_term(const gj_population_data *data) {
  return data->term || data->function;
}

#endif
