// Compiles or does not: what users may write with static maps, and what they may not.
import { cidrRange, compileMap, compileRanges, compileSet, compileTrie, expr, table, tensor, type Tensor } from '../../lib/index.js';

const numbers = compileMap({ keys: Float64Array.of(1, 2), values: Int32Array.of(3, 4) }, { threads: 2, missing: -1 });
const one: number | undefined = numbers.get(1);
const all = numbers.getMany(new Float32Array(3), new Int32Array(3));
const places: Int32Array = numbers.indexMany([1, 2]);
const entry: [number, number] | undefined = numbers.floor(1.5);
numbers.update([[5, 6]], { remove: [1] });
const pairs: string | undefined = compileMap([[1, 'a'], [2, 'b']]).get(7);
// @ts-expect-error keys are numbers
numbers.get('x');
// @ts-expect-error and so are many
numbers.getMany(['x']);
// @ts-expect-error an unknown option
compileMap([], { thread: 2 });

const texts = compileMap(new Map([['a', { x: 1 }]]));
const x: number | undefined = texts.get('a')?.x;
const either: Map<string, number> | Record<string, number> = Math.random() > 2 ? new Map() : {};
const some: number | undefined = compileMap(either).get('a') ?? compileMap<string, number>({ a: 1 }).get('a');
// @ts-expect-error names are texts
compileMap({ a: 1 }).get(5);
const there: Tensor = numbers.hasMany(tensor([1]));
const named: string | undefined = compileMap({ a: 'b' }).get('a');
for (const [key, value] of texts) key.concat(String(value.x));

const set = compileSet(new Set([1n]));
const is: boolean = set.has(5n);
const bits: Uint8Array = set.hasMany(new BigUint64Array(2));

const filled: number[] = compileMap(new Map([['a', 1]]), { missing: 0 }).getMany(['a']);
const typed: Int32Array = numbers.getMany(Float64Array.of(1));
const doubles: Float64Array = numbers.keys();
// @ts-expect-error a value may be missing
const full: string[] = compileMap(new Map([[1, 'x']])).getMany([2]);
const ranges = compileRanges([[0, 5, 'a'], [5, 9, 'b']], { inclusive: false });
const grade: string | undefined = ranges.get(3);
// @ts-expect-error one type of keys
ranges.get(3n);

const trie = compileTrie({ '/users': 1 }, { separator: '/' });
const match: [string, number] | undefined = trie.match('/users/7');
// @ts-expect-error texts or networks
compileTrie({}, { of: 'words' });
const found: Int32Array = trie.indexMany(table({ k: ['/users/7'] }).column('k'));
ranges.getMany(table({ k: new Float64Array(2) }).column('k').chunks[0]);
const bytes: Uint8Array = trie.toWasm({ of: 'index', variants: ['mvp', 'simd'] }).bytes;
const assembly: string = set.toObject({ emit: 'assembly', symbol: 'known' });
const header: string = ranges.toHeader({ symbol: 'grade', missing: -1 });
const mapped = expr('f(x)', { functions: { f: trie, g: set } });
const doubled: Tensor = numbers.getMany(tensor([1]));
// @ts-expect-error values or indices
numbers.toWasm({ of: 'key' });
const [low, high] = cidrRange('10.0.0.0/8');
const width: number | bigint = typeof low === 'number' ? Number(high) - low : high;

export { all, assembly, bits, bytes, doubled, doubles, filled, full, typed, entry, found, grade, header, is, mapped, match, named, one, pairs, places, some, there, width, x };
