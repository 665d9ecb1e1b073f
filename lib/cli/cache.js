/**
 * `graphjit cache`: where compiled code is kept, how much there is, making it less.
 */
'use strict';

const { EXIT, stop, usage } = require('./errors.js');
const { examples, shared } = require('./options.js');
const { bytesText, table, toJson, write } = require('./print.js');

const UNITS = Object.freeze({ '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 });

/** @type {(text: string) => number} "64M", "64MiB", "1000" */
function readBytes(text) {
  const found = /^(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?$/i.exec(text);
  if (!found) return usage(`expected a size such as 64M for --to, got '${text}'`);
  return Math.floor(Number(found[1]) * UNITS[/** @type {keyof typeof UNITS} */ (found[2].toUpperCase())]);
}

const load = () => require('../native.js').native;

/** @type {(count: number) => string} */
const entriesText = (count) => (count === 1 ? '1 entry' : `${count} entries`);

/** @type {(folder: string | undefined) => never} */
const unusable = (folder) =>
  stop(`the folder ${folder} is not used: it must be a folder of yours that nobody else may write to`, { exit: EXIT.environment, code: 'ERR_STATE' });

/** @param {{ json?: boolean }} options */
function show({ json }) {
  const { folder = null, limit, off, usable, entries, bytes } = load().cacheUsage();
  if (json) {
    write(toJson({ folder, limit, off, usable, entries, bytes }));
    return;
  }
  const state = off ? 'switched off by GRAPHJIT_CACHE' : folder === null ? 'there is no folder for it' : usable ? 'in use' : 'not used: others may write to the folder, or it is no folder';
  const rows = [['cache', state], ['folder', folder ?? '-'], ['entries', String(entries)], ['size', `${bytesText(bytes)} of ${bytesText(limit)}`]];
  write(table(rows));
}

/** @type {(bytes: number | undefined, json: boolean | undefined) => void} */
function prune(bytes, json) {
  const native = load();
  const { folder, limit } = native.cacheUsage();
  const { entries, bytes: freed, usable } = native.cachePrune(bytes ?? limit);
  if (!usable) unusable(folder);
  const left = native.cacheUsage();
  if (json) write(toJson({ removed: { entries, bytes: freed }, entries: left.entries, bytes: left.bytes }));
  else write(`removed ${entriesText(entries)}, ${bytesText(freed)}; ${entriesText(left.entries)} left, ${bytesText(left.bytes)}`);
}

/** @param {import('commander').Command} program */
function register(program) {
  const command = program
    .command('cache')
    .summary('show or clear the cache of compiled code')
    .description('Shows where compiled code is kept between processes, and how much.')
    .addOption(shared.json())
    .addHelpText('after', examples(['graphjit cache', 'graphjit cache prune --to 64M', 'graphjit cache clear']))
    .action(show);
  // Options behind a sub-command are its own, but commander gives those it shares to the parent.
  /** @type {(own: import('commander').Command) => { json?: boolean, to?: number }} */
  const all = (own) => own.optsWithGlobals();
  command
    .command('clear')
    .description('Removes all entries.')
    .addOption(shared.json())
    .action((_, own) => prune(0, all(own).json));
  command
    .command('prune')
    .description('Removes the entries that were not used for the longest time.')
    .option('--to <size>', 'how much may stay (default: the limit of the cache)', readBytes)
    .addOption(shared.json())
    .action((_, own) => prune(all(own).to, all(own).json));
}

module.exports = { register };
