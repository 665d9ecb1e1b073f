#!/usr/bin/env node
/**
 * The `graphjit` command. This file knows the sub-commands and how a command ends; what they do is in
 * the files of their names.
 *
 * Nothing here loads the addon, so that help comes at once. Sub-commands load it when they run.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { Command, CommanderError } = require('commander');
const { CommandError, EXIT, exitOf, meantBy, reportObject, reportText, usage } = require('./errors.js');
const { examples } = require('./options.js');
const { styleOf, toJson } = require('./print.js');

/** @type {{ version: string }} */
const { version } = JSON.parse(fs.readFileSync(path.join(__dirname, '..', '..', 'package.json'), 'utf8'));

const names = ['compile', 'run', 'verify', 'inspect', 'bench', 'view', 'query', 'targets', 'cache'];

const EXIT_CODES = `
Exit codes:
  0  all went well
  1  the graph, the data or a file is at fault
  2  the command line is at fault
  3  this machine is: no addon, no memory, a folder that cannot be written
  4  graphjit is
`;

function build() {
  const style = styleOf(process.stdout);
  const program = new Command('graphjit')
    .description('Compiles tensor graphs to machine code and WebAssembly, runs and measures them.')
    .version(`graphjit ${version}`, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ styleTitle: style.bold, styleCommandText: style.cyan, styleOptionText: style.cyan })
    .configureOutput({ getOutHasColors: () => true, outputError: () => {} })
    .showSuggestionAfterError(true)
    .exitOverride()
    .addHelpText(
      'after',
      `${EXIT_CODES}${examples([
        'graphjit inspect model.gj --size n=1000',
        'graphjit run model.gj --input x=data.npy --output y=result.npy',
        "graphjit query flights.arrow 'delay > 60'",
        'graphjit help run',
      ])}`,
    );
  for (const name of names) require(`./${name}.js`).register(program);
  program
    .command('help')
    .summary('print the help of a command')
    .argument('[command]')
    .action((name) => {
      const found = name === undefined ? program : program.commands.find((command) => command.name() === name);
      if (found) found.outputHelp();
      else usage(`unknown command '${name}'${meantBy(name, names)}, known are ${names.join(', ')}`);
    });
  return program;
}

/**
 * What commander says of a command line, in one line and with our exit code.
 *
 * @type {(error: CommanderError) => CommandError}
 */
function usageError({ message }) {
  const text = message
    .replace(/^error: /, '')
    .replace(/\n\((Did you mean .*)\)$/s, (_, hint) => ` (d${hint.slice(1)})`);
  return new CommandError(text, { exit: EXIT.usage, code: 'ERR_USAGE' });
}

/** The engine has texts of at most half a gigabyte. @type {(error: unknown) => boolean} */
const isTooLong = (error) => error instanceof RangeError && error.message === 'Invalid string length';
const TOO_LONG = 'the result is too large for a text; write it to a .npy file with --output';

/** @param {unknown} error */
function finish(error) {
  if (error instanceof CommanderError && error.exitCode === 0) return; // help and version are printed
  const own =
    error instanceof CommanderError ? usageError(error) : isTooLong(error) ? new CommandError(TOO_LONG) : error;
  process.exitCode = exitOf(own);
  if (process.argv.includes('--json')) process.stdout.write(`${toJson(reportObject(own))}\n`);
  process.stderr.write(reportText(own, styleOf(process.stderr)));
  if (process.exitCode !== EXIT.usage) return;
  const command = names.includes(process.argv[2]) ? ` ${process.argv[2]}` : '';
  process.stderr.write(`graphjit: 'graphjit${command} --help' shows what there is\n`);
}

async function main() {
  // `graphjit … | head`: the reader has what it wants, and that is no error to tell of.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPIPE') process.exit(EXIT.pipe);
      throw error;
    });
  }
  try {
    const program = build();
    if (process.argv.length <= 2) {
      program.outputHelp({ error: true });
      process.exitCode = EXIT.usage;
      return;
    }
    await program.parseAsync(process.argv);
  } catch (error) {
    finish(error);
  }
}

void main();
