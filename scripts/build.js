// Configures and builds one of the build folders through CMake and ninja.
//
// ninja decides what is out of date, including new and removed files; an unchanged tree costs it
// some 50 ms, so there is no stamp of our own. CMake itself runs again when its arguments changed.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, llvm, note, stop } = require('./setup.js');

const clang = [`-DCMAKE_C_COMPILER=${llvm}/bin/clang`, `-DCMAKE_CXX_COMPILER=${llvm}/bin/clang++`];
const gcc = ['-DCMAKE_C_COMPILER=gcc', '-DCMAKE_CXX_COMPILER=g++'];
// Block kernels and the bitcode of the math library take long to make and are the same for all builds.
const madeBy = 'release';
const tested = ['-DCMAKE_BUILD_TYPE=Debug', '-DGJ_LLVM_SHARED=ON', `-DGJ_MADE=${path.join(root, 'build', madeBy)}`];
const sanitized = [...tested, '-DGJ_SANITIZE=address,undefined', ...clang];

/**
 * What makes CMake compile for Linux on another machine. The block kernels are made by the tool of the
 * release build, which has to be there; libraries come from a copy of that system (sysroot.js).
 *
 * @param {string} processor
 * @param {string} arch
 */
function crossed(processor, arch) {
  const target = `${processor}-linux-gnu`;
  return [
    '-DCMAKE_SYSTEM_NAME=Linux',
    `-DCMAKE_SYSTEM_PROCESSOR=${processor}`,
    `-DCMAKE_SYSROOT=${path.join(root, 'build', `sysroot-${arch}`)}`,
    ...['C', 'CXX', 'ASM'].map((language) => `-DCMAKE_${language}_COMPILER_TARGET=${target}`),
    ...['EXE', 'MODULE'].map((kind) => `-DCMAKE_${kind}_LINKER_FLAGS=-fuse-ld=lld -B${llvm}/bin`),
    '-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER',
    '-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY',
    `-DCMAKE_LIBRARY_ARCHITECTURE=${target}`,
    `-DGJ_BLOCKS_TOOL=${path.join(root, 'build', 'release', 'gj_blocks_tool')}`,
  ];
}

/**
 * What each folder under build/ is for. Only the release build is linked statically: the others
 * link ten times faster against the shared LLVM, and are never shipped.
 *
 * @type {Record<string, string[]>}
 */
const kinds = {
  release: ['-DCMAKE_BUILD_TYPE=Release', '-DGJ_TESTS=OFF', ...clang],
  debug: [...tested, '-DGJ_WERROR=ON', ...gcc],
  asan: sanitized,
  tsan: [...tested, '-DGJ_SANITIZE=thread', ...clang],
  fuzz: [...sanitized, '-DGJ_TESTS=OFF', '-DGJ_FUZZ=ON'],
  arm64: [...clang, ...crossed('aarch64', 'arm64'), '-DCMAKE_BUILD_TYPE=Release', '-DGJ_TESTS=OFF'],
};

/** Where npm put the headers of Node-API: beside this package or above it. */
function nodeApiHeaders() {
  try {
    return path.dirname(require.resolve('node-api-headers/package.json', { paths: [root] }));
  } catch {
    return stop('the npm package node-api-headers is not installed; run: npm install');
  }
}

/**
 * Runs a build tool, showing what it prints only if it does not succeed or has warnings for us.
 *
 * @param {string} what  said if it does not succeed
 * @param {string} command
 * @param {string[]} words
 */
function runOrStop(what, command, words) {
  const result = spawnSync(command, words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (result.status !== 0 || result.stdout.includes('warning:')) {
    process.stdout.write(result.stdout || '');
  }
  if (result.status !== 0) {
    stop(what);
  }
}

/**
 * Builds build/<kind> and returns its path. Ends the process if that does not work.
 *
 * @param {string} kind
 * @param {string} [target]  everything, unless given
 * @returns {string}
 */
function build(kind, target = 'all') {
  if (!kinds[kind]) stop(`there is no build ${kind} here`);
  if (kinds[kind].some((word) => word.startsWith('-DGJ_MADE='))) {
    build(madeBy, 'made');
  }
  const folder = path.join(root, 'build', kind);
  const words = [
    '-S', root, '-B', folder, '-G', 'Ninja', ...kinds[kind],
    `-DGJ_LLVM_CONFIG=${llvm}/bin/llvm-config`,
    `-DGJ_NODE_API_HEADERS=${nodeApiHeaders()}`,
  ];
  const stamp = path.join(folder, 'configured.txt');
  const wanted = words.join('\n');
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== wanted) {
    note(`configuring build/${kind}`);
    fs.rmSync(path.join(folder, 'CMakeCache.txt'), { force: true });
    runOrStop(`build/${kind} was not configured`, 'cmake', words);
    fs.writeFileSync(stamp, wanted);
    note(`building build/${kind}`);
  }
  runOrStop(`build/${kind} did not build`, 'ninja', ['-C', folder, '--quiet', target]);
  return folder;
}

module.exports = { build };
