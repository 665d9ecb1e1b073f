// Says whether an addon loads on every system it is meant for, from what its file asks of them.
//
// It may need libc, libm and the loader, symbols of glibc up to the version that is promised, and the
// functions of Node-API, which the process has. Weak references may stay open: nothing has to have them.
'use strict';

const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { llvm } = require('./setup.js');

const newestGlibc = [2, 36];
const allowedLibraries = /^(libc\.so\.6|libm\.so\.6|ld-linux-[a-z0-9-]+\.so\.[12])$/;
const entryPoints = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];

/** Lines that one of LLVM's tools prints about a file. @param {string} tool @param {string[]} words */
function lines(tool, ...words) {
  const result = spawnSync(path.join(llvm, 'bin', tool), words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (result.status !== 0) throw new Error(`${tool} ${words.join(' ')}: ${result.error?.message ?? result.stderr}`);
  return result.stdout.split('\n').filter(Boolean);
}

/** Whether no system has to have this undefined symbol beyond what is promised. @param {string} line */
function isPromised(line) {
  const [kind, symbol] = line.trim().split(/\s+/);
  const [name, version = ''] = symbol.split('@');
  const [, major, minor] = /^GLIBC_(\d+)\.(\d+)/.exec(version) ?? [];
  if ((kind === 'w' && !version) || /^(napi|node_api)_/.test(name)) return true;
  return Number(major) === newestGlibc[0] && Number(minor) <= newestGlibc[1];
}

/** What keeps the addon from loading everywhere; nothing, if all is well. @param {string} file */
function checkAddon(file) {
  const needed = lines('llvm-readelf', '--dynamic-table', file)
    .map((line) => /\(NEEDED\).*\[(.*)\]/.exec(line)?.[1])
    .filter((name) => name !== undefined);
  const exported = lines('llvm-nm', '--dynamic', '--defined-only', '--format=just-symbols', file);
  const wanted = lines('llvm-nm', '--dynamic', '--undefined-only', '--format=bsd', file);
  return [
    ...needed.filter((name) => !allowedLibraries.test(name)).map((name) => `it needs the library ${name}`),
    ...wanted.filter((line) => !isPromised(line)).map((line) => `it needs the symbol ${line.trim().split(/\s+/)[1]}`),
    ...exported.filter((name) => !entryPoints.includes(name)).map((name) => `it exports ${name}`),
    ...entryPoints.filter((name) => !exported.includes(name)).map((name) => `it does not export ${name}`),
  ];
}

module.exports = { checkAddon };
