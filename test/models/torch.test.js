// Files of PyTorch, written by hand: scripts, exported programs and tensors, and what is refused.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { describe, it } = require('node:test');
const { GraphError, ScriptModule, load, tensor } = require('graphjit');
const { opNames } = require('../../lib/models/torch/ops/index.js');
const { archive, bareModule, exported, pickle, script, stateDict, tensorMeta } = require('../support/torch-files.js');

const x = tensor([[1, -2, 3], [4, 5, -6]], { dtype: 'f32' });

/** What the method `forward` of a script gives. @type {(body: string, before?: string, ...args: any[]) => any} */
const run = (body, before, ...args) => new ScriptModule(script(body, before), { cache: false }).forward(...(args.length ? args : [x]));

/** @type {(value: any) => any} */
const plain = (value) => (value?.toArray ? value.toArray() : Array.isArray(value) ? value.map(plain) : value);

describe('scripts', () => {
  it('compute what their code says', () => {
    assert.deepEqual(plain(run('y = torch.relu(x)\nreturn torch.sum(y, [1])')), [4, 9]);
    assert.deepEqual(plain(run('a, b, = torch.size(x)\nreturn torch.view(x, [b, a])')), [[1, -2], [3, 4], [5, -6]]);
  });

  it('follow control flow that numbers decide', () => {
    const body = 'y = x\nfor i in range(torch.dim(x)):\n  if torch.eq(torch.remainder(i, 2), 0):\n    y = torch.add(y, 1, alpha=10)\n  else:\n    y = torch.mul(y, 2)\nreturn y';
    assert.deepEqual(plain(run(body)), [[22, 16, 26], [28, 30, 8]]);
    assert.equal(run('n = 1\nwhile torch.lt(n, 100):\n  n = torch.mul(n, 3)\nreturn n'), 243);
  });

  it('have numbers, lists and texts of Python', () => {
    const body = 'a = [1, 2, 3]\nb = torch.append(a, torch.floordiv(-7, 2))\nc = torch.slice(a, 1, 9223372036854775807, 1)\nd = torch.format("{} {}", a, 2.)\nreturn (c, d, torch.len(a), torch.remainder(-7, 3), torch.div(1, 2), 2 ** 3 - 1)';
    assert.deepEqual(run(body), [[2, 3, -4], '[1, 2, 3, -4] 2.0', 4, 2, 0.5, 7]);
    assert.deepEqual(run('d = {"a": x, "b": 2}\nreturn (torch.keys(d), torch.__contains__(d, "c"), d["b"])'), [['a', 'b'], false, 2]);
    assert.deepEqual(run('return ("caf\\303\\251\\n" "x", inf, None, True)'), ['cafÃ©\nx', Infinity, null, true]);
  });

  it('write through views', () => {
    const body = 'y = torch.clone(x)\nz = torch.select(y, 1, 0)\n_0 = torch.copy_(z, torch.tensor(7))\n_1 = torch.add_(torch.slice(torch.t(y), 0, 1, 3, 1), 1)\nreturn (y, z)';
    assert.deepEqual(plain(run(body)), [[[7, -1, 4], [7, 6, -5]], [7, 7]]);
  });

  it('record branches and loops that data decides', () => {
    const net = new ScriptModule(script('y = x\nn = 0\nwhile bool(torch.lt(torch.max(y), 50)):\n  y = torch.mul(y, 2)\n  n = torch.add(n, 1)\nif bool(torch.gt(torch.sum(x), 0)):\n  z = torch.neg(y)\nelse:\n  z = y\nreturn (z, n)'), { cache: false });
    assert.deepEqual(plain(net.forward(x)), [[[-16, 32, -48], [-64, -80, 96]], 4]);
    assert.deepEqual(plain(net.forward(tensor([[60, -80]], { dtype: 'f32' }))), [[[60, -80]], 0]);
    assert.match(String(net.model('forward').graphFor({ x })), /= while/);
  });

  it('are asked for where sides of a branch have several shapes', () => {
    const body = 'if bool(torch.gt(torch.sum(x), 0)):\n  y = torch.sum(x, [0])\nelse:\n  y = torch.sum(x, [1])\nreturn y';
    assert.deepEqual(plain(run(body)), [5, 3, -3]);
    assert.deepEqual(plain(run(body, '', tensor([[-1, -2, -3]], { dtype: 'f32' }))), [-6]);
  });

  it('cut fractions off and ask whether something is not 0', () => {
    const body = 'n = int(torch.mul(torch.max(x), 0.5))\nreturn (torch.mul(torch.ones_like(x), n), n, bool(torch.mul(torch.max(x), 0.1)), int(torch.mul(torch.min(x), 0.25)))';
    assert.deepEqual(plain(run(body)), [[[2, 2, 2], [2, 2, 2]], 2, true, -1]);
    assert.deepEqual(run('return (torch.pow(2, 3), torch.div(7, 2), torch.floordiv(7, 2))'), [8, 3.5, 3]);
  });

  it('make texts of what data says', () => {
    assert.equal(run('return torch.format("{} {}", int(torch.sum(x)), bool(torch.gt(torch.max(x), 4)))'), '5 True');
    assert.throws(() => run('return torch.format("{}", x)'), /makes text of a tensor/);
  });

  it('call functions, methods and classes of theirs', () => {
    const before = 'def twice(x: Tensor,\n    k: int=2) -> Tensor:\n  return torch.mul(x, k)\nclass Pair(NamedTuple):\n  a : Tensor\n  b : Tensor\n';
    const body = 'p = __torch__.Pair(x, __torch__.twice(x, ))\na, b, = p\nreturn torch.sub(p.b, torch.sum(a))';
    assert.deepEqual(plain(run(body, before)), [[-3, -9, 1], [3, 5, -17]]);
  });

  it('serve all sizes with one graph where they can', () => {
    const net = new ScriptModule(script('n = torch.size(x, 0)\nreturn torch.reshape(torch.mul(x, n), [torch.mul(n, torch.size(x, 1))])'), { cache: false });
    const model = net.model('forward');
    const first = model.graphFor({ x });
    assert.equal(model.graphFor({ x: tensor([[1, 2]], { dtype: 'f32' }) }), first);
    assert.deepEqual(plain(net.forward(x)), [2, -4, 6, 8, 10, -12]);
  });

  it('take shapes of inputs from an option', async () => {
    const model = await load(script('return torch.add(x, 1)'), { inputs: { x: ['n', 3] } });
    assert.deepEqual(model.inputs[0].shape, ['n', 3]);
    assert.equal(model.specialization, null);
    assert.deepEqual(plain(model.run({ x }).output), [[2, -1, 4], [5, 6, -5]]);
  });

  it('give the outputs that an option names, and refuse names that they have not', async () => {
    const bytes = script('return (torch.add(x, 1), torch.neg(x))');
    await assert.rejects(load(bytes, { outputs: ['z'] }), { code: 'ERR_ARGUMENT', message: /unknown output 'z', known outputs are 'output'/ });
    await assert.rejects(load(bytes, { inputs: { y: [2] } }), { code: 'ERR_ARGUMENT', message: /unknown input 'y'/ });
    const model = await load(bytes, { outputs: ['output'] });
    assert.deepEqual(plain(model.run({ x }).output[1]), [[-1, 2, -3], [-4, -5, 6]]);
  });

  it('are of no use when they are disposed of', () => {
    const net = new ScriptModule(script('return x'), { cache: false });
    net.forward(x);
    net.dispose();
    net.dispose();
    assert.throws(() => net.forward(x), { code: 'ERR_STATE', message: /the module was disposed of/ });
  });

  it('take ops from an option', () => {
    const ops = { 'my::op': (/** @type {any} */ node, /** @type {any} */ value, /** @type {number} */ k) => value.mul(k) };
    assert.deepEqual(plain(new ScriptModule(script('return ops.my.op(x, 3)'), { ops, cache: false }).forward(x)), [[3, -6, 9], [12, 15, -18]]);
  });

  it('say what is wrong', () => {
    assert.throws(() => run('return torch.no_such_op(x)'), /__torch__\.py:7: the op no_such_op is missing/);
    assert.throws(() => run('ops.prim.RaiseException("bad input", "builtins.ValueError")\nreturn x'), /the script raises: bad input/);
    assert.throws(() => run('return torch.matmul(x, x)'), { code: 'ERR_SHAPE' });
    assert.throws(() => run('return y'), /nothing before it assigns 'y'/);
    assert.throws(() => run('return lambda x: x'), GraphError);
    assert.throws(() => run('return torch.dropout(x, 0.5, True)'), /save the model after eval/);
    assert.deepEqual(plain(run('return torch.dropout(x, 0., True)')), plain(x));
    assert.throws(() => new ScriptModule(script('return x')).call('other', x), /no method 'other', methods are 'forward'/);
    assert.throws(() => new ScriptModule(script('return x')).forward(x, x), /2 arguments, expected at most 1/);
  });
});

describe('tensor files of PyTorch', () => {
  const weights = { w: { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) } };

  it('give their tensors by name', async () => {
    assert.deepEqual(plain((await load(stateDict(weights)))['net.w']), [[1, 2], [3, 4]]);
  });

  it('are refused when they would run something', async () => {
    for (const [name, bytes] of Object.entries({
      'os.system': pickle('cos\nsystem\n(X', [2, 0, 0, 0], 'lstR'),
      'torch.nn.modules.linear.Linear': pickle('ctorch.nn.modules.linear\nLinear\n)', [0x81], '}b'),
      'builtins.eval': pickle('cbuiltins\neval\n(X', [1, 0, 0, 0], '1tR'),
    })) await assert.rejects(load(archive({ 'data.pkl': bytes })), (error) => error instanceof GraphError && error.code === 'ERR_UNSUPPORTED' && error.message.includes(name));
  });

  it('are refused when they are of before version 1.6', async () => {
    const legacy = Buffer.from([0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e]);
    await assert.rejects(load(legacy), /before version 1\.6/);
  });
});

describe('exported programs', () => {
  const weights = { w: { shape: [3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6) }, b: { shape: [2], data: Float32Array.of(10, 20) } };
  const inputs = { x: tensorMeta(['s0', 3]) };
  const nodes = /** @type {any} */ ([['addmm', ['b', 'x', 'w'], 'y'], ['relu', ['y'], 'z']]);

  for (const layout of /** @type {const} */ (['files', 'pickles', 'old'])) {
    it(`are read in layout '${layout}', with sizes that are open`, async () => {
      const model = await load(exported({ inputs, weights, nodes, outputs: ['z'], layout }), { cache: false });
      assert.equal(model.specialization, null);
      assert.deepEqual(model.inputs[0].shape, ['s0', 3]);
      assert.deepEqual(plain(model.run({ x }).output), [[20, 32], [0, 12]]);
      assert.deepEqual(plain(model.run({ x: tensor([[1, 0, 0]], { dtype: 'f32' }) }).output), [[11, 22]]);
    });
  }

  it('need their file no longer', async (t) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'graphjit-torch-'));
    t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'net.pt2');
    const size = 64;
    const w = { shape: [size, size], data: new Float32Array(size * size).map((_, i) => i % 7) };
    fs.writeFileSync(file, exported({ inputs: { x: tensorMeta([1, size]) }, weights: { w }, nodes: [['matmul', ['x', 'w'], 'y']], outputs: ['y'] }));
    const model = await load(file, { cache: false });
    fs.rmSync(folder, { recursive: true });
    const sums = model.run({ x: tensor(new Float32Array(size).fill(1), { dtype: 'f32' }).reshape([1, size]) }).output;
    assert.equal(sums.data[3], w.data.filter((_, i) => i % size === 3).reduce((sum, each) => sum + each, 0));
  });

  it('compute with sizes, and take arguments by name', async () => {
    const model = await load(exported({
      inputs,
      nodes: [
        ['torch.ops.aten.sym_size.int', ['x', 0], [{ as_sym_int: { as_name: 'n' } }]],
        ['_operator.mul', [{ as_sym_int: { as_name: 'n' } }, 3], [{ as_sym_int: { as_name: 'm' } }]],
        ['view', ['x', { as_sym_ints: [{ as_name: 'm' }] }], 'v'],
        ['torch.ops.aten.add.Tensor', { self: 'v', other: 'v', alpha: { as_float: 0.5 } }, 'a'],
        ['torch.ops.aten.split.Tensor', ['x', 2, 1], [{ as_tensors: [{ name: 'p' }, { name: 'q' }] }]],
        ['torch.ops.aten.max.dim', ['p', 1], [{ as_tensor: { name: 'm0' } }, { as_tensor: { name: 'm1' } }]],
      ],
      outputs: ['a', 'q', 'm1', { as_none: true }, { as_sym_int: { as_name: 'm' } }],
    }), { cache: false });
    assert.deepEqual(Object.values(model.run({ x })).map(plain), [[1.5, -3, 4.5, 6, 7.5, -9], [[3], [-6]], [0n, 1n], null, 6]);
  });

  it('are refused with all ops that are missing, and for newer schemas', async () => {
    const odd = exported({ inputs, nodes: [['no_such', ['x'], 'y'], ['torch.ops.mine.other.default', ['x'], 'z']], outputs: ['y'] });
    await assert.rejects(load(odd), /ops are missing: torch\.ops\.aten\.no_such\.default, torch\.ops\.mine\.other\.default/);
    await assert.rejects(load(exported({ inputs, nodes: [], outputs: ['x'], more: { schema_version: { major: 99, minor: 0 } } })), { code: 'ERR_UNSUPPORTED' });
    await assert.rejects(load(exported({ inputs: { x: tensorMeta([2, 3]) }, nodes: [['relu', ['gone'], 'y']], outputs: ['y'] })), { code: 'ERR_PARSE' });
  });
});

describe('hostile files of PyTorch', () => {
  const grow = 'a = [1]\n' + 'a = [a, a]\n'.repeat(60);
  const nested = (/** @type {number} */ depth) => pickle('N', Buffer.alloc(depth, 0x85));
  const laughs = pickle(']q\x00', ...Array.from({ length: 100 }, (_, i) => `](h${String.fromCharCode(i)}h${String.fromCharCode(i)}eq${String.fromCharCode(i + 1)}`));
  const memo = pickle('N', Buffer.concat(Array.from({ length: 100_000 }, (_, i) => Buffer.from([0x72, i & 255, (i >> 8) & 255, i >> 16, 0]))), '0h\x00', [0x61]);
  const huge = pickle('ctorch._utils\n_rebuild_tensor_v2\n((X', [7, 0, 0, 0], 'storagectorch\nFloatStorage\nX', [1, 0, 0, 0], '0X', [3, 0, 0, 0], 'cpuK\x01tQK\x00(J', [255, 255, 255, 127], 'J', [255, 255, 255, 127], 't(K\x00K\x00t', [0x89], 'NtR');
  /** @type {Record<string, () => Uint8Array>} */
  const files = {
    'a loop without an end': () => script('while True:\n  pass\nreturn x'),
    'a loop of tensors without an end': () => script('y = x\nwhile True:\n  y = torch.add(y, 1)\nreturn y'),
    'a long loop': () => script('for i in range(1000000000000):\n  pass\nreturn x'),
    'a method that calls itself': () => script('return (self).forward(x, )'),
    'a list that doubles': () => script('a = [1]\nwhile True:\n  a = torch.add(a, a)\nreturn x'),
    'a text that doubles': () => script('a = "aa"\nwhile True:\n  a = torch.add(a, a)\nreturn x'),
    'lists in lists, given': () => script(`${grow}return a`),
    'lists in lists, printed': () => script(`${grow}b = torch.format("{}", a)\nreturn x`),
    'lists in lists, compared': () => script(`${grow}b = torch.eq(a, [a])\nc = torch.eq(a, a)\nreturn x`),
    'a list in itself': () => script('a = [1]\nb = torch.append(a, a)\nreturn a'),
    'deep parentheses': () => script(`return ${'('.repeat(1e5)}x`),
    'many signs': () => script(`return ${'-'.repeat(1e5)}1`),
    'a long chain': () => script(`return x${'.a'.repeat(1e5)}`),
    'many parts': () => script('return torch.split(torch.zeros([1099511627776]), 1)'),
    'many pieces': () => script('return torch.adaptive_avg_pool2d(torch.zeros([1, 1, 10, 10]), [100000000, 100000000])'),
    'wrong kinds': () => script('return torch.len(5)'),
    'a module that is none': () => script('return __import__("os")'),
    'much code': () => archive({ 'data.pkl': bareModule, 'code/__torch__.py': 'x'.repeat(9e6) }, true),
    'nested tuples': () => archive({ 'data.pkl': nested(1e6) }),
    'a pickle that ends': () => archive({ 'data.pkl': pickle('X', [255, 255, 255, 255], 'a') }),
    'a stack that is empty': () => archive({ 'data.pkl': memo }),
    'a tensor without bytes': () => archive({ 'data.pkl': huge, 'data/0': 'aaaa' }),
    'deep JSON': () => archive({ 'models/model.json': '['.repeat(1e6) }),
    'an odd graph': () => archive({ 'models/model.json': '{"graph_module":{"graph":{"nodes":[null]},"signature":{"input_specs":[null],"output_specs":[1]}}}' }),
    'an odd node': () => archive({ 'models/model.json': '{"graph_module":{"graph":{"nodes":[{"target":5}]},"signature":{"input_specs":[{"user_input":{}}],"output_specs":[{}]}}}' }),
  };
  for (const [name, make] of Object.entries(files)) {
    it(`end in an error: ${name}`, async () => {
      const bytes = make();
      await assert.rejects(async () => {
        const model = await load(bytes, { cache: false });
        return model.run({ x });
      }, (error) => error instanceof GraphError);
    });
  }

  it('are gone through once where they share', async () => {
    assert.equal((await load(archive({ 'data.pkl': laughs }))).length, 2);
  });

  it('end in an error or a result when bytes are changed', async () => {
    const files2 = [script('y = torch.relu(x)\nreturn torch.sum(y, [1])'), stateDict({ w: { shape: [2], data: Float32Array.of(1, 2) } }), exported({ inputs: { x: tensorMeta([2, 3]) }, nodes: [['relu', ['x'], 'y']], outputs: ['y'] })];
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    for (let round = 0; round < 150; round++) {
      const bytes = Uint8Array.from(files2[round % 3]);
      for (let left = 0; left < 3; left++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      try {
        const found = await load(bytes, { cache: false, compile: false });
        found.run?.({ x });
      } catch (error) {
        assert.ok(error instanceof GraphError, String(error));
      }
    }
  });
});

it('has ops by the hundred, whose signatures can be read', () => {
  assert.ok(opNames().length > 400);
  assert.ok(opNames().includes('scaled_dot_product_attention'));
});
