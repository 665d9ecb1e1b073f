// The way of a function to C: forward.ll → forward.o → a C program, and the same graph as assembly for
// wasm, arm64 and riscv64. clang compiles the LLVM IR when there is one; otherwise graphjit writes the
// object itself. Linking needs nothing but cc.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Graph } = require('graphjit');

const graph = new Graph('forward');
const x = graph.input('x', 'f64', []);
graph.output('y', x.mul(x));

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'forward-'));
const at = (name) => path.join(folder, name);
const runs = (command, ...words) => spawnSync(command, words, { stdio: ['ignore', 'ignore', 'ignore'] }).status === 0;

const symbol = 'forward_run'; // then C calls the function of numbers forward()
fs.writeFileSync(at('forward.ll'), graph.toObject({ symbol, emit: 'llvm' }));
fs.writeFileSync(at('forward.h'), graph.toHeader({ symbol }));
fs.writeFileSync(at('main.c'), `#include "forward.h"
#include <stdio.h>
int main(void) {
  printf("forward(2.0) = %.2f\\n", forward(2.0));
  return 0;
}
`);

const compiler = ['clang-22', 'clang'].find((each) => runs(each, '-O2', '-c', at('forward.ll'), '-o', at('forward.o')));
if (!compiler) fs.writeFileSync(at('forward.o'), graph.toObject({ symbol }));
console.log(`forward.ll → forward.o by ${compiler ?? 'graphjit'}`);

if (!runs('cc', at('main.c'), at('forward.o'), '-o', at('main'))) console.log('there is no cc here to link it with');
else console.log(String(spawnSync(at('main')).stdout).trim());
fs.rmSync(folder, { recursive: true });

for (const target of ['wasm32', 'aarch64', 'riscv64']) {
  const assembly = graph.toObject({ target, emit: 'assembly' });
  const code = assembly.match(/^forward:[^]*?(?=^\s*(\.size|end_function|\.Lfunc_end))/m)[0];
  const instructions = code.split('\n').filter((line) => line.trim() && !/\.type|\$local/.test(line));
  console.log(`\n${target}\n${instructions.join('\n')}`);
}
