// What a program of TIR does, statement by statement: obvious and slow, to compare compiled code with.
//
// Scalars are numbers, or bigints where they have 64 bits; a pointer is a typed array and a place in it. Memory
// outside of an array's length is an error here, whatever the program says.
'use strict';

const assert = require('node:assert');

const ARRAYS = {
  f64: Float64Array, f32: Float32Array, i64: BigInt64Array, u64: BigUint64Array, i32: Int32Array, u32: Uint32Array,
  i16: Int16Array, u16: Uint16Array, i8: Int8Array, u8: Uint8Array, bool: Uint8Array,
};
const WIDE = new Set(['i64', 'u64']);
const ROUNDS = 1e7;

class Break { constructor(target) { this.target = target; } }
class Continue { constructor(target) { this.target = target; } }
class Return { constructor(values) { this.values = values; } }
class Thrown { constructor(site, values) { this.site = site; this.values = values; } }

/** A whole number as one of a type: the low bits. */
function wrapped(type, x) {
  if (type === 'bool') return Boolean(x);
  const bits = type.endsWith('64') ? 64 : Number(type.slice(1));
  const whole = type[0] === 'u' ? BigInt.asUintN(bits, BigInt(x)) : BigInt.asIntN(bits, BigInt(x));
  return bits === 64 ? whole : Number(whole);
}

const isFloat = (type) => type === 'f64' || type === 'f32';
const rounded = (type, x) => (type === 'f32' ? Math.fround(x) : x);

function saturated(type, x) {
  if (Number.isNaN(x)) return wrapped(type, 0);
  const bits = BigInt(type.endsWith('64') ? 64 : Number(type.slice(1)));
  const [lo, hi] = type[0] === 'u' ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  const whole = x === Infinity ? hi : x === -Infinity ? lo : BigInt(Math.trunc(x));
  return wrapped(type, whole < lo ? lo : whole > hi ? hi : whole);
}

function converted(from, type, x) {
  if (type === 'bool') return isFloat(from) ? x !== 0 : Boolean(x);
  if (isFloat(type)) return rounded(type, Number(x));
  return isFloat(from) ? saturated(type, x) : wrapped(type, typeof x === 'boolean' ? Number(x) : x);
}

function cast(from, type, x) {
  const view = new ARRAYS[from](1);
  view[0] = x;
  return new ARRAYS[type](view.buffer)[0];
}

const exact = (f) => (type, a, b) => (isFloat(type) ? rounded(type, f(a, b)) : wrapped(type, f(BigInt(a), BigInt(b))));
const sides = (f) => (_type, a, b) => f(a, b);

const OPS = {
  add: exact((a, b) => a + b),
  sub: exact((a, b) => a - b),
  mul: exact((a, b) => a * b),
  div: (type, a, b) => (isFloat(type) ? rounded(type, a / b) : wrapped(type, Number(b) === 0 ? -1 : BigInt(a) / BigInt(b))),
  rem: (type, a, b) => (isFloat(type) ? rounded(type, a % b) : Number(b) === 0 ? a : wrapped(type, BigInt(a) % BigInt(b))),
  neg: (type, a) => (isFloat(type) ? -a : wrapped(type, -BigInt(a))),
  abs: (type, a) => (isFloat(type) ? Math.abs(a) : wrapped(type, a < 0 ? -BigInt(a) : a)),
  min: (type, a, b) => (isFloat(type) ? Math.min(a, b) : a < b ? a : b),
  max: (type, a, b) => (isFloat(type) ? Math.max(a, b) : a > b ? a : b),
  floor: (_type, a) => Math.floor(a),
  ceil: (_type, a) => Math.ceil(a),
  trunc: (_type, a) => Math.trunc(a),
  sqrt: (type, a) => rounded(type, Math.sqrt(a)),
  and: (type, a, b) => (type === 'bool' ? a && b : wrapped(type, BigInt(a) & BigInt(b))),
  or: (type, a, b) => (type === 'bool' ? a || b : wrapped(type, BigInt(a) | BigInt(b))),
  xor: (type, a, b) => (type === 'bool' ? a !== b : wrapped(type, BigInt(a) ^ BigInt(b))),
  not: (type, a) => (type === 'bool' ? !a : wrapped(type, ~BigInt(a))),
  shl: (type, a, b) => wrapped(type, BigInt(a) << BigInt(b)),
  shr: (type, a, b) => wrapped(type, BigInt(a) >> BigInt(b)),
  eq: sides((a, b) => a === b),
  ne: sides((a, b) => a !== b),
  lt: sides((a, b) => a < b),
  le: sides((a, b) => a <= b),
  gt: sides((a, b) => a > b),
  ge: sides((a, b) => a >= b),
  is_nan: (_type, a) => Number.isNaN(a),
  is_finite: (_type, a) => Number.isFinite(a),
  js_round: (_type, a) => Math.round(a),
};

class Machine {
  constructor(program) {
    this.program = program;
    this.rounds = 0;
    this.data = program.data.map(({ dtype, values }) => ({ memory: ARRAYS[dtype].from(values), at: 0 }));
  }

  // --- expressions ---

  pointer(frame, e) {
    if (e.op === 'data') return this.data[e.index];
    if (e.op === 'local') return frame.get(e.local);
    const base = this.pointer(frame, e.args[0]);
    return { memory: base.memory, at: base.at + Number(this.value(frame, e.args[1])) };
  }

  /** The element of memory at an index of an array, which must be there. */
  element(frame, array, index) {
    const { memory, at } = this.pointer(frame, array.pointer);
    assert.ok(at + index >= 0 && at + index < memory.length, `element ${index} of ${at} + … in ${memory.length}`);
    return [memory, at + index];
  }

  isAccessible(frame, array, index, valid) {
    return index >= 0 && index < Number(this.value(frame, array.length)) && (!valid || this.value(frame, valid));
  }

  load(frame, e) {
    const index = Number(this.value(frame, e.args[0]));
    if (e.missing && !this.isAccessible(frame, e.array, index, e.valid)) return e.missing.value;
    const [memory, at] = this.element(frame, e.array, index);
    return e.array.dtype === 'bool' ? memory[at] !== 0 : converted(e.array.dtype, e.type, memory[at]);
  }

  value(frame, e) {
    const args = () => e.args.map((arg) => this.value(frame, arg));
    switch (e.op) {
      case 'const':
        return WIDE.has(e.type) ? BigInt(e.value) : e.value;
      case 'local':
        return frame.get(e.local);
      case 'load':
        return this.load(frame, e);
      case 'choose':
      case 'select':
        return this.value(frame, this.value(frame, e.args[0]) ? e.args[1] : e.args[2]);
      case 'andalso':
        return this.value(frame, e.args[0]) && this.value(frame, e.args[1]);
      case 'orelse':
        return this.value(frame, e.args[0]) || this.value(frame, e.args[1]);
      case 'wrap': {
        const x = args()[0];
        return wrapped(e.type, Number.isFinite(x) ? BigInt(Math.trunc(x)) : 0);
      }
      case 'overflows': {
        const [a, b] = args().map(BigInt);
        const whole = { add: a + b, sub: a - b, mul: a * b }[e.what];
        return BigInt(wrapped(e.args[0].type, whole)) !== whole;
      }
      case 'convert':
        return converted(e.args[0].type, e.type, args()[0]);
      case 'bitcast':
        return cast(e.args[0].type, e.type, args()[0]);
      default:
        return OPS[e.op](e.args[0].type, ...args());
    }
  }

  // --- statements ---

  body(frame, body) {
    for (const s of body) this.statement(frame, s);
  }

  statement(frame, s) {
    switch (s.kind) {
      case 'let':
        return frame.set(s.local, s.local.type.endsWith('*') ? this.pointer(frame, s.value) : this.value(frame, s.value));
      case 'set':
        return frame.set(s.local, this.value(frame, s.value));
      case 'store':
        return this.store(frame, s);
      case 'if':
        return this.body(frame, this.value(frame, s.test) ? s.then : s.otherwise);
      case 'loop':
        return this.loop(frame, s);
      case 'prange':
        for (let i = this.value(frame, s.lo); i < this.value(frame, s.hi); i++) {
          frame.set(s.local, i);
          if (!this.round(frame, s)) break;
        }
        return undefined;
      case 'block':
        return this.leaving(s, () => this.body(frame, s.body));
      case 'break':
        throw new Break(s.target);
      case 'continue':
        throw new Continue(s.target);
      case 'return':
        throw new Return(s.values.map((e) => this.value(frame, e)));
      case 'throw':
        throw new Thrown(s.site, s.values.map((e) => this.value(frame, e)));
      case 'call': {
        const args = s.args.map((e) => (e.type.endsWith('*') ? this.pointer(frame, e) : this.value(frame, e)));
        return this.call(s.callee, args).forEach((value, i) => frame.set(s.results[i], value));
      }
      case 'alloc':
      case 'stack':
        return frame.set(s.local, { memory: new ARRAYS[s.dtype](Number(s.kind === 'stack' ? s.count : this.value(frame, s.count))), at: 0 });
      case 'fill': {
        const value = converted(s.value.type, s.array.dtype, this.value(frame, s.value));
        for (let i = Number(this.value(frame, s.from)); i < Number(this.value(frame, s.to)); i++) this.put(frame, s.array, i, value);
        return undefined;
      }
      default:
        return this.copy(frame, s);
    }
  }

  put(frame, array, index, value) {
    const [memory, at] = this.element(frame, array, index);
    memory[at] = value;
  }

  store(frame, s) {
    const index = Number(this.value(frame, s.index));
    const value = converted(s.value.type, s.array.dtype, this.value(frame, s.value));
    if (!s.checked || this.isAccessible(frame, s.array, index, s.valid)) this.put(frame, s.array, index, value);
  }

  copy(frame, s) {
    const [at, from, count] = [s.at, s.from, s.count].map((e) => Number(this.value(frame, e)));
    const elements = Array.from({ length: count }, (_, k) => {
      const [memory, place] = this.element(frame, s.source, from + k);
      return memory[place];
    });
    elements.forEach((element, k) => this.put(frame, s.target, at + k, converted(s.source.dtype, s.target.dtype, element)));
  }

  leaving(target, inside) {
    try {
      inside();
      return true;
    } catch (way) {
      if (way instanceof Break && way.target === target) return false;
      throw way;
    }
  }

  /** The body of a loop once; false if it was left. */
  round(frame, s) {
    if (++this.rounds > ROUNDS) throw new Error('too many rounds');
    return this.leaving(s, () => {
      try {
        this.body(frame, s.body);
      } catch (way) {
        if (!(way instanceof Continue && way.target === s)) throw way;
      }
    });
  }

  loop(frame, s) {
    for (let first = true; ; first = false) {
      if (!first || !s.late) {
        this.body(frame, s.before);
        if (s.test && !this.value(frame, s.test)) return;
      }
      if (!this.round(frame, s)) return;
      this.body(frame, s.update);
    }
  }

  call(func, args) {
    const frame = new Map(func.params.map((param, i) => [param, args[i]]));
    try {
      this.body(frame, func.body);
    } catch (way) {
      if (way instanceof Return) return way.values;
      throw way;
    }
    throw new Error(`${func.name} has no end`);
  }
}

/**
 * Runs a program on scalars and typed arrays, which are changed, in the order of its ports.
 *
 * @returns {{ results: any[] } | { site: number, values: any[] }}
 */
function evaluate(program, given) {
  const machine = new Machine(program);
  const args = program.ports.flatMap((port, i) => (port.kind === 'scalar' ? [given[i]] : [{ memory: given[i], at: 0 }, BigInt(given[i].length)]));
  try {
    return { results: machine.call(program.entry, args) };
  } catch (way) {
    if (way instanceof Thrown) return { site: way.site, values: way.values };
    throw way;
  }
}

module.exports = { evaluate };
