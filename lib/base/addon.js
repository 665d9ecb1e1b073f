/**
 * Finds and loads the addon file, and says why when there is none.
 *
 * The places, in this order: the file that the environment variable GRAPHJIT_ADDON names, such as
 * that of a debug build, and then no other; what was built from source in this folder; the
 * package with a prebuilt addon for this kind of machine, which npm installs as an optional
 * dependency. What a file exports is no business of this one (binding.js).
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..', '..');
/** @type {{ version: string }} */
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));

/** The kinds of machine that have a package, and the C library they take. */
const prebuilt = ['linux-x64', 'linux-arm64'];
const oldestGlibc = '2.36';

/** @typedef {{ place: string, reason: string }} Failure */
/**
 * @typedef {object} System
 * @property {string} kind
 * @property {string | undefined} glibc  its version, if that is the C library
 * @property {boolean} isInstalled       by npm, so not a checkout
 */

/** @param {unknown} error */
function firstLine(error) {
  return error instanceof Error ? error.message.split('\n')[0] : String(error);
}

/** @returns {System} */
function describeSystem() {
  // Asking for network interfaces takes long and may need rights.
  const report = /** @type {any} */ (process.report);
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const glibc = report.getReport().header.glibcVersionRuntime;
  report.excludeNetwork = before;
  const isInstalled = root.split(path.sep).includes('node_modules');
  return { kind: `${process.platform}-${process.arch}`, glibc, isInstalled };
}

/** Whether dotted version `a` is below `b`. @param {string} a @param {string} b */
function isOlder(a, b) {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  const at = left.findIndex((part, i) => part !== right[i]);
  return at !== -1 && left[at] < (right[at] ?? 0);
}

/** The addon of the package for this kind of machine; throws when it cannot be used. */
function findPrebuilt() {
  const name = `@graphjit/${process.platform}-${process.arch}`;
  let manifest;
  try {
    manifest = require.resolve(`${name}/package.json`);
  } catch {
    throw new Error('not installed');
  }
  const found = JSON.parse(fs.readFileSync(manifest, 'utf8')).version;
  if (found !== version) throw new Error(`is version ${found}, and this is graphjit ${version}`);
  return path.join(path.dirname(manifest), 'graphjit.node');
}

/** @returns {{ place: string, find: () => string }[]} best first */
function places() {
  const named = process.env.GRAPHJIT_ADDON;
  if (named) {
    const file = path.resolve(named);
    return [{ place: `${file} (GRAPHJIT_ADDON)`, find: () => file }];
  }
  const built = path.join(root, 'build', 'release', 'graphjit.node');
  return [
    {
      place: built,
      find: () => {
        if (!fs.existsSync(built)) throw new Error('not built');
        return built;
      },
    },
    { place: `@graphjit/${process.platform}-${process.arch}`, find: findPrebuilt },
  ];
}

/** What to do about it. @param {System} system */
function advise({ kind, glibc, isInstalled }) {
  const source = isInstalled ? 'npm rebuild graphjit --foreground-scripts' : 'npm run build';
  const build = `build it from source, which says what it needs: ${source}`;
  if (!prebuilt.includes(kind)) {
    return [`There are prebuilt addons for ${prebuilt.join(' and ')}, not for ${kind}.`, `On Linux you can ${build}`];
  }
  if (!glibc) {
    return [
      `Prebuilt addons need glibc ${oldestGlibc} or newer; this system has another C library, such as musl.`,
      `You can ${build}`,
    ];
  }
  if (isOlder(glibc, oldestGlibc)) {
    return [`Prebuilt addons need glibc ${oldestGlibc} or newer; this system has ${glibc}.`, `You can ${build}`];
  }
  return [
    `Install the prebuilt addon: npm install @graphjit/${kind}@${version} (npm leaves it out with --omit=optional)`,
    `or ${build}`,
  ];
}

/**
 * The message when nothing loads: each place with its reason, then what to do.
 *
 * @param {Failure[]} failures
 * @param {System} system
 */
function explain(failures, system) {
  const tried = failures.map(({ place, reason }) => `  ${place}: ${reason}`);
  return ['the addon of graphjit does not load', ...tried, ...advise(system)].join('\n');
}

/**
 * Loads the first addon that can be. What is passed over is reported only if none can.
 *
 * @returns {{ addon: any } | { failures: Failure[], cause: unknown }}
 */
function loadAddon() {
  /** @type {Failure[]} */
  const failures = [];
  let cause;
  for (const { place, find } of places()) {
    try {
      return { addon: require(find()) };
    } catch (error) {
      failures.push({ place, reason: firstLine(error) });
      cause = error;
    }
  }
  return { failures, cause };
}

module.exports = { loadAddon, findPrebuilt, describeSystem, explain };
