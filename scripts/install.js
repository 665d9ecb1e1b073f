// npm's own install step, for a project that depends on graphjit.
//
// With the prebuilt addon in place there is nothing to do, and nothing is said. Else the addon is
// built from source where the tools are there; nothing is downloaded, and nothing installed on the
// system unasked. Without the tools the install succeeds nevertheless, so that a project whose
// other parts need no graphjit can be worked on; what is missing is said here, and again by require().
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { root, note, missingTools, listTools, howToInstall } = require('./setup.js');
const { loadAddon } = require('../lib/base/addon.js');

/**
 * Says something to whoever started npm, which shows what an install step prints only if it does
 * not succeed.
 *
 * @param {string[]} lines
 */
function tell(lines) {
  lines.forEach(note);
  if (process.stderr.isTTY) return;
  try {
    fs.writeFileSync('/dev/tty', lines.map((line) => `\ngraphjit: ${line}`).join('') + '\n');
  } catch {
    // Nobody is looking.
  }
}

/** Of a build in an unpacked package only the addon stays, a quarter of what was made. @param {string} folder */
function keepAddon(folder) {
  for (const name of fs.readdirSync(folder).filter((entry) => entry !== 'graphjit.node')) {
    fs.rmSync(path.join(folder, name), { recursive: true });
  }
}

/** In a checkout every goal builds what it needs, so nothing is done there. */
function install() {
  const isCheckout = fs.existsSync(path.join(root, '.git'));
  const isHere = process.env.INIT_CWD && path.resolve(process.env.INIT_CWD) === path.resolve(root);
  if (isCheckout || isHere) return;
  const found = loadAddon();
  if ('addon' in found) return;
  const reasons = found.failures.map(({ place, reason }) => `${place}: ${reason}`).join('; ');
  const missing = missingTools('build');
  if (missing.length > 0) {
    tell([
      `installed without an addon, so require('graphjit') will throw (${reasons})`,
      `a prebuilt addon is in the package @graphjit/${process.platform}-${process.arch}; building one here needs ${listTools(missing)}`,
      `${howToInstall(missing)}; then run: npm rebuild graphjit`,
    ]);
    return;
  }
  note(`no prebuilt addon (${reasons}); building it from source, which takes some minutes`);
  keepAddon(require('./build.js').build('release', 'graphjit'));
}

module.exports = { install };
