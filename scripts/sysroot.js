// Fetches what compiling for Debian on another kind of machine takes: its headers and libraries.
//
// The packages are downloaded by apt, checked as ever, and unpacked under build/; nothing is
// installed, and apt's own state stays as it is, since this one works in a folder of its own. They
// come from the sources that this system has, Debian 12 for packages that run with glibc 2.36.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, note, stop } = require('./setup.js');

const debian = [
  'llvm-22-dev', 'liblld-22', 'liblld-22-dev', 'zlib1g-dev', 'libzstd-dev',
  'libc6', 'libc6-dev', 'linux-libc-dev', 'libgcc-s1', 'libgcc-12-dev', 'libstdc++6', 'libstdc++-12-dev',
];

/**
 * Runs a command or ends the process.
 *
 * @param {string[]} line
 * @param {{ cwd?: string, env?: Record<string, string> }} [options]
 */
function need([command, ...words], { cwd = root, env = {} } = {}) {
  const result = spawnSync(command, words, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] });
  if (result.status !== 0) stop(`${command} ${words[0]} did not succeed`);
}

/**
 * A configuration of apt for another architecture, in a folder of its own.
 *
 * @param {string} folder
 * @param {string} arch
 */
function aptFor(folder, arch) {
  for (const part of ['lists/partial', 'cache/archives/partial', 'debs']) fs.mkdirSync(path.join(folder, part), { recursive: true });
  fs.writeFileSync(path.join(folder, 'status'), '');
  const settings = [
    `Dir::State "${folder}"`, `Dir::State::lists "${folder}/lists"`, `Dir::State::status "${folder}/status"`,
    `Dir::Cache "${folder}/cache"`, `APT::Architecture "${arch}"`, `APT::Architectures { "${arch}"; }`,
    'APT::Sandbox::User "root"',
  ];
  const file = path.join(folder, 'apt.conf');
  fs.writeFileSync(file, settings.map((line) => `${line};\n`).join(''));
  return { APT_CONFIG: file };
}

/** Links to absolute paths would leave the folder; makes them relative. @param {string} sysroot */
function relink(sysroot) {
  for (const entry of fs.readdirSync(sysroot, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const folder = entry.parentPath ?? entry.path;
    const link = path.join(folder, entry.name);
    const target = fs.readlinkSync(link);
    if (!path.isAbsolute(target)) continue;
    fs.unlinkSync(link);
    fs.symlinkSync(path.relative(folder, path.join(sysroot, target)), link);
  }
}

/** Makes build/sysroot-<arch> unless it is there. @param {string} arch as Debian and Node.js call it */
function ensureSysroot(arch) {
  const sysroot = path.join(root, 'build', `sysroot-${arch}`);
  const stamp = path.join(sysroot, 'packages.txt');
  const wanted = debian.join('\n');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
  note(`fetching headers and libraries of Debian on ${arch} (55 MB) to build/sysroot-${arch}`);
  fs.rmSync(sysroot, { recursive: true, force: true });
  const own = path.join(root, 'build', `apt-${arch}`);
  const env = aptFor(own, arch);
  const debs = path.join(own, 'debs');
  need(['apt-get', '-qq', 'update'], { env });
  need(['apt-get', '-qq', 'download', ...debian], { cwd: debs, env });
  for (const file of fs.readdirSync(debs)) need(['dpkg-deb', '--extract', path.join(debs, file), sysroot]);
  relink(sysroot);
  fs.rmSync(own, { recursive: true });
  fs.writeFileSync(stamp, wanted);
}

module.exports = { ensureSysroot };
