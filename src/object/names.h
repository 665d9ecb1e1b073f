// Names of graphs, inputs and outputs as C identifiers. Private to object/.
#ifndef GJ_OBJECT_NAMES_H
#define GJ_OBJECT_NAMES_H

#include "base/arena.h"
#include "base/table.h"
#include "object/object.h"

#include <stdbool.h>

// A name may be a function or type of C's library, which a graph had better not be called.
bool gj__c_is_identifier(const char *name); // of C11 and C++, and no word of theirs
bool gj__c_is_library(const char *name);
bool gj__c_is_vital(const char *name); // one that no program works without

// `name` as an identifier: other characters become _, and words get one at the end. NULL when out
// of memory.
char *gj__c_identifier(gj_arena *arena, const char *name);

// The symbol asked for, or else `name` made into one; `kind` is added where it could not be one.
enum { GJ__SYMBOL_MOST = 100 }; // characters
gj_status gj__object_symbol(const char *name, const char *kind, const char *symbol,
                            char out_symbol[GJ_SYMBOL_CAPACITY], gj_error *err);

// The target as code for it is made: 'strict' and 'default' know subnormal numbers everywhere.
gj_status gj__object_target(const gj_target *given, const gj_object_options *options,
                            gj_target *out, gj_error *err);

// Identifiers of one scope.
typedef struct gj__c_scope {
  gj_arena *arena;
  const char **names;
  uint32_t count, capacity;
  gj_table index; // by hash of the name, 1 + its place
  bool failed;    // out of memory
} gj__c_scope;

// `name` as an identifier that is not in the scope yet, made unique by a number; it is then. Never
// NULL, "" after a failure.
const char *gj__c_scope_add(gj__c_scope *scope, const char *name);
void gj__c_scope_fini(gj__c_scope *scope); // names stay

#endif
