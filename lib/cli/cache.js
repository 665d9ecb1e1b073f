/**
 * `graphjit cache`: where compiled code is kept, how much there is, making it less.
 */
'use strict';

const { Argument } = require('commander');
const { EXIT, stop, usage } = require('./errors.js');
const { examples, shared } = require('./options.js');
const { table, toJson, write } = require('./print.js');

const UNITS = Object.freeze({ '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 });

/** @type {(text: string) => number} "64M", "64MiB", "1000" */
function readBytes(text) {
  const found = /^(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?$/i.exec(text);
  if (!found) return usage(`expected a size such as 64M for --to, got '${text}'`);
  const bytes = Math.floor(Number(found[1]) * UNITS[/** @type {keyof typeof UNITS} */ (found[2].toUpperCase())]);
  return Number.isSafeInteger(bytes) ? bytes : usage(`--to ${text} is more than any disk holds`);
}

const { bytesText } = require('../base/format-units.js');
const load = () => require('../base/binding.js').native;

/** @type {(count: number) => string} */
const entriesText = (count) => (count === 1 ? '1 entry' : `${count} entries`);

/** @type {(folder: string | undefined) => never} */
const unusable = (folder) =>
  stop(`the folder ${folder} is not used: it must be a folder of yours that nobody else may write to`, {
    exit: EXIT.environment,
    code: 'ERR_STATE',
  });

/** @param {{ json?: boolean }} options */
function show({ json }) {
  const { folder = null, limit, off, usable, entries, bytes } = load().cacheUsage();
  if (json) {
    write(toJson({ folder, limit, off, usable, entries, bytes }));
    return;
  }
  const state = off
    ? 'switched off by GRAPHJIT_CACHE'
    : folder === null
      ? 'there is no folder for it'
      : usable
        ? 'in use'
        : 'not used: others may write to the folder, or it is no folder';
  const rows = [
    ['cache', state], ['folder', folder ?? '-'], ['entries', String(entries)],
    ['size', `${bytesText(bytes)} of ${bytesText(limit)}`],
  ];
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
  else
    write(
      `removed ${entriesText(entries)}, ${bytesText(freed)}; ${entriesText(left.entries)} left, ${bytesText(left.bytes)}`,
    );
}

/**
 * @param {'show' | 'clear' | 'prune'} action
 * @param {{ json?: boolean, to?: number }} options
 */
function run(action, { json, to }) {
  if (to !== undefined && action !== 'prune') usage(`--to goes with prune, not ${action}`);
  if (action === 'show') show({ json });
  else prune(action === 'clear' ? 0 : to, json);
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('cache')
    .summary('show or clear the cache of compiled code')
    .description(
      'Shows where compiled code is kept between processes, and how much; removes all of it, or what was not used for the longest time.',
    )
    .addArgument(new Argument('[action]', 'what to do').choices(['show', 'clear', 'prune']).default('show'))
    .option('--to <size>', 'for prune: how much may stay (default: the limit of the cache)', readBytes)
    .addOption(shared.json())
    .addHelpText('after', examples(['graphjit cache', 'graphjit cache prune --to 64M', 'graphjit cache clear']))
    .action(run);
}

module.exports = { register };
