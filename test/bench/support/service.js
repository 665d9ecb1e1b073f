// A peer that lives in a process of its own: asked for one sample at a time, one line of JSON each way.
//
// Libraries with threads of their own would otherwise leave them spinning in the process of the others.
// The process starts with the first request and ends with the bench.
'use strict';

const { spawn } = require('node:child_process');
const readline = require('node:readline');

class Service {
  /** @param {string} command @param {string[]} words @param {Record<string, string>} [env] */
  constructor(command, words, env = {}) {
    this.child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
    this.child.unref();
    /** @type {((line: string | null) => void)[]} */
    this.waiting = [];
    this.child.on('error', () => this.stop());
    this.child.on('exit', () => this.stop());
    this.child.stdin.on('error', () => this.stop());
    readline.createInterface(this.child.stdout).on('line', (line) => this.waiting.shift()?.(line));
  }

  /** Answers null to everybody who waits; the process is gone. */
  stop() {
    for (const resolve of this.waiting.splice(0)) resolve(null);
    this.stopped = true;
  }

  /**
   * What the process answers to a request, or null when it has ended.
   *
   * @param {object} request
   * @returns {Promise<any>}
   */
  async ask(request) {
    if (this.stopped) return null;
    const line = await new Promise((resolve) => {
      this.waiting.push(resolve);
      this.child.stdin.write(`${JSON.stringify(request)}\n`);
    });
    return line === null ? null : JSON.parse(line);
  }

  end() {
    this.child.kill();
  }
}

/** @type {Map<string, Service>} */
const services = new Map();

/**
 * The one process with this command line and environment.
 *
 * @param {string} command @param {string[]} words @param {Record<string, string>} [env]
 */
function service(command, words, env) {
  const key = JSON.stringify([command, words, env]);
  const found = services.get(key) ?? new Service(command, words, env);
  services.set(key, found);
  return found;
}

function endServices() {
  for (const one of services.values()) one.end();
  services.clear();
}

module.exports = { service, endServices };
