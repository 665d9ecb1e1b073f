/**
 * The npm packages: what is in the tarballs, that they install without a registry and run, that a
 * machine without a fitting addon is told why, and that the addon loads wherever it is promised to.
 * Other versions of Node.js, older processors and empty systems are tried by `npm run test:package`.
 */
'use strict';

const test = require('node:test');
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, llvm } = require('../scripts/setup.js');
const { checkAddon } = require('../scripts/elf.js');
const { packages } = require('../scripts/package.js');
const { explain } = require('../lib/base/addon.js');

const version = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).version;

/** What a packed graphjit holds, by first path component. */
const parts = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|CMakeLists\.txt|(addon|docs|examples|lib|scripts|src|node_modules)\/.*)$/;
const machine = `linux-${process.arch}`;
const addonPackage = `@graphjit/${machine}`;

/** @type {string} */
let project;

/**
 * Runs a command in the project with nothing in the environment but a path.
 *
 * @param {string[]} line
 * @param {Record<string, string>} [env]
 */
function run([command, ...words], env = {}) {
  const bare = { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`, HOME: project, GRAPHJIT_CACHE: 'off', ...env };
  const result = spawnSync(command, words, { cwd: project, encoding: 'utf8', env: bare, stdio: ['ignore', 'pipe', 'pipe'] });
  return { status: result.status, out: result.stdout, err: result.stderr };
}

/** @param {string} file */
const entries = (file) => run(['tar', 'tzf', file]).out.trim().split('\n').map((name) => name.replace(/^package\//, ''));

/** @param {string} folder @returns {number} */
function bytesIn(folder) {
  const list = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return list.filter((entry) => entry.isFile()).reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

test.before(() => {
  project = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-package-'));
});
test.after(() => fs.rmSync(project, { recursive: true, force: true }));

/** What a script prints, which has graphjit and a function that gives the files of lib that are loaded. @param {string} script */
function printed(script) {
  const opening = `
    const graphjit = require(process.argv[1]);
    const lib = require('node:path').join(process.argv[1], 'lib/');
    const loaded = () => Object.keys(require.cache).filter((file) => file.startsWith(lib)).map((file) => file.slice(lib.length));`;
  const result = spawnSync(process.execPath, ['-e', opening + script, root], { encoding: 'utf8' });
  assert.equal(result.status, 0, result.stderr);
  return JSON.parse(result.stdout);
}

test('a name is loaded when somebody asks for it', () => {
  const start = ['base/addon.js', 'base/binding.js', 'base/errors.js', 'index.js', 'ops/names.js'];
  assert.deepEqual(printed('console.log(JSON.stringify(loaded()))').sort(), start);
  const steps = printed(`
    const has = () => ['files/index.js', 'random/index.js', 'trace/jit.js'].map((file) => loaded().includes(file));
    const all = [has()];
    graphjit.jit((x) => x);
    all.push(has());
    graphjit.random;
    console.log(JSON.stringify([...all, has()]));`);
  assert.deepEqual(steps, [[false, false, false], [false, false, true], [false, true, true]]);
});

test('a small graph loads no more than it needs', () => {
  const files = printed(`
    const graph = new graphjit.Graph('small');
    const x = graph.input('x', 'f64', [4]);
    graph.output('y', x.mul(x).add(1).sqrt());
    graph.compile().run({ x: Float64Array.of(1, 2, 3, 4) });
    console.log(JSON.stringify(loaded()));`);
  assert.deepEqual(files.filter((name) => name.startsWith('ops/')).sort(), ['ops/elementwise.js', 'ops/index.js', 'ops/names.js']);
  assert.ok(files.length <= 34, `${files.length} files`);
});

test('names that are not loaded yet look like all others', () => {
  const [keys, destructured, spread, same, last] = printed(`
    const keys = Object.keys(graphjit);
    const { add, tensor, Tensor, cond } = graphjit;
    const copy = { ...graphjit };
    console.log(JSON.stringify([
      keys, [add, tensor, Tensor, cond].map((value) => value.name), Object.keys(copy).filter((name) => copy[name] === undefined),
      add === graphjit.add && copy.add === add && graphjit.Tensor === Tensor, Object.keys(graphjit).length,
    ]));`);
  assert.deepEqual(destructured, ['add', 'tensor', 'Tensor', 'cond']);
  assert.deepEqual(spread, []);
  assert.ok(same);
  assert.equal(last, keys.length);
  const { members } = require('../lib/library.js');
  assert.deepEqual(Object.keys(members).filter((name) => !keys.includes(name)), []);
});

test('packages are not installed through a link into the folder of another checkout', () => {
  const [own, other] = ['linked', 'other'].map((name) => path.join(project, name));
  fs.mkdirSync(path.join(own, 'scripts'), { recursive: true });
  fs.mkdirSync(other);
  fs.writeFileSync(path.join(other, 'kept'), '');
  fs.symlinkSync(other, path.join(own, 'node_modules'));
  fs.copyFileSync(path.join(root, 'scripts', 'setup.js'), path.join(own, 'scripts', 'setup.js'));
  fs.writeFileSync(path.join(own, 'package.json'), '{ "name": "own", "version": "1.0.0" }');
  fs.writeFileSync(path.join(own, 'package-lock.json'), '{ "lockfileVersion": 3, "packages": { "": {}, "node_modules/absent": { "version": "1.0.0" } } }');
  const { status, err } = run([process.execPath, '-e', `require(${JSON.stringify(path.join(own, 'scripts', 'setup.js'))}).ensurePackages()`]);
  assert.equal(status, 1);
  assert.match(err, /node_modules is a link to .*other, which is not as package-lock\.json says/);
  assert.deepEqual(fs.readdirSync(other), ['kept']);
});

test('the addon needs nothing but libc and libm, not newer than promised', () => {
  assert.deepEqual(checkAddon(path.join(root, 'build', 'release', 'graphjit.node')), []);
  const faults = checkAddon(path.join(llvm, 'bin', 'llvm-readelf')).join('\n');
  assert.match(faults, /needs the library libLLVM/);
  assert.match(faults, /does not export napi_register_module_v1/);
});

test('packs, installs without a registry, and runs', () => {
  const [addon, main] = packages([]);
  assert.equal(path.basename(main), `graphjit-${version}.tgz`);
  assert.equal(path.basename(addon), `graphjit-${machine}-${version}.tgz`);
  assert.deepEqual(entries(addon).sort(), ['LICENSE', 'README.md', 'graphjit.node', 'package.json']);
  const names = entries(main);
  assert.deepEqual(names.filter((name) => !parts.test(name)), []);
  for (const name of fs.readdirSync(path.join(root, 'lib'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const file = path.relative(root, path.join(name.parentPath ?? name.path, name.name));
    assert.ok(names.includes(file), `${file} is in the package`);
  }

  fs.writeFileSync(path.join(project, 'package.json'), '{}');
  const installed = run(['npm', 'install', '--offline', '--no-audit', '--no-fund', addon, main]);
  assert.equal(installed.status, 0, installed.err);
  assert.ok(bytesIn(path.join(project, 'node_modules')) < 83e6, 'the installed size is under 83 MB');
  fs.copyFileSync(path.join(__dirname, 'package', 'probe.js'), path.join(project, 'probe.js'));
  const probe = run([process.execPath, 'probe.js']);
  assert.equal(probe.status, 0, probe.err);
  assert.equal(JSON.parse(probe.out).node, process.version);

  const twice = 'graph "twice" {\n  %1 = param "x" : f64[n]\n  %2 = add %1, %1 : f64[n]\n  output "z" = %2\n}\n';
  fs.writeFileSync(path.join(project, 'program.gj'), twice);
  const view = run([path.join('node_modules', '.bin', 'graphjit'), 'view', 'program.gj', '-o', 'page.html']);
  assert.equal(view.status, 0, view.err);
  assert.match(fs.readFileSync(path.join(project, 'page.html'), 'utf8'), /^<!doctype html>/i);
});

test('the install step is silent with the addon there, and says what is missing without', () => {
  const step = [process.execPath, 'node_modules/graphjit/scripts/run.js', 'install'];
  assert.deepEqual(run(step), { status: 0, out: '', err: '' });

  const home = path.join(project, 'node_modules', addonPackage);
  fs.renameSync(home, `${home}.away`);
  const without = run(step, { GRAPHJIT_LLVM: '/nowhere', PATH: '/nowhere' });
  assert.equal(without.status, 0);
  assert.match(without.err, new RegExp(`installed without an addon.*${addonPackage}: not installed`));
  assert.match(without.err, /building one here needs CMake 3\.25 or newer \(cmake\), .*LLVM 22 libraries/);
  const use = run([process.execPath, '-e', 'require("graphjit")']);
  assert.match(use.err, new RegExp(`graphjit/build/release/graphjit\\.node: not built\n  ${addonPackage}: not installed\n`));
  assert.match(use.err, new RegExp(`npm install ${addonPackage}@${version}`));
  fs.renameSync(`${home}.away`, home);
});

test('an addon of another version is refused, and a broken one named', () => {
  const home = path.join(project, 'node_modules', addonPackage);
  const manifest = path.join(home, 'package.json');
  const text = fs.readFileSync(manifest, 'utf8');
  fs.writeFileSync(manifest, text.replace(`"version": "${version}"`, '"version": "9.9.9"'));
  const use = () => run([process.execPath, '-e', 'require("graphjit")']);
  assert.match(use().err, new RegExp(`${addonPackage}: is version 9\\.9\\.9, and this is graphjit ${version}`));
  fs.writeFileSync(manifest, text);
  fs.writeFileSync(path.join(home, 'graphjit.node'), 'not an addon');
  assert.match(use().err, new RegExp(`${addonPackage}: .*graphjit\\.node: (file too short|invalid ELF header)`));
  const named = run([process.execPath, '-e', 'require("graphjit")'], { GRAPHJIT_ADDON: 'other.node' }).err;
  assert.match(named, /other\.node \(GRAPHJIT_ADDON\): Cannot find module/);
  assert.doesNotMatch(named, /not built/, 'no other place is tried');
});

test('the message fits the system', () => {
  const failures = [{ place: 'here', reason: 'not built' }];
  const say = (/** @type {string} */ kind, /** @type {string | undefined} */ glibc, isInstalled = true) =>
    explain(failures, { kind, glibc, isInstalled });
  assert.equal(
    say('linux-x64', '2.36'),
    `the addon of graphjit does not load
  here: not built
Install the prebuilt addon: npm install @graphjit/linux-x64@${version} (npm leaves it out with --omit=optional)
or build it from source, which says what it needs: npm rebuild graphjit --foreground-scripts`,
  );
  assert.match(say('linux-x64', '2.40', false), /what it needs: npm run build$/);
  assert.match(say('linux-arm64', undefined), /need glibc 2\.36 or newer; this system has another C library, such as musl\./);
  assert.match(say('linux-x64', '2.9'), /need glibc 2\.36 or newer; this system has 2\.9\./);
  assert.match(say('linux-ia32', '2.36'), /prebuilt addons for linux-x64 and linux-arm64, not for linux-ia32\./);
});
