// Working memory of runs: what is kept, for how long and how much of it.
#include "check.h"

#include "runtime/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

// Takes memory and writes to all of it.
static char *take(size_t bytes) {
  char *memory = gj_memory_take(bytes);
  if (CHECK(memory != NULL)) {
    CHECK_INT_EQ((uintptr_t)memory % 64, 0);
    memset(memory, 0x5A, bytes);
  }
  return memory;
}

static void the_same_block_again(void) {
  char *first = take(10 * KIB);
  gj_memory_give(first);
  size_t kept = gj_memory_kept();
  for (size_t bytes = 0; bytes <= 10 * KIB; bytes += 1000) {
    char *again = take(bytes);
    CHECK(again == first);
    gj_memory_give(again);
  }
  CHECK_INT_EQ(kept, 10 * KIB);
  CHECK_INT_EQ(gj_memory_kept(), kept);
}

static void blocks_in_use_are_apart(void) {
  enum { DEPTH = 9 };
  char *blocks[DEPTH];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < DEPTH; i++) {
      blocks[i] = take(KIB);
      if (blocks[i])
        memset(blocks[i], i, KIB);
    }
    for (int i = 0; i < DEPTH; i++)
      CHECK(blocks[i] && blocks[i][0] == i && blocks[i][KIB - 1] == i);
    for (int i = 0; i < DEPTH; i++) // any order
      gj_memory_give(blocks[round == 1 ? i : DEPTH - 1 - i]);
  }
}

static void the_best_block_is_taken(void) {
  char *large = take(MIB), *small = take(KIB);
  gj_memory_give(large);
  gj_memory_give(small);
  size_t kept = gj_memory_kept();
  for (int i = 0; i < 3; i++) { // the small one is asked for first
    char *one = take(KIB), *other = take(MIB);
    CHECK(one != large && other == large);
    gj_memory_give(one);
    gj_memory_give(other);
  }
  CHECK_INT_EQ(gj_memory_kept(), kept);
}

static void little_is_kept(void) {
  char *huge = take(GJ_MEMORY_KEPT + 1);
  gj_memory_give(huge);
  CHECK(gj_memory_kept() < GJ_MEMORY_KEPT);
  char *first = take(40 * MIB), *second = take(30 * MIB);
  CHECK_INT_EQ(gj_memory_kept() / MIB, 40); // the second is not among it
  gj_memory_give(first);
  gj_memory_give(second);
  char *all = take(GJ_MEMORY_KEPT); // everything else makes room
  CHECK_INT_EQ(gj_memory_kept(), GJ_MEMORY_KEPT);
  char *more = take(KIB);
  CHECK_INT_EQ(gj_memory_kept(), GJ_MEMORY_KEPT);
  gj_memory_give(more);
  gj_memory_give(all);
  CHECK(gj_memory_take(SIZE_MAX) == NULL);
  gj_memory_give(NULL);
}

static void *run_thread(void *data) {
  CHECK_INT_EQ(gj_memory_kept(), 0);
  for (size_t bytes = KIB; bytes <= MIB; bytes *= 2) {
    char *outer = take(bytes), *inner = take(bytes / 2);
    gj_memory_give(inner);
    gj_memory_give(outer);
  }
  *(size_t *)data = gj_memory_kept();
  return NULL;
}

static void threads_share_nothing(void) {
  pthread_t threads[2];
  size_t kept[2] = {0};
  for (int i = 0; i < 2; i++)
    CHECK_OR_RETURN(pthread_create(&threads[i], NULL, run_thread, &kept[i]) == 0);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL); // what it kept is gone, or leak checkers say so
    CHECK(kept[i] >= MIB + MIB / 2 && kept[i] < 4 * (size_t)MIB);
  }
}

static void *run_all(void *data) {
  CHECK_RUN(the_same_block_again);
  CHECK_RUN(blocks_in_use_are_apart);
  CHECK_RUN(the_best_block_is_taken);
  CHECK_RUN(little_is_kept);
  CHECK_RUN(threads_share_nothing);
  return data;
}

// In a thread for which nothing is kept, whatever the process did before.
int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_all, NULL) == 0)
    pthread_join(thread, NULL);
  return check_report();
}
