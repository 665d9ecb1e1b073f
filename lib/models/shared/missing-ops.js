/**
 * The refusal of a file some of whose ops nobody can translate: one error that lists all of them, with nodes.
 */
'use strict';

const { fail } = require('../../base/errors.js');

/** So many missing ops are named. */
const MAX_NAMED = 40;
/** For each of them so many nodes. */
const MAX_NODES = 3;

/**
 * @param {ReadonlyMap<string, readonly string[]>} missing names of nodes by op
 * @param {string} what for messages
 */
function refuseMissing(missing, what) {
  if (missing.size === 0) return;
  const list = [...missing].slice(0, MAX_NAMED).map(([op, nodes]) => {
    const named = nodes.slice(0, MAX_NODES).map((name) => `'${name}'`).join(', ');
    return `${op} (${named}${nodes.length > MAX_NODES ? ` and ${nodes.length - MAX_NODES} more` : ''})`;
  });
  const rest = missing.size > MAX_NAMED ? ` and ${missing.size - MAX_NAMED} more` : '';
  const count = missing.size === 1 ? 'an op is' : `${missing.size} ops are`;
  fail('ERR_UNSUPPORTED', `${what}: ${count} missing: ${list.join(', ')}${rest}; option 'ops' adds them`);
}

module.exports = { refuseMissing };
