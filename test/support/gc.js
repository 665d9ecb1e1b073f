// Waiting for the garbage collector: finalizers run some time after a collection, so tests collect and
// look again until what they wait for has happened.
'use strict';

const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collect = /** @type {() => void} */ (vm.runInNewContext('gc'));

/**
 * Collects until `done` says so.
 *
 * @param {() => boolean} done
 * @param {number} [tries] each takes a full collection and a turn of the event loop
 * @returns {Promise<boolean>} whether it came to that
 */
async function gcUntil(done, tries = 50) {
  for (let i = 0; i < tries; i++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    if (done()) return true;
  }
  return false;
}

module.exports = { gcUntil };
