/**
 * `graphjit targets`: what `compile --target`, `--cpu` and `--features` may name.
 */
'use strict';

const { meantBy, usage } = require('./errors.js');
const { examples, shared } = require('./options.js');
const { styleOf, table, toJson, write } = require('./print.js');

/** @typedef {import('../index.d.ts').Target} Target */

const WIDTH = 78;

/** Words in lines. @type {(words: readonly string[]) => string} */
function filled(words) {
  const lines = [''];
  for (const word of words) {
    const last = lines[lines.length - 1];
    if (last !== '' && last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line) => `  ${line}\n`).join('');
}

/** @type {(target: Target) => string} */
function detailed({ arch, triple, cpus, features }) {
  const style = styleOf(process.stdout);
  const part = (/** @type {string} */ title, /** @type {readonly string[]} */ words) =>
    `\n${style.bold(title)}\n${words.length > 0 ? filled(words) : '  none are known by name\n'}`;
  return `${style.bold(arch)} ${triple}\n${part('processors', cpus)}${part('features', features)}`;
}

/** @type {(targets: readonly Target[]) => string} */
function listed(targets) {
  const rows = targets.map(({ arch, triple, cpus, features }) => [
    arch, triple, String(cpus.length), String(features.length),
  ]);
  const own = [
    ['native', 'this machine', '', ''],
    ['wasm', 'WebAssembly modules with a loader', '', ''],
  ];
  return table([['target', 'stands for', 'processors', 'features'], ...own, ...rows], { right: [2, 3] });
}

/**
 * @param {string | undefined} name
 * @param {{ json?: boolean }} options
 */
function show(name, { json }) {
  const all = require('../graph/object-file.js').targets();
  if (name === undefined) {
    write(json ? toJson({ targets: all }) : listed(all));
    return;
  }
  const found = all.find(({ arch, triple }) => name === arch || name === triple);
  if (found) {
    write(json ? toJson(found) : detailed(found));
    return;
  }
  const known = all.map(({ arch }) => arch);
  usage(`unknown target '${name}'${meantBy(name, known)}, known are ${known.join(', ')}`);
}

/** @param {import('commander').Command} program */
function register(program) {
  program
    .command('targets')
    .summary('list what can be compiled for')
    .description('Lists the targets that graphjit can compile for, or the processors and features of one.')
    .argument('[target]', 'one of them')
    .addOption(shared.json())
    .addHelpText('after', examples(['graphjit targets', 'graphjit targets aarch64']))
    .action(show);
}

module.exports = { register };
