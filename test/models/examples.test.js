// What the examples of model files must say: the text that the picture shows, the classes that scikit-learn gave.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { test } = require('node:test');

const folder = path.join(__dirname, '..', '..', 'examples');

/** @type {(name: string, ...words: string[]) => string} */
function outputOf(name, ...words) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, name), ...words], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout;
}

test('the text of the picture is read, that which is upside down, too', () => {
  const marked = path.join(os.tmpdir(), `graphjit-text-${process.pid}.png`);
  try {
    const stdout = outputOf('19-reading-text.js', path.join(folder, 'models', 'ticket.png'), marked);
    const lines = [...stdout.matchAll(/^ *\d+, *\d+ {2}(.*)$/gm)].map(([, line]) => line.replaceAll(' ', ''));
    assert.deepEqual(lines, ['HarbourMuseum', 'Admittwo,14May2026', 'Total23.50EUR', 'Pleasekeepthisticket', 'No.0047-881']);
    const { PNG } = require('pngjs');
    const { width, height, data } = PNG.sync.read(fs.readFileSync(marked));
    assert.deepEqual([width, height], [640, 320]);
    assert.ok(Buffer.from(data).includes(Buffer.from([231, 111, 81, 255])), 'no box is drawn');
  } finally {
    fs.rmSync(marked, { force: true });
  }
});

// What predict_proba of the pipeline printed when penguins.py made the file.
const expected = [
  ['Adelie', 89.1, 5.6, 5.3], ['Chinstrap', 5.6, 89.0, 5.4], ['Gentoo', 5.4, 5.3, 89.4], ['Chinstrap', 7.9, 85.4, 6.7],
];

test('rows get the classes and probabilities of scikit-learn', () => {
  const pattern = /^(\w+) +Adelie ([\d.]+) % +Chinstrap ([\d.]+) % +Gentoo ([\d.]+) %$/gm;
  const rows = [...outputOf('20-classifying-rows.js').matchAll(pattern)].map(([, name, ...chances]) => [name, ...chances.map(Number)]);
  assert.deepEqual(rows, expected);
});

// Where they are to be seen in the picture, in pixels of the part that is looked at.
const joints = { nose: [74, 14], 'left wrist': [117, 67], 'right wrist': [36, 65], 'left ankle': [88, 143], 'right ankle': [75, 142] };

test('joints are found where they are', () => {
  const marked = path.join(os.tmpdir(), `graphjit-pose-${process.pid}.png`);
  try {
    const lines = [...outputOf('21-finding-a-pose.js', marked).matchAll(/^(\S+(?: \S+)?) +(\d+), *(\d+) +(\d+) %$/gm)];
    assert.equal(lines.length, 17);
    for (const [, name, x, y] of lines.filter(([, each]) => each in joints)) {
      const [left, top] = joints[name];
      assert.ok(Math.hypot(Number(x) - left, Number(y) - top) < 6, `${name} is at ${x}, ${y}`);
    }
    assert.ok(fs.statSync(marked).size > 10_000);
  } finally {
    fs.rmSync(marked, { force: true });
  }
});
