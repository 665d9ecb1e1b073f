// The functions that sort an array of unsigned keys, as Loop IR text.
//
// Nothing of a graph is in them, so they are written down once, with dtypes left open, and read
// into the module of whoever sorts: $K is the dtype of the keys, $P that of the positions which may
// go along with them, $N names both. What stands between @p and @ is there with positions only,
// between @k and @ without, between @c and @ where runs can be cancelled, between @t and @ with
// threads, between @s and @ without, between @m and @ where passes go by chunks.
//
// Everything is stable, so what comes out depends on the keys alone, whatever the algorithm:
//
// - up to $L keys: every 32 are put in their places by counting the keys that stand before each,
//   which are vector comparisons, and runs are then merged without branches;
// - more keys: least-significant-digit radix sort (Knuth, The Art of Computer Programming 3,
//   5.2.5), digits of eight bits that begin at the lowest bit in which any two keys differ. Keys in
//   order, or in strictly falling order, are found out first. Threads share a pass by chunks: each
//   counts the digits of its own, and its keys go behind those of the chunks before. A single
//   thread counts four digits at once. A store to one of 256 places is no stream that the processor
//   could foresee, so the line behind it is fetched.
#include "lower/kernels/sort/sort.h"

#include <stdio.h>
#include <string.h>

static const char below_text[] =
    // How many keys are less than `key`, of keys in order.
    "func below_$K(keys: $K* noalias readonly, n: i64, key: $K) -> i64 {"
    "  let lo: i64 = 0 let hi: i64 = n"
    "  while (lt(lo, hi)) {"
    "    let mid: i64 = shr(add(lo, hi), 1)"
    "    if (lt(keys[mid], key)) { lo = add(mid, 1) } else { hi = mid }"
    "  }"
    "  return lo "
    "}";

static const char take_text[] =
    "func take_$N(keys: $K* noalias, positions: $P* noalias, before: i64,"
    "    block: $K* noalias readonly, base: i64, count: i64, limit: $K) -> i64 {"
    "  array good: $K[16]"
    "  for j = 0 to 16 step 1 vector { good[j] = 0:$K }"
    "  let whole: i64 = and(count, -16)"
    "  for i = 0 to whole step 16 {"
    "    for j2 = 0 to 16 step 1 vector {"
    "      good[j2] = or(good[j2], select(le(block[add(i, j2)], limit), 1:$K, 0:$K))"
    "    }"
    "  }"
    "  let some: $K = 0:$K"
    "  for j3 = 0 to 16 step 1 { some = or(some, good[j3]) }"
    "  for i2 = whole to count step 1 {"
    "    some = or(some, select(le(block[i2], limit), 1:$K, 0:$K))"
    "  }"
    "  let found: i64 = before"
    "  if (eq(some, 0:$K)) { return found }"
    "  for i3 = 0 to count step 1 {"
    "    let key: $K = block[i3]"
    "    keys[found] = key"
    "    positions[found] = convert<$P>(add(base, i3))"
    "    found = add(found, select(le(key, limit), 1, 0))"
    "  }"
    "  return found "
    "}";

static const char few_text[] =
    // Runs lo … mid and mid … hi become one.
    "func merge_$N(out: $K* noalias, from: $K* noalias readonly,"
    "    @p pout: $P* noalias, pfrom: $P* noalias readonly, @ lo: i64, mid: i64, hi: i64) -> i32 {"
    "  let i: i64 = lo let j: i64 = mid"
    "  let last: i64 = sub(hi, 1)"
    "  for o = lo to hi step 1 {"
    "    let left: i64 = min(i, last) let right: i64 = min(j, last)"
    "    let x: $K = from[left] let y: $K = from[right]"
    "    let mine: bool = and(lt(i, mid), or(ge(j, hi), le(x, y)))"
    "    out[o] = select(mine, x, y)"
    "    @p pout[o] = pfrom[select(mine, left, right)] @"
    "    let move: i64 = select(mine, 1, 0)"
    "    i = add(i, move)"
    "    j = add(j, sub(1, move))"
    "  }"
    "  return 0:i32 "
    "}"
    "func copy_$N(out: $K* noalias, from: $K* noalias readonly,"
    "    @p pout: $P* noalias, pfrom: $P* noalias readonly, @ n: i64) -> i32 {"
    "  for i = 0 to n step 1 vector {"
    "    out[i] = from[i]"
    "    @p pout[i] = pfrom[i] @"
    "  }"
    "  return 0:i32 "
    "}"
    "func sort_few_$N(a: $K* noalias, b: $K* noalias, @p p: $P* noalias, q: $P* noalias, @"
    "    n: i64) -> i32 {"
    "  array rank: $K[32] array number: $K[32]"
    "  for i = 0 to 32 step 1 { number[i] = convert<$K>(i) }"
    "  for base = 0 to n step 32 {"
    "    let m: i64 = min(sub(n, base), 32)"
    "    for i2 = 0 to m step 1 vector { rank[i2] = 0:$K }"
    "    for j = 0 to m step 1 {"
    "      let x: $K = a[add(base, j)] let mine: $K = number[j]"
    "      for i3 = 0 to m step 1 vector {"
    "        let y: $K = a[add(base, i3)]"
    "        let before: bool = or(lt(x, y), and(eq(x, y), lt(mine, number[i3])))"
    "        rank[i3] = add(rank[i3], select(before, 1:$K, 0:$K))"
    "      }"
    "    }"
    "    for i4 = 0 to m step 1 {"
    "      let place: i64 = add(base, convert<i64>(rank[i4]))"
    "      b[place] = a[add(base, i4)]"
    "      @p q[place] = p[add(base, i4)] @"
    "    }"
    "  }"
    "  let width: i64 = 32 let there: bool = true"
    "  while (lt(width, n)) {"
    "    let lo: i64 = 0"
    "    while (lt(lo, n)) {"
    "      let mid: i64 = min(add(lo, width), n) let hi: i64 = min(add(mid, width), n)"
    "      if (there) { do call merge_$N(a, b, @p p, q, @ lo, mid, hi) }"
    "      else { do call merge_$N(b, a, @p q, p, @ lo, mid, hi) }"
    "      lo = hi"
    "    }"
    "    width = mul(width, 2)"
    "    there = not(there)"
    "  }"
    "  if (there) { do call copy_$N(a, b, @p p, q, @ n) }"
    "  return 0:i32 "
    "}";

static const char look_text[] =
    // Of each chunk: the bits in which keys differ from the first, whether a key is less than the
    // one before, and whether one is greater, or with positions, which tell equal ones apart, is
    // not less.
    "func look_$N(seen: $K* noalias, keys: $K* noalias readonly, n: i64, chunk: i64,"
    "    begin: i64, end: i64) -> i32 {"
    "  array differ: $K[16] array falls: $K[16] array rises: $K[16]"
    "  let origin: $K = keys[0]"
    "  for c = begin to end step 1 {"
    "    let lo: i64 = mul(c, chunk) let hi: i64 = min(add(lo, chunk), sub(n, 1))"
    "    let whole: i64 = add(lo, and(sub(max(hi, lo), lo), -16))"
    "    for j = 0 to 16 step 1 vector { differ[j] = 0:$K falls[j] = 0:$K rises[j] = 0:$K }"
    "    for i = lo to whole step 16 {"
    "      for j2 = 0 to 16 step 1 vector {"
    "        let x: $K = keys[add(i, j2)] let y: $K = keys[add(add(i, j2), 1)]"
    "        differ[j2] = or(differ[j2], xor(x, origin))"
    "        falls[j2] = or(falls[j2], select(lt(y, x), 1:$K, 0:$K))"
    "        rises[j2] = or(rises[j2], @p select(lt(y, x), 0:$K, 1:$K) @"
    "          @k select(lt(x, y), 1:$K, 0:$K) @)"
    "      }"
    "    }"
    "    let all: $K = 0:$K let down: $K = 0:$K let up: $K = 0:$K"
    "    for i2 = whole to hi step 1 {"
    "      let x2: $K = keys[i2] let y2: $K = keys[add(i2, 1)]"
    "      all = or(all, xor(x2, origin))"
    "      down = or(down, select(lt(y2, x2), 1:$K, 0:$K))"
    "      up = or(up, @p select(lt(y2, x2), 0:$K, 1:$K) @ @k select(lt(x2, y2), 1:$K, 0:$K) @)"
    "    }"
    "    for j3 = 0 to 16 step 1 {"
    "      all = or(all, differ[j3]) down = or(down, falls[j3]) up = or(up, rises[j3])"
    "    }"
    "    let at: i64 = mul(c, 3)"
    "    seen[at] = all seen[add(at, 1)] = down seen[add(at, 2)] = up"
    "  }"
    "  return 0:i32 "
    "}";

static const char count_text[] =
    // How often each digit occurs in each chunk. Four chunks go side by side, as far as they are
    // alike: counting one digit again and again waits for memory.
    "func count_$N(counts: i64* noalias, from: $K* noalias readonly, n: i64, chunk: i64,"
    "    shift: $K, begin: i64, end: i64) -> i32 {"
    "  for g = begin to end step 1 {"
    "    let base: i64 = mul(g, 1024) let lo: i64 = mul(g, mul(chunk, 4))"
    "    let alike: i64 = max(min(sub(n, add(lo, mul(chunk, 3))), chunk), 0)"
    "    for d = 0 to 1024 step 1 vector { counts[add(base, d)] = 0 }"
    "    for i = lo to add(lo, alike) step 1 {"
    "      let key0: $K = and(shr(from[i], and(shift, $M:$K)), 255:$K)"
    "      let key1: $K = and(shr(from[add(i, chunk)], and(shift, $M:$K)), 255:$K)"
    "      let key2: $K = and(shr(from[add(i, mul(chunk, 2))], and(shift, $M:$K)), 255:$K)"
    "      let key3: $K = and(shr(from[add(i, mul(chunk, 3))], and(shift, $M:$K)), 255:$K)"
    "      let at0: i64 = add(base, convert<i64>(key0))"
    "      let at1: i64 = add(add(base, 256), convert<i64>(key1))"
    "      let at2: i64 = add(add(base, 512), convert<i64>(key2))"
    "      let at3: i64 = add(add(base, 768), convert<i64>(key3))"
    "      counts[at0] = add(counts[at0], 1)"
    "      counts[at1] = add(counts[at1], 1)"
    "      counts[at2] = add(counts[at2], 1)"
    "      counts[at3] = add(counts[at3], 1)"
    "    }"
    "    for c = 0 to 4 step 1 {"
    "      let start: i64 = add(lo, mul(c, chunk))"
    "      for i2 = add(start, alike) to min(add(start, chunk), n) step 1 {"
    "        let key: $K = and(shr(from[i2], and(shift, $M:$K)), 255:$K)"
    "        let at: i64 = add(add(base, mul(c, 256)), convert<i64>(key))"
    "        counts[at] = add(counts[at], 1)"
    "      }"
    "    }"
    "  }"
    "  return 0:i32 "
    "}";

#define SPREAD(own, fetch_key, fetch_position)                                                     \
  "for i" own " = lo to hi step 1 {"                                                               \
  "  let key" own ": $K = from[i" own "]"                                                          \
  "  let digit" own ": $K = and(shr(key" own ", and(shift, $M:$K)), 255:$K)"                       \
  "  let at" own ": i64 = add(base, convert<i64>(digit" own "))"                                   \
  "  let place" own ": i64 = places[at" own "]"                                                    \
  "  places[at" own "] = add(place" own ", 1)" fetch_key " out[place" own "] = key" own            \
  "  @p " fetch_position " pout[place" own "] = pfrom[i" own "] @"                                 \
  "}"

#define SPREAD_NEAR SPREAD("", "", "")
#define SPREAD_FAR                                                                                 \
  SPREAD("2", "fetch offset(out, add(place2, $F)) to write ",                                      \
         "fetch offset(pout, add(place2, $G)) to write ")

static const char spread_text[] =
    // Counts have become the places of the first key of each digit of each chunk.
    "func spread_$N(out: $K* noalias, from: $K* noalias readonly,"
    "    @p pout: $P* noalias, pfrom: $P* noalias readonly, @ places: i64* noalias, n: i64,"
    "    chunk: i64, shift: $K, begin: i64, end: i64) -> i32 {"
    "  for c = begin to end step 1 {"
    "    let base: i64 = mul(c, 256) let lo: i64 = mul(c, chunk)"
    "    let hi: i64 = min(add(lo, chunk), n)"
    "    if (lt(n, $H)) {" SPREAD_NEAR "} else {" SPREAD_FAR "}"
    "  }"
    "  return 0:i32 "
    "}";

static const char pass_text[] =
    "func pass_$N(out: $K* noalias, from: $K* noalias readonly,"
    "    @p pout: $P* noalias, pfrom: $P* noalias readonly, @ n: i64, chunk: i64, chunks: i64,"
    "    shift: $K) -> i32 {"
    "  array counts: i64[$T]"
    "  let groups: i64 = shr(add(chunks, 3), 2)"
    "  let status: i32 = @t parallel @ @s call @ count_$N(counts, from, n, chunk, shift"
    "    @t ) over 0 to groups grain 1 @ @s , 0, groups) @"
    "  if (ne(status, 0:i32)) { return status }"
    "  let sum: i64 = 0"
    "  for d = 0 to 256 step 1 {"
    "    for c = 0 to chunks step 1 {"
    "      let at: i64 = add(mul(c, 256), d) let count: i64 = counts[at]"
    "      counts[at] = sum"
    "      sum = add(sum, count)"
    "    }"
    "  }"
    "  return @t parallel @ @s call @ spread_$N(out, from, @p pout, pfrom, @ counts, n, chunk, "
    "shift"
    "    @t ) over 0 to chunks grain 1 @ @s , 0, chunks) @"
    "}";

static const char shared_text[] =
    "func passes_$N(a: $K* noalias, b: $K* noalias, @p p: $P* noalias, q: $P* noalias, @ n: i64,"
    "    chunk: i64, chunks: i64, all: $K) -> i32 {"
    "  let differ: $K = all let there: bool = false"
    "  while (ne(differ, 0:$K)) {"
    "    @c if (cancelled) { return 1:i32 } @"
    "    let shift: $K = popcount(sub(and(differ, sub(0:$K, differ)), 1:$K))"
    "    differ = and(differ, not(shl(255:$K, shift)))"
    "    let done: i32 = 0:i32"
    "    if (there) { done = call pass_$N(a, b, @p p, q, @ n, chunk, chunks, shift) }"
    "    else { done = call pass_$N(b, a, @p q, p, @ n, chunk, chunks, shift) }"
    "    if (ne(done, 0:i32)) { return done }"
    "    there = not(there)"
    "  }"
    "  if (there) { do call copy_$N(a, b, @p p, q, @ n) }"
    "  return 0:i32 "
    "}";

#define TALLY(key, digit, table)                                                                   \
  "let " key digit ": i64 = add(" table ", convert<i64>(and(shr(" key ", and(shift" digit          \
  ", $M:$K)), 255:$K)))"                                                                           \
  "counts[" key digit "] = add(counts[" key digit "], 1)"
#define TALLIES(key, table0, table1, table2, table3)                                               \
  TALLY(key, "0", table0) TALLY(key, "1", table1) TALLY(key, "2", table2) TALLY(key, "3", table3)

static const char alone_text[] =
    // How often each of four digits occurs: where nobody shares the passes, keys are read once for
    // all of them. Halves go side by side, each with tables of its own.
    "func tally_$N(counts: i64* noalias, from: $K* noalias readonly, n: i64,"
    "    shift0: $K, shift1: $K, shift2: $K, shift3: $K) -> i32 {"
    "  for d = 0 to 2048 step 1 vector { counts[d] = 0 }"
    "  let half: i64 = shr(n, 1)"
    "  for i = 0 to half step 1 {"
    "    let x: $K = from[i] let y: $K = from[add(i, half)]" TALLIES("x", "0", "256", "512", "768")
        TALLIES("y", "1024", "1280", "1536",
                "1792") "  }"
                        "  if (lt(mul(half, 2), n)) {"
                        "    let z: $K = from[sub(n, 1)]" TALLIES(
                            "z", "0", "256", "512",
                            "768") "  }"
                                   "  return 0:i32 "
                                   "}"
                                   "func pass_$N(out: $K* noalias, from: $K* noalias readonly,"
                                   "    @p pout: $P* noalias, pfrom: $P* noalias readonly, @ "
                                   "counts: i64* noalias, n: i64,"
                                   "    shift: $K) -> i32 {"
                                   "  let sum: i64 = 0"
                                   "  for d = 0 to 256 step 1 {"
                                   "    let count: i64 = add(counts[d], counts[add(d, 1024)])"
                                   "    counts[d] = sum"
                                   "    sum = add(sum, count)"
                                   "  }"
                                   "  return call spread_$N(out, from, @p pout, pfrom, @ counts, "
                                   "n, n, shift, 0, 1) "
                                   "}"
                                   "func passes_$N(a: $K* noalias, b: $K* noalias, @p p: $P* "
                                   "noalias, q: $P* noalias, @ n: i64,"
                                   "    all: $K) -> i32 {"
                                   "  array counts: i64[2048] array shifts: $K[4]"
                                   "  let differ: $K = all let there: bool = false"
                                   "  while (ne(differ, 0:$K)) {"
                                   "    let digits: i64 = 0"
                                   "    for d = 0 to 4 step 1 {"
                                   "      let shift: $K = popcount(sub(and(differ, sub(0:$K, "
                                   "differ)), 1:$K))"
                                   "      shifts[d] = shift"
                                   "      digits = add(digits, select(ne(differ, 0:$K), 1, 0))"
                                   "      differ = and(differ, not(shl(255:$K, and(shift, $M:$K))))"
                                   "    }"
                                   "    if (there) { do call tally_$N(counts, b, n, shifts[0], "
                                   "shifts[1], shifts[2], shifts[3]) }"
                                   "    else { do call tally_$N(counts, a, n, shifts[0], "
                                   "shifts[1], shifts[2], shifts[3]) }"
                                   "    for d2 = 0 to digits step 1 {"
                                   "      @c if (cancelled) { return 1:i32 } @"
                                   "      if (there) {"
                                   "        do call pass_$N(a, b, @p p, q, @ offset(counts, "
                                   "mul(d2, 256)), n, shifts[d2])"
                                   "      } else {"
                                   "        do call pass_$N(b, a, @p q, p, @ offset(counts, "
                                   "mul(d2, 256)), n, shifts[d2])"
                                   "      }"
                                   "      there = not(there)"
                                   "    }"
                                   "  }"
                                   "  if (there) { do call copy_$N(a, b, @p p, q, @ n) }"
                                   "  return 0:i32 "
                                   "}";

static const char sort_text[] =
    "func turn_$N(a: $K* noalias, @p p: $P* noalias, @ n: i64) -> i32 {"
    "  for i = 0 to shr(n, 1) step 1 {"
    "    let j: i64 = sub(sub(n, 1), i)"
    "    let x: $K = a[i]"
    "    a[i] = a[j]"
    "    a[j] = x"
    "    @p let at: $P = p[i] p[i] = p[j] p[j] = at @"
    "  }"
    "  return 0:i32 "
    "}"
    // Sorts a, and p along with it; b and q are room for as many.
    "func sort_$N(a: $K* noalias, b: $K* noalias, @p p: $P* noalias, q: $P* noalias, @ n: i64)"
    "    -> i32 {"
    "  if (lt(n, $L)) { return call sort_few_$N(a, b, @p p, q, @ n) }"
    "  array seen: $K[$S]"
    "  let chunk: i64 = max(div(add(n, sub($C, 1)), $C), $B)"
    "  let chunks: i64 = div(add(n, sub(chunk, 1)), chunk)"
    "  let status: i32 = @t parallel @ @s call @ look_$N(seen, a, n, chunk"
    "    @t ) over 0 to chunks grain 1 @ @s , 0, chunks) @"
    "  if (ne(status, 0:i32)) { return status }"
    "  let differ: $K = xor(a[sub(n, 1)], a[0]) let falls: $K = 0:$K let rises: $K = 0:$K"
    "  for c = 0 to chunks step 1 {"
    "    let at: i64 = mul(c, 3)"
    "    differ = or(differ, seen[at])"
    "    falls = or(falls, seen[add(at, 1)])"
    "    rises = or(rises, seen[add(at, 2)])"
    "  }"
    "  if (eq(falls, 0:$K)) { return 0:i32 }"
    "  if (eq(rises, 0:$K)) { return call turn_$N(a, @p p, @ n) }"
    "  return call passes_$N(a, b, @p p, q, @ n, @m chunk, chunks, @ differ) "
    "}";

static const char keep_text[] =
    // Moves the keys that are not `drop` together, going by `move`, 1 or -1, from `start` on;
    // returns how many there are.
    "func keep_$N(keys: $K* noalias, n: i64, drop: $K, start: i64, move: i64) -> i64 {"
    "  array good: $K[16]"
    "  let clean: i64 = 0"
    "  for c = 0 to n step 1024 {"
    "    let hi: i64 = min(add(c, 1024), n) let whole: i64 = add(c, and(sub(hi, c), -16))"
    "    for j = 0 to 16 step 1 vector { good[j] = 0:$K }"
    "    for i = c to whole step 16 {"
    "      for j2 = 0 to 16 step 1 vector {"
    "        good[j2] = or(good[j2], select(eq(keys[add(i, j2)], drop), 1:$K, 0:$K))"
    "      }"
    "    }"
    "    let some: $K = 0:$K"
    "    for j3 = 0 to 16 step 1 { some = or(some, good[j3]) }"
    "    for i2 = whole to hi step 1 { some = or(some, select(eq(keys[i2], drop), 1:$K, 0:$K)) }"
    "    if (ne(some, 0:$K)) { break }"
    "    clean = hi"
    "  }"
    "  if (eq(clean, n)) { return n }"
    "  let done: i64 = select(lt(move, 0), 0, clean)"
    "  let place: i64 = add(start, mul(move, done))"
    "  let goal: i64 = place"
    "  for i3 = done to n step 1 {"
    "    let key: $K = keys[place]"
    "    keys[goal] = key"
    "    place = add(place, move)"
    "    goal = add(goal, select(eq(key, drop), 0, move))"
    "  }"
    "  return mul(sub(goal, start), move) "
    "}";

enum {
  CHUNKS = 32,     // that threads may share
  CHUNK = 1 << 13, // keys that are worth a chunk
  AHEAD = 64,      // bytes from a store to what is fetched
  NEAR = 1 << 19   // bytes of keys, in whose midst nothing need be fetched
};

typedef struct blanks {
  const char *key, *position; // position: NULL for keys alone
  bool cancels, threads;
  char name[16];
  int64_t bytes, position_bytes; // of a key, of a position
} blanks;

// From how many keys on passes are quicker than merges, measured on an array in cache.
static int64_t few(const blanks *b) { return b->bytes == 1 ? 64 : 128 * b->bytes; }

static void fill(const blanks *b, char blank, gj_strbuf *out) {
  switch (blank) {
  case 'K':
    gj_strbuf_text(out, b->key);
    return;
  case 'P':
    gj_strbuf_text(out, b->position);
    return;
  case 'N':
    gj_strbuf_text(out, b->name);
    return;
  case 'L':
    gj_strbuf_printf(out, "%lld", (long long)few(b));
    return;
  case 'M': // what a shift is at most
    gj_strbuf_printf(out, "%lld", (long long)b->bytes * 8 - 1);
    return;
  case 'F':
    gj_strbuf_printf(out, "%lld", (long long)(AHEAD / b->bytes));
    return;
  case 'G':
    gj_strbuf_printf(out, "%lld", (long long)(AHEAD / b->position_bytes));
    return;
  case 'H':
    gj_strbuf_printf(out, "%lld", (long long)(NEAR / b->bytes));
    return;
  case 'C':
    gj_strbuf_printf(out, "%d", CHUNKS);
    return;
  case 'B':
    gj_strbuf_printf(out, "%d", CHUNK);
    return;
  case 'T':
    gj_strbuf_printf(out, "%d", 256 * CHUNKS);
    return;
  default: // 'S'
    gj_strbuf_printf(out, "%d", 3 * CHUNKS);
  }
}

// Whether each pass counts for itself, by chunks.
static bool shares(const blanks *b) { return b->threads || b->bytes < 4; }

// Whether text behind `mark` is wanted.
static bool wants(const blanks *b, char mark) {
  if (mark == 'p' || mark == 'k')
    return (b->position != NULL) == (mark == 'p');
  if (mark == 'm')
    return shares(b);
  return mark == 'c' ? b->cancels : (mark == 't') == b->threads;
}

static void expand(const blanks *b, const char *text, gj_strbuf *out) {
  bool skips = false;
  for (const char *at = text; *at; at++) {
    if (*at == '@') {
      bool opens = at[1] >= 'a' && at[1] <= 'z';
      skips = opens && !wants(b, at[1]);
      at += opens;
    } else if (skips) {
      continue;
    } else if (*at == '$') {
      fill(b, *++at, out);
    } else {
      gj_strbuf_char(out, *at);
    }
  }
}

// The function `name`, added with those that stand around it if it is not there.
static const gj_lfunc *need(gj__lower *l, const blanks *b, const char *prefix, const char *suffix,
                            const char *text) {
  char name[32];
  snprintf(name, sizeof name, "%s_%s", prefix, suffix);
  const gj_lfunc *found = gj_lmodule_find(l->m, name);
  if (found)
    return found;
  gj_strbuf code;
  gj_strbuf_init(&code);
  expand(b, text, &code);
  l->out_of_memory = l->out_of_memory || code.failed;
  if (!l->out_of_memory)
    gj_lmodule_add(l->m, gj_strbuf_peek(&code), code.size);
  gj_strbuf_fini(&code);
  found = gj_lmodule_find(l->m, name);
  return found ? found : &l->m->lost_func;
}

static blanks blanks_of(const gj__lower *l, gj_dtype key, gj_dtype position) {
  bool alone = position == GJ_DTYPE_none;
  blanks b = {.key = gj_dtype_name(key),
              .position = alone ? NULL : gj_dtype_name(position),
              .cancels = l->poll,
              .threads = l->piece_ns != 0,
              .bytes = (int64_t)gj_dtype_bytes(key),
              .position_bytes = alone ? 0 : (int64_t)gj_dtype_bytes(position)};
  snprintf(b.name, sizeof b.name, "%s%s%s", b.key, alone ? "" : "_", alone ? "" : b.position);
  return b;
}

const gj_lfunc *gj__sort_function(gj__lower *l, gj_dtype key, gj_dtype position) {
  blanks b = blanks_of(l, key, position);
  need(l, &b, "sort_few", b.name, few_text);
  need(l, &b, "look", b.name, look_text);
  need(l, &b, "spread", b.name, spread_text);
  if (shares(&b)) {
    need(l, &b, "count", b.name, count_text);
    need(l, &b, "pass", b.name, pass_text);
    need(l, &b, "passes", b.name, shared_text);
  } else {
    need(l, &b, "passes", b.name, alone_text);
  }
  return need(l, &b, "sort", b.name, sort_text);
}

const gj_lfunc *gj__take_function(gj__lower *l, gj_dtype key, gj_dtype position) {
  blanks b = blanks_of(l, key, position);
  return need(l, &b, "take", b.name, take_text);
}

const gj_lfunc *gj__keep_function(gj__lower *l, gj_dtype key) {
  blanks b = blanks_of(l, key, GJ_DTYPE_none);
  return need(l, &b, "keep", b.name, keep_text);
}

const gj_lfunc *gj__below_function(gj__lower *l, gj_dtype key) {
  blanks b = blanks_of(l, key, GJ_DTYPE_none);
  return need(l, &b, "below", b.key, below_text);
}
