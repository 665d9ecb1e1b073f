// The shrinker of random graphs: what is left parses, and has little but what matters.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Graph } = require('graphjit');
const { shrinkGraph } = require('./graph-shrink.js');

const TEXT = `graph "random" {
  func @0 "choice" {
    %1 = param "p0" : f64[n]
    %2 = neg %1 : f64[n]
    output "r0" = %2
  }
  %1 = param "binds" : f32[n, m]
  %2 = param "x0" : f64[n]
  %3 = call %2 {functions=[@0]} : f64[n]
  %4 = exp %3 : f64[n]
  %5 = abs %4 : f64[n]
  %6 = reduce_sum %5 {axes=[0]} : f64[]
  %7 = sin %6 : f64[]
  %8 = broadcast %7 {shape=[33], axes=[]} : f64[33]
  output "a" = %4
  output "b" = %8
  output "c" = %6
}
`;

const parses = (/** @type {string} */ text) => {
  try {
    return Graph.parse(text);
  } catch {
    return null;
  }
};

test('graphs become small while they keep what fails', () => {
  const { text, n, m } = shrinkGraph({ text: TEXT, n: 1025, m: 7 }, (made) => parses(made.text) !== null && /reduce_sum/.test(made.text) && made.n > 4);
  assert.deepEqual([n, m], [5, 0]);
  const lines = text.trim().split('\n');
  assert.equal(lines.length, 6, text);
  assert.match(lines[2], /^ {2}%\d = param "s\d" : f64\[n\]$/);
  assert.match(lines[3], /reduce_sum/);
});

test('sizes in the text become small, functions that are needed stay', () => {
  const { text } = shrinkGraph({ text: TEXT, n: 0, m: 0 }, (made) => parses(made.text) !== null && /call/.test(made.text) && /broadcast/.test(made.text));
  assert.match(text, /func @0/);
  assert.match(text, /broadcast %\d \{shape=\[1\], axes=\[\]\} : f64\[1\]/);
  assert.doesNotMatch(text, /exp|abs|sin/);
});
