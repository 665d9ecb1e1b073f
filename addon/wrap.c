// What JavaScript objects own: wrapped objects, functions with data, and when that is freed.
//
// Node calls finalizers in a later turn of the event loop. A program that compiles in one long loop
// has no such turn, and what its collected objects own would lie until the end. So each owner is
// in a ring, and each new one looks at a few of them: an object that the collector has taken has
// left its weak reference empty, and what it owned is freed at once; deleting the reference takes
// the finalizer out of Node's queue. With LOOKS at each new owner, a ring of n is gone through
// while n / LOOKS are made, so at most that many of them wait here.

#include "helpers.h"

#include <stdlib.h>

enum { LOOKS = 4 };

struct gjn_owner {
  gjn_owner *next, *previous; // in the ring
  napi_ref object;            // weak
  gjn_free *free;
  void *data;
};

// --- the ring ---

static void enter(gjn_instance *instance, gjn_owner *owner) {
  gjn_owner *at = instance->owners;
  owner->next = at ? at : owner;
  owner->previous = at ? at->previous : owner;
  owner->next->previous = owner->previous->next = owner;
  instance->owners = owner->next; // the new one is looked at last
}

static void leave(gjn_instance *instance, gjn_owner *owner) {
  if (instance->owners == owner)
    instance->owners = owner->next == owner ? NULL : owner->next;
  owner->next->previous = owner->previous;
  owner->previous->next = owner->next;
}

static void let_go(napi_env env, gjn_owner *owner) {
  leave(gjn_get_instance(env), owner);
  napi_delete_reference(env, owner->object);
  owner->free(env, owner->data);
  free(owner);
}

static void finalize(napi_env env, void *data, void *hint) {
  (void)hint;
  let_go(env, data);
}

static void sweep(napi_env env, gjn_instance *instance) {
  for (int i = 0; i < LOOKS && instance->owners; i++) {
    gjn_owner *owner = instance->owners;
    napi_value object = NULL;
    instance->owners = owner->next;
    if (napi_get_reference_value(env, owner->object, &object) == napi_ok && !object)
      let_go(env, owner);
  }
}

static gjn_owner *new_owner(napi_env env, void *data, gjn_free *free_data) {
  sweep(env, gjn_get_instance(env));
  gjn_owner *owner = calloc(1, sizeof *owner);
  if (!owner)
    gjn_fail(env, GJ_E_MEMORY, "no memory for an object");
  else
    *owner = (gjn_owner){.free = free_data, .data = data};
  return owner;
}

// --- wrapped objects ---

// The address of a static differs between two copies of the addon that are loaded at the same time.
static napi_type_tag tag_of(gjn_kind kind) {
  static const char anchor[GJN_KIND_COUNT];
  return (napi_type_tag){(uint64_t)(uintptr_t)&anchor[kind], UINT64_C(0x67726170686A6974)};
}

static napi_value wrap(napi_env env, gjn_kind kind, gjn_owner *owner) {
  napi_type_tag tag = tag_of(kind);
  napi_value object;
  GJN_TRY(env, napi_create_object(env, &object));
  // Tagged first: once wrapped, the object's collection frees what it owns.
  GJN_TRY(env, napi_type_tag_object(env, object, &tag));
  GJN_TRY(env, napi_wrap(env, object, owner, finalize, NULL, &owner->object));
  return object;
}

napi_value gjn_wrap(napi_env env, gjn_kind kind, void *data, gjn_free *free_data) {
  gjn_owner *owner = new_owner(env, data, free_data);
  napi_value object = owner ? wrap(env, kind, owner) : NULL;
  if (object)
    enter(gjn_get_instance(env), owner);
  else
    free(owner);
  return object;
}

void *gjn_unwrap(napi_env env, napi_value value, gjn_kind kind) {
  static const char *const names[] = {
      [GJN_GRAPH] = "graph",          [GJN_PROGRAM] = "program", [GJN_BOUND] = "bound call",
      [GJN_FUNCTION] = "function",    [GJN_WORK] = "run",        [GJN_STORAGE] = "storage",
      [GJN_POPULATION] = "population"};
  napi_type_tag tag = tag_of(kind);
  napi_valuetype type;
  bool ours = false;
  void *owner = NULL;
  if (napi_typeof(env, value, &type) != napi_ok || type != napi_object ||
      napi_check_object_type_tag(env, value, &tag, &ours) != napi_ok || !ours ||
      napi_unwrap(env, value, &owner) != napi_ok) {
    gjn_fail(env, GJ_E_ARGUMENT, "%s: expected an object made by this copy of the addon",
             names[kind]);
    return NULL;
  }
  return ((gjn_owner *)owner)->data;
}

static napi_value own_function(napi_env env, const char *name, napi_callback callback,
                               gjn_owner *owner) {
  napi_value function;
  GJN_TRY(env, napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, owner->data, &function));
  GJN_TRY(env, napi_add_finalizer(env, function, owner, finalize, NULL, &owner->object));
  return function;
}

napi_value gjn_new_function(napi_env env, const char *name, napi_callback callback, void *data,
                            gjn_free *free_data) {
  gjn_owner *owner = new_owner(env, data, free_data);
  napi_value function = owner ? own_function(env, name, callback, owner) : NULL;
  if (function)
    enter(gjn_get_instance(env), owner);
  else
    free(owner);
  return function;
}
