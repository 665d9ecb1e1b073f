// Makes sure that the tools and packages a goal needs are there.
//
// Looks at files, not at package managers: that takes a millisecond, and a tool installed in
// another way is as good. On Debian and its kin missing packages are installed through apt, as
// root or through sudo without a password; elsewhere they are named. LLVM is looked for in
// /usr/lib/llvm-22, or where GRAPHJIT_LLVM points.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const root = path.join(__dirname, '..');
const llvm = process.env.GRAPHJIT_LLVM || '/usr/lib/llvm-22';

/**
 * @typedef {object} Tool
 * @property {string} apt       the Debian package that has it
 * @property {string} what      its name and purpose for people
 * @property {string} [command] found in PATH
 * @property {string} [file]    or found as this file
 */

/** @type {Record<'build' | 'test', Tool[]>} */
const tools = {
  build: [
    { apt: 'cmake', what: 'CMake 3.25 or newer', command: 'cmake' },
    { apt: 'ninja-build', what: 'ninja, which runs the build', command: 'ninja' },
    { apt: 'clang-22', what: 'clang 22, the C compiler', file: `${llvm}/bin/clang` },
    { apt: 'lld-22', what: 'lld 22, the linker', file: `${llvm}/bin/ld.lld` },
    { apt: 'llvm-22-dev', what: 'LLVM 22 libraries', file: `${llvm}/lib/libLLVMCore.a` },
    { apt: 'liblld-22-dev', what: 'lld 22 libraries', file: `${llvm}/lib/liblldWasm.a` },
  ],
  test: [
    { apt: 'gcc', what: 'gcc, for its warnings', command: 'gcc' },
    { apt: 'g++', what: 'g++, for its warnings', command: 'g++' },
    { apt: 'clang-format-14', what: 'clang-format 14', command: 'clang-format-14' },
    { apt: 'libclang-rt-22-dev', what: 'sanitizers of clang 22', file: `${llvm}/lib/clang/22/lib/linux` },
    { apt: 'libmpfr-dev', what: 'MPFR, the reference for the math library', file: '/usr/include/mpfr.h' },
    { apt: 'valgrind', what: 'valgrind', command: 'valgrind' },
    { apt: 'gcc-aarch64-linux-gnu', what: 'gcc for arm64', command: 'aarch64-linux-gnu-gcc' },
    { apt: 'libc6-dev-arm64-cross', what: 'libc for arm64', file: '/usr/aarch64-linux-gnu/lib/libc.a' },
    { apt: 'gcc-riscv64-linux-gnu', what: 'gcc for riscv64', command: 'riscv64-linux-gnu-gcc' },
    { apt: 'libc6-dev-riscv64-cross', what: 'libc for riscv64', file: '/usr/riscv64-linux-gnu/lib/libc.a' },
    { apt: 'gcc-arm-linux-gnueabihf', what: 'gcc for arm', command: 'arm-linux-gnueabihf-gcc' },
    { apt: 'libc6-dev-armhf-cross', what: 'libc for arm', file: '/usr/arm-linux-gnueabihf/lib/libc.a' },
    { apt: 'qemu-user', what: 'QEMU, which runs objects for other machines', command: 'qemu-aarch64' },
    { apt: 'libonnx-testdata', what: 'recorded ONNX tests', file: '/usr/share/libonnx-testdata/data' },
    { apt: 'chromium', what: 'Chromium, for what runs in browsers', file: '/usr/bin/chromium' },
  ],
};

/** @param {string} message */
function note(message) {
  console.error(`graphjit: ${message}`);
}

/** Ends the process with a message. @param {string} message @returns {never} */
function stop(message) {
  note(message);
  process.exit(1);
}

/** @param {string} name */
function inPath(name) {
  const folders = (process.env.PATH || '').split(path.delimiter);
  return folders.some((folder) => fs.existsSync(path.join(folder, name)));
}

/** @param {Tool} tool */
function isPresent(tool) {
  return tool.command ? inPath(tool.command) : fs.existsSync(String(tool.file));
}

/**
 * Runs apt-get and returns whether it succeeded.
 *
 * @param {string[]} words
 * @param {'inherit' | 'ignore'} output
 */
function apt(words, output) {
  const asRoot = process.getuid && process.getuid() === 0;
  const line = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-o=Dpkg::Use-Pty=0', ...words];
  const [command, ...rest] = asRoot ? line : ['sudo', '-n', ...line];
  return spawnSync(command, rest, { stdio: ['ignore', output, output] }).status === 0;
}

const byHand =
  'this system has no apt-get; install these by hand, and set GRAPHJIT_LLVM if LLVM 22 is not in /usr/lib/llvm-22';

/** @param {string[]} names */
function aptLine(names) {
  return `apt-get install --no-install-recommends ${names.join(' ')}`;
}

/** Installs packages of Debian, or says how to and ends the process. @param {string[]} names */
function installPackages(names) {
  const command = aptLine(names);
  if (process.env.GRAPHJIT_NO_APT) {
    stop(`install them with: ${command}`);
  }
  note(`installing them with: ${command}`);
  const install = ['install', '-y', '--no-install-recommends', ...names];
  // The package lists are fetched only when they cannot do: absent, or naming files that are gone.
  const isKnown = apt(['--simulate', ...install], 'ignore');
  if (!(isKnown && apt(install, 'inherit')) && !(apt(['update'], 'inherit') && apt(install, 'inherit'))) {
    stop(`apt-get did not install them (root or sudo without a password is needed); run: ${command}`);
  }
}

/** @param {'build' | 'test'} goal  'test' includes 'build' */
function missingTools(goal) {
  const wanted = goal === 'test' ? [...tools.build, ...tools.test] : tools.build;
  return wanted.filter((tool) => !isPresent(tool));
}

/** @param {Tool[]} list */
function listTools(list) {
  return list.map((tool) => `${tool.what} (${tool.apt})`).join(', ');
}

/** How a person gets these tools. @param {Tool[]} list */
function howToInstall(list) {
  return inPath('apt-get') ? `install them with: ${aptLine(list.map((tool) => tool.apt))}` : byHand;
}

/**
 * Installs what is missing for `goal`, or says what is missing and ends the process.
 *
 * @param {'build' | 'test'} goal
 */
function ensureTools(goal) {
  const missing = missingTools(goal);
  if (missing.length === 0) {
    return;
  }
  note(`missing: ${listTools(missing)}`);
  if (!inPath('apt-get')) {
    stop(byHand);
  }
  installPackages(missing.map((tool) => tool.apt));
  const still = missing.filter((tool) => !isPresent(tool));
  if (still.length > 0) {
    stop(`installed, but not found: ${still.map((tool) => tool.command || tool.file).join(', ')}`);
  }
}

/** Whether node_modules holds exactly what package-lock.json asks for on this platform. */
function arePackagesCurrent() {
  try {
    const read = (/** @type {string} */ file) => JSON.parse(fs.readFileSync(path.join(root, file), 'utf8')).packages;
    const wanted = read('package-lock.json');
    const present = read('node_modules/.package-lock.json');
    return Object.keys(wanted).every(
      (key) => key === '' || (present[key] ? present[key].version === wanted[key].version : wanted[key].optional),
    );
  } catch {
    return false;
  }
}

/** Runs `npm ci` unless node_modules is as package-lock.json says. */
function ensurePackages() {
  if (arePackagesCurrent()) {
    return;
  }
  const folder = path.join(root, 'node_modules');
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm ci would empty the folder at the end of the link, which belongs to another checkout.
    stop(
      `node_modules is a link to ${fs.readlinkSync(folder)}, which is not as package-lock.json says; remove the link, or install there`,
    );
  }
  note('installing npm packages with: npm ci --ignore-scripts');
  // No package needs its scripts, and our own would build a second time.
  const result = spawnSync('npm', ['ci', '--ignore-scripts'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) {
    stop('npm ci did not succeed');
  }
}

module.exports = {
  root, llvm, note, stop, inPath, missingTools, listTools, howToInstall, installPackages, ensureTools, ensurePackages,
};
