// Makes the npm packages: graphjit itself, and one with the prebuilt addon for a kind of machine.
//
//   npm run package                  @graphjit/linux-x64 (or what this machine is) and graphjit
//   npm run package -- --arch arm64  @graphjit/linux-arm64, cross-compiled, and graphjit
//
// The tarballs are in build/packages. graphjit has those addon packages that lie there for optional
// dependencies, in exactly its own version: npm takes the one that fits and leaves the others. They
// stand only in the packed manifest, since a checkout builds its addon and no registry has these
// versions yet. npm asks a registry for every optional dependency, fit or not, and for minutes if
// none answers; so one that was not made is not named, and what graphjit depends on is bundled.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { root, note, stop } = require('./setup.js');
const { build } = require('./build.js');
const { checkAddon } = require('./elf.js');
const { ensureSysroot } = require('./sysroot.js');

const out = path.join(root, 'build', 'packages');

/** The machines that have a package, as Node.js calls them. */
const machines = ['x64', 'arm64'];

/** @param {string} arch */
const packageName = (arch) => `@graphjit/linux-${arch}`;

/** @param {string} folder */
const readManifest = (folder) => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));

/**
 * An empty folder to pack, with a manifest and the licence.
 *
 * @param {string} name
 * @param {object} manifest
 */
function stage(name, manifest) {
  const folder = path.join(out, 'stage', name);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  return folder;
}

/** Packs a staged folder and returns the tarball's path. @param {string} folder */
function pack(folder) {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', out];
  const result = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (result.status !== 0) {
    process.stderr.write(result.stderr);
    stop(`npm pack did not succeed in ${folder}`);
  }
  const [{ filename, size, unpackedSize }] = JSON.parse(result.stdout);
  const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  note(`${path.join('build', 'packages', filename)}: ${megabytes(size)}, unpacked ${megabytes(unpackedSize)}`);
  fs.rmSync(folder, { recursive: true });
  return path.join(out, filename);
}

/** Bundles for browsers, source maps, typings and manuals, which nothing in Node loads. @type {(file: string) => boolean} */
const isForOthers = (file) => /^dist(\/|$)|\.map$|\.d\.[cm]?ts$|^(readme|changelog)[^/]*\.md$/i.test(file);

/**
 * Copies a dependency and what it depends on in turn from this checkout's node_modules.
 *
 * @param {string} name
 * @param {string} into the staged node_modules
 */
function bundle(name, into) {
  const from = path.join(root, 'node_modules', name);
  const to = path.join(into, name);
  if (fs.existsSync(to)) return;
  fs.cpSync(from, to, { recursive: true, filter: (file) => !isForOthers(path.relative(from, file)) });
  Object.keys(readManifest(from).dependencies ?? {}).forEach((next) => bundle(next, into));
}

/** Packs graphjit: JavaScript, typings, and the sources to build an addon where none is prebuilt. */
function packMain() {
  const { scripts, ...manifest } = readManifest(root);
  delete manifest.devDependencies;
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const made = machines.filter((arch) => fs.existsSync(path.join(out, `graphjit-linux-${arch}-${manifest.version}.tgz`)));
  const folder = stage('graphjit', {
    ...manifest,
    scripts: { install: scripts.install },
    bundleDependencies: dependencies,
    optionalDependencies: Object.fromEntries(made.map((arch) => [packageName(arch), manifest.version])),
  });
  // npm leaves out of the packet what begins with an exclamation mark.
  const files = manifest.files.filter((/** @type {string} */ name) => !name.startsWith('!'));
  for (const name of [...files, 'README.md']) {
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  dependencies.forEach((name) => bundle(name, path.join(folder, 'node_modules')));
  return pack(folder);
}

/**
 * Packs a prebuilt addon, once it is sure to load on the systems it is for.
 *
 * @param {string} arch
 * @param {string} file
 */
function packAddon(arch, file) {
  const faults = checkAddon(file);
  if (faults.length > 0) stop(`${file} is not fit to ship: ${faults.join('; ')}`);
  const { version, license, author, engines } = readManifest(root);
  const name = packageName(arch);
  const description = `The prebuilt addon of graphjit for Linux on ${arch} with glibc 2.36 or newer`;
  const folder = stage(`linux-${arch}`, {
    name, version, description, license, author, engines,
    os: ['linux'], cpu: [arch], libc: ['glibc'],
    main: 'graphjit.node', files: ['graphjit.node'], preferUnplugged: true,
  });
  fs.writeFileSync(path.join(folder, 'README.md'), `# ${name}\n\n${description}. The package graphjit installs it.\n`);
  fs.copyFileSync(file, path.join(folder, 'graphjit.node'));
  return pack(folder);
}

/** Builds the addon for a machine, by compilers of this one, and returns its path. @param {string} arch */
function buildAddon(arch) {
  let folder = build('release', arch === process.arch ? 'graphjit' : 'gj_blocks_tool');
  if (arch !== process.arch) {
    ensureSysroot(arch);
    folder = build(arch, 'graphjit');
  }
  return path.join(folder, 'graphjit.node');
}

/** @param {string[]} words @returns {string[]} the tarballs */
function packages(words) {
  const [option, arch = process.arch, ...rest] = words;
  if ((option && option !== '--arch') || rest.length > 0 || !machines.includes(arch)) {
    stop(`usage: npm run package [-- --arch ${machines.join('|')}]`);
  }
  fs.mkdirSync(out, { recursive: true });
  return [packAddon(arch, buildAddon(arch)), packMain()];
}

module.exports = { packages };
