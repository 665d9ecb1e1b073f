/**
 * Groups of rows: a hash table in the kernel.
 *
 * A group is a record of words of 64 bits: the number of its first row, its hash, which keys are null, its keys, what
 * is accumulated. `slots_` of open addressing hold numbers of records, counted from 1. Records and slots lie in memory
 * that the caller gives; before there is no more room for the groups that a block may have, the kernel stops there,
 * and goes on when it is called with more, having filled the slots again.
 *
 * A partition takes the rows whose hash has its number in the upper bits, so threads have nothing in common, and rows
 * of a group are met in their order. In front of the loop that looks for groups, one fetches their slots and one their
 * records, since most of the time of large tables goes with waiting for memory.
 */
'use strict';

const { BLOCK, CHUNK, PART, SLOT } = require('./layout.js');

/** @typedef {import('./emit.js').Emitter} Emitter */
/** @typedef {import('./dag.js').Node} Node */

/**
 * `words`: of a record. `keys`: how many words of keys, behind the three first. `initial`: bits of what is accumulated,
 * before the first row. `texts`: which words of keys are addresses, with the length behind.
 *
 * `isDirect`: keys are in a small range, so a record is found by the number of its key in it.
 *
 * @typedef {{ words: number, keys: number, isDirect?: boolean, initial: readonly { word: number, bits: bigint }[], texts: readonly number[] }} GroupRecord
 */

/** Words of a record. */
const WORD = Object.freeze({ row: 0, hash: 1, nulls: 2, keys: 3 });

/** @type {(e: Emitter) => GroupRecord} */
const recordOf = (e) => /** @type {GroupRecord} */ (e.options.record);

/** @type {(e: Emitter) => void} */
function partitionRange(e) {
  const { words } = recordOf(e);
  const { buffers } = e.dag;
  const own = buffers.filter(({ shared }) => !shared).length;
  const first = buffers.length - own + (e.needsArena ? 1 : 0);
  e.line(`let part_mask: u64 = convert<u64>(sub(slots[${SLOT.units}], 1))`);
  e.braces('while (lt(u, end))', () => {
    e.line('let part_number: u64 = convert<u64>(u)');
    e.line(`let part: i64 = add(add(${e.chunkWords}, mul(${CHUNK.words}, add(count, 1))), mul(${PART.words}, u))`);
    for (const name of /** @type {const} */ (['groups', 'mask', 'limit', 'chunk', 'block', 'rehash'])) {
      e.line(`let ${name === 'mask' ? 'mask_' : name === 'chunk' ? 'c' : name === 'block' ? 'g' : name}: i64 = slots[add(part, ${PART[name]})]`);
    }
    e.line(`let least: i64 = slots[add(part, ${PART.least})]`);
    e.line(`let part_shift: u64 = convert<u64>(slots[add(part, ${PART.shift})])`);
    e.line(`let slots_: i32* = pointer<i32>(table[add(add(mul(count, ${own}), ${first}), mul(u, 2))])`);
    e.line(`let records: i64 = table[add(add(mul(count, ${own}), ${first + 1}), mul(u, 2))]`);
    e.braces('if (ne(rehash, 0))', () => refill(e, words));
    e.line('let more: bool = false');
    e.braces('while (and(lt(c, count), not(more)))', () => {
      e.chunk();
      e.braces(`while (and(lt(g, div(add(rows, ${BLOCK - 1}), ${BLOCK})), not(more)))`, () => {
        e.braces('if (cancelled)', () => e.line('return 1:i32'));
        e.line(`if (gt(add(groups, ${BLOCK}), limit)) {`);
        e.line('  more = true');
        e.line('} else {');
        e.nest(() => {
          e.block();
          e.line('g = add(g, 1)');
        });
        e.line('}');
      });
      e.braces('if (not(more))', () => {
        e.line('c = add(c, 1)');
        e.line('g = 0');
      });
    });
    e.line(`slots[add(part, ${PART.groups})] = groups`);
    e.line(`slots[add(part, ${PART.chunk})] = c`);
    e.line(`slots[add(part, ${PART.block})] = g`);
    e.line('u = add(u, 1)');
  });
}

/** Fills slots, which are all 0, for the records that there are. @type {(e: Emitter, words: number) => void} */
function refill(e, words) {
  e.braces('for k = 0 to groups step 1', () => {
    e.line(`let at_: i64 = and(pointer<i64>(records)[add(mul(k, ${words}), ${WORD.hash})], mask_)`);
    e.braces('while (ne(slots_[at_], 0:i32))', () => e.line('at_ = and(add(at_, 1), mask_)'));
    e.line('slots_[at_] = convert<i32>(add(k, 1))');
  });
}

/** Brings slots and records of the block's rows near. @type {(e: Emitter, node: Node) => void} */
function fetchGroups(e, { args: [hash] }) {
  const kept = e.kept.get(hash);
  if (kept === undefined) return;
  const { words, isDirect } = recordOf(e);
  if (isDirect) {
    const k = e.fresh('k');
    const record = `offset(pointer<i64>(records), mul(bitcast<i64>(${kept[0]}[${k}]), ${words}))`;
    e.braces('if (gt(mask_, 8191))', () => e.braces(`for ${k} = 0 to ${BLOCK} step 1`, () => e.line(`fetch ${record}`)));
    return;
  }
  const at = (/** @type {string} */ k) => `and(bitcast<i64>(${kept[0]}[${k}]), mask_)`;
  // Tables that the caches hold need no fetching.
  e.braces('if (gt(mask_, 65535))', () => {
    const [a, b] = [e.fresh('k'), e.fresh('k')];
    e.braces(`for ${a} = 0 to ${BLOCK} step 1`, () => e.line(`fetch offset(slots_, ${at(a)})`));
    e.braces(`for ${b} = 0 to ${BLOCK} step 1`, () => {
      const k = e.let('x', 'i64', `convert<i64>(slots_[${at(b)}])`);
      e.line(`fetch offset(pointer<i64>(records), mul(max(sub(${k}, 1), 0), ${words}))`);
    });
  });
}

/** The record at the number of the key. @type {(e: Emitter, node: Node) => readonly string[]} */
function directGroup(e, { args: [index] }) {
  const { words, initial } = recordOf(e);
  // The range may be known from before: if somebody has changed the keys since, results are wrong, but nothing else is.
  const at = e.let('x', 'i64', `bitcast<i64>(min(${e.parts(index)[0]}, convert<u64>(mask_)))`);
  const record = e.let('rec', 'i64', `add(records, mul(${at}, ${8 * words}))`);
  const word = (/** @type {number} */ k) => `pointer<i64>(${record})[${k}]`;
  e.braces(`if (eq(${word(WORD.row)}, 0))`, () => {
    const row = e.let('x', 'i64', rowNumber(e));
    e.line(`slots_[mul(groups, 2)] = convert<i32>(${at})`);
    e.line(`slots_[add(mul(groups, 2), 1)] = convert<i32>(${row})`);
    e.line('groups = add(groups, 1)');
    e.line(`${word(WORD.row)} = add(${row}, 1)`);
    for (const { word: w, bits } of initial) if (BigInt(bits) !== 0n) e.line(`${word(w)} = ${bits}`);
  });
  return [record];
}

/** The address of the record of the row's group. @type {(e: Emitter, node: Node) => readonly string[]} */
function group(e, node) {
  if (recordOf(e).isDirect) return directGroup(e, node);
  const [hash, nulls, ...keys] = node.args;
  const { words, initial, texts } = recordOf(e);
  const parts = keys.flatMap((key) => e.argument(key));
  const h = e.let('h', 'i64', `bitcast<i64>(${e.parts(hash)[0]})`);
  const absent = e.parts(nulls)[0];
  const at = e.let('x', 'i64', `and(${h}, mask_)`);
  const record = e.let('rec', 'i64', '0');
  const word = (/** @type {number} */ k) => `pointer<i64>(${record})[${k}]`;
  e.braces('while (true)', () => {
    const k = e.let('x', 'i64', `convert<i64>(slots_[${at}])`);
    e.line(`if (eq(${k}, 0)) {`);
    e.nest(() => {
      e.line(`${record} = add(records, mul(groups, ${8 * words}))`);
      e.line('groups = add(groups, 1)');
      e.line(`slots_[${at}] = convert<i32>(groups)`);
      e.line(`${word(WORD.row)} = ${rowNumber(e)}`);
      e.line(`${word(WORD.hash)} = ${h}`);
      e.line(`${word(WORD.nulls)} = ${absent}`);
      parts.forEach((part, i) => e.line(`${word(WORD.keys + i)} = ${part}`));
      for (const { word: w, bits } of initial) e.line(`${word(w)} = ${bits}`);
      e.line('break');
    });
    e.line('}');
    e.line(`${record} = add(records, mul(sub(${k}, 1), ${8 * words}))`);
    const isWord = (/** @type {number} */ i) => !texts.includes(i) && !texts.includes(i - 1);
    const words_ = parts.flatMap((part, i) => (isWord(i) ? [`eq(${word(WORD.keys + i)}, ${part})`] : []));
    const same = [...(texts.length > 0 ? [`eq(${word(WORD.hash)}, ${h})`] : []), `eq(${word(WORD.nulls)}, ${absent})`, ...words_];
    // Texts are read where all else is equal, which rules out most of them.
    const equal = texts.map((i) => `ne(${e.called('utf8_equal', word(WORD.keys + i), word(WORD.keys + i + 1), parts[i], parts[i + 1])}, 0)`);
    nestedIf(e, [allOf(same), ...equal], () => e.line('break'));
    e.line(`${at} = and(add(${at}, 1), mask_)`);
  });
  return [record];
}

/** @type {(tests: readonly string[]) => string} */
function allOf(tests) {
  if (tests.length === 1) return tests[0];
  const half = tests.length >> 1;
  return `and(${allOf(tests.slice(0, half))}, ${allOf(tests.slice(half))})`;
}

/** Tests one after the other, as a later one may read what an earlier one has ruled out. @type {(e: Emitter, tests: readonly string[], inside: () => void) => void} */
function nestedIf(e, [first, ...rest], inside) {
  e.braces(`if (${first})`, () => (rest.length > 0 ? nestedIf(e, rest, inside) : inside()));
}

/** What a row adds to the record of its group, by name. `at(k)`: a word as a dtype. @type {Record<string, (e: Emitter, at: (k: number, dtype: string) => string, parts: readonly string[], rep: string, address: (k: number) => string, buffers: readonly number[]) => void>} */
const STEPS = {
  count: (e, at) => e.line(`${at(0, 'i64')} = add(${at(0, 'i64')}, 1)`),
  sum: (e, at, [x], rep) => e.line(`${at(0, rep)} = add(${at(0, rep)}, ${x})`),
  min: (e, at, [x], rep) => e.line(`${at(0, rep)} = min(${at(0, rep)}, ${x})`),
  max: (e, at, [x], rep) => e.line(`${at(0, rep)} = max(${at(0, rep)}, ${x})`),
  first: (e, at) => {
    e.braces(`if (lt(${at(0, 'i64')}, 0))`, () => e.line(`${at(0, 'i64')} = ${rowNumber(e)}`));
  },
  // The rows of a group, each with the one before: the record knows the last.
  chain: (e, at, parts, rep, address, [links]) => {
    e.line(`pointer<i32>(b${links})[${rowNumber(e)}] = convert<i32>(${at(0, 'i64')})`);
    e.line(`${at(0, 'i64')} = ${rowNumber(e)}`);
  },
  last: (e, at) => e.line(`${at(0, 'i64')} = ${rowNumber(e)}`),
  // Welford's: count, mean, and the sum of squares of differences from it.
  moments: (e, at, [x]) => {
    const n = e.let('x', 'f64', `add(${at(0, 'f64')}, 1:f64)`);
    const d = e.let('x', 'f64', `sub(${x}, ${at(1, 'f64')})`);
    const mean = e.let('x', 'f64', `add(${at(1, 'f64')}, div(${d}, ${n}))`);
    e.line(`${at(2, 'f64')} = add(${at(2, 'f64')}, mul(${d}, sub(${x}, ${mean})))`);
    e.line(`${at(0, 'f64')} = ${n}`);
    e.line(`${at(1, 'f64')} = ${mean}`);
  },
  minText: (e, at, [a, n]) => betterText(e, at, a, n, 'lt'),
  maxText: (e, at, [a, n]) => betterText(e, at, a, n, 'gt'),
  // A sum that has no room stays what it was, and the word behind it says so.
  sumWide: (e, at, [x], _rep, address) => {
    const status = e.called('decimal_add', address(0), x, '0', '0', '0', '38', address(0));
    e.line(`${at(2, 'i64')} = or(${at(2, 'i64')}, ${status})`);
  },
  minWide: (e, at, [x], _rep, address) => betterWide(e, at, x, address, 'lt'),
  maxWide: (e, at, [x], _rep, address) => betterWide(e, at, x, address, 'gt'),
};

/** @type {(e: Emitter) => string} */
const rowNumber = (e) => `add(row, add(mul(g, ${BLOCK}), ${e.row}))`;

/** Words: address, -1 before there is one, length, number of the row. @type {(e: Emitter, at: (k: number, dtype: string) => string, a: string, n: string, relation: string) => void} */
function betterText(e, at, a, n, relation) {
  const better = e.let('q', 'bool', `eq(${at(0, 'i64')}, -1)`);
  e.braces(`if (not(${better}))`, () =>
    e.line(`${better} = ${relation}(${e.called('utf8_compare', a, n, at(0, 'i64'), at(1, 'i64'))}, 0)`),
  );
  e.braces(`if (${better})`, () => {
    e.line(`${at(0, 'i64')} = ${a}`);
    e.line(`${at(1, 'i64')} = ${n}`);
    e.line(`${at(2, 'i64')} = ${rowNumber(e)}`);
  });
}

/** Words: 16 bytes, and whether they are there. @type {(e: Emitter, at: (k: number, dtype: string) => string, x: string, address: (k: number) => string, relation: string) => void} */
function betterWide(e, at, x, address, relation) {
  const better = e.let('q', 'bool', `eq(${at(2, 'i64')}, 0)`);
  e.braces(`if (not(${better}))`, () => e.line(`${better} = ${relation}(${e.called('decimal_compare', x, address(0), '0', '0')}, 0)`));
  e.braces(`if (${better})`, () => {
    for (const half of [0, 1]) e.line(`${at(half, 'i64')} = pointer<i64>(${x})[${half}]`);
    e.line(`${at(2, 'i64')} = 1`);
  });
}

/** @type {(e: Emitter, node: Node) => undefined} */
function accumulate(e, { name, rep, value, buffers, args: [owner, operand, valid] }) {
  const [record] = e.parts(owner);
  const parts = operand === undefined ? [] : e.parts(operand);
  const offset = (/** @type {number} */ k) => Number(value) + k;
  const address = (/** @type {number} */ k) => `add(${record}, ${8 * offset(k)})`;
  const at = (/** @type {number} */ k, /** @type {string} */ dtype) => `pointer<${dtype}>(${address(k)})[0]`;
  const step = () => STEPS[name](e, at, parts, rep, address, buffers);
  if (valid === undefined) step();
  else e.braces(`if (${e.parts(valid)[0]})`, step);
}

module.exports = { WORD, accumulate, fetchGroups, group, partitionRange };
