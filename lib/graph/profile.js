/**
 * Profiles of programs, and the machine they are compared with.
 *
 * C measures; here its figures become rates and fractions of the roof: the time that a kernel would take
 * if it computed as fast as multiply-adds in registers, or moved its bytes as fast as a sum or a copy of
 * as much memory, whichever is longer. Bytes are counted from shapes, each element once, and operations
 * as the op table says, so that a kernel which loads something twice does not look fast.
 */
'use strict';

const os = require('node:os');
const { native } = require('../base/binding.js');
const { integer, readOptions } = require('../base/check.js');

/** @typedef {ReturnType<import('../base/binding.js').Native['programProfile']>} Figures */
/** @typedef {ReturnType<import('../base/binding.js').Native['machine']>} Machine */
/** @typedef {import('../index.d.ts').KernelInfo} KernelInfo */

const MAX_THREADS = 256;

/** @type {(object: any) => any} frozen, with all that hangs on it */
function frozen(object) {
  for (const value of Object.values(object)) if (typeof value === 'object' && value !== null) frozen(value);
  return Object.freeze(object);
}

/**
 * What this machine can do on so many threads, measured when first asked for.
 *
 * @param {unknown} [options]
 */
function machine(options) {
  const { threads = os.availableParallelism() } = readOptions('machine', options, { threads: integer(1, MAX_THREADS) });
  return frozen({ model: os.cpus()[0]?.model ?? '', cores: os.availableParallelism(), ...native.machine(threads) });
}

/** @type {(machine: Machine, bytes: number) => Machine['bandwidth'][number]} the smallest level that holds so much */
const levelOf = ({ bandwidth }, bytes) =>
  bandwidth.find((level) => bytes <= level.bytes) ?? bandwidth[bandwidth.length - 1];

/**
 * The least time of a kernel in ns, and what it is bound by.
 *
 * @param {Figures['kernels'][number]} kernel
 * @param {Machine} roof
 */
function bestPossible({ bytesRead, bytesWritten, narrowOps, wideOps }, roof) {
  const { level, read, copy } = levelOf(roof, bytesRead + bytesWritten);
  const copied = Math.min(bytesRead, bytesWritten) + bytesWritten;
  const moving = copied / copy + Math.max(0, bytesRead - bytesWritten) / read;
  const computing = narrowOps / roof.peak.f32 + wideOps / roof.peak.f64;
  return computing > moving ? { ns: computing, bound: 'compute' } : { ns: moving, bound: level };
}

/** A quotient where there is something to divide by. @type {(a: number, b: number) => number} */
const ratio = (a, b) => (b > 0 ? a / b : 0);

/** Three figures, without an exponent. @type {(value: number) => string} */
const short = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(3));

/** @type {(value: number) => string} */
const percent = (value) => `${(100 * value).toFixed(0)}%`;

/** @type {(text: string, width: number) => string} */
const clipped = (text, width) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

/** @type {(rows: string[][]) => string} columns, those after the second aligned at their right ends */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  /** @type {(cell: string, column: number) => string} */
  const aligned = (cell, column) => (column < 2 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]));
  return rows.map((row) => row.map(aligned).join('  ').trimEnd()).join('\n');
}

class Profile {
  /**
   * @param {string} name
   * @param {Figures} figures
   * @param {readonly KernelInfo[]} kernels
   * @param {Machine} roof
   */
  constructor(name, { runs, run, kernels: times }, kernels, roof) {
    const inside = times.reduce((sum, { best }) => sum + best, 0);
    const whole = Math.max(run.best, inside);
    this.name = name;
    this.runs = runs;
    this.threads = roof.threads;
    this.bestUs = run.best / 1e3;
    this.medianUs = run.median / 1e3;
    this.outsideUs = (whole - inside) / 1e3;
    this.kernels = times.map((own, i) => {
      const { ns, bound } = bestPossible(own, roof);
      const { bytesRead, bytesWritten, narrowOps, wideOps, best, median } = own;
      return {
        name: kernels[i].name,
        kind: kernels[i].kind,
        ops: kernels[i].ops,
        shape: kernels[i].shape,
        bestUs: best / 1e3,
        medianUs: median / 1e3,
        share: ratio(best, whole),
        bytesRead,
        bytesWritten,
        flops: narrowOps + wideOps,
        gbPerSecond: ratio(bytesRead + bytesWritten, best),
        gflopPerSecond: ratio(narrowOps + wideOps, best),
        roof: ratio(ns, best),
        bound,
      };
    });
    frozen(this);
  }

  toString() {
    const rows = this.kernels.map((kernel) => [
      `${kernel.name} ${kernel.kind}`,
      clipped(kernel.ops, 40),
      ...[kernel.bestUs, kernel.medianUs, kernel.gbPerSecond, kernel.gflopPerSecond].map(short),
      `${percent(kernel.roof)} of ${kernel.bound}`,
      percent(kernel.share),
    ]);
    const whole = Math.max(this.bestUs, this.outsideUs + this.kernels.reduce((sum, { bestUs }) => sum + bestUs, 0));
    rows.unshift(['kernel', 'ops', 'µs', 'median', 'GB/s', 'GFLOP/s', 'roof', 'share']);
    rows.push(['outside kernels', '', short(this.outsideUs), '', '', '', '', percent(ratio(this.outsideUs, whole))]);
    rows.push(['run', '', short(this.bestUs), short(this.medianUs), '', '', '', '']);
    const threads = this.threads === 1 ? '1 thread' : `${this.threads} threads`;
    return `profile of ${this.name}, best of ${this.runs} runs on ${threads}\n${table(rows)}`;
  }

  [Symbol.for('nodejs.util.inspect.custom')]() {
    return this.toString();
  }
}

module.exports = { Profile, machine };
