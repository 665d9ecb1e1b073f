// Tensors as text. The expected strings are what NumPy prints for the same arrays (its True and False
// are true and false here), recorded from NumPy itself; lib/tensor/format.js says where its versions differ.
'use strict';

const assert = require('node:assert/strict');
const { inspect } = require('node:util');
const { test } = require('node:test');
const { arange, linspace, tensor, zeros } = require('graphjit');

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const f32 = { dtype: 'f32' };

/** Each row: what is printed, options of tensor(), the text. */
const rows = {
  'whole floats end in a point': [[1, 2, 3], {}, '[1. 2. 3.]'],
  'points stand in one column': [[1, 2.5, -3.125], {}, '[ 1.     2.5   -3.125]'],
  'at most eight digits follow the point': [[1 / 3, 2 / 3], {}, '[0.33333333 0.66666667]'],
  'rounding noise beyond eight digits is not shown': [[0.1 + 0.2], {}, '[0.3]'],
  'the ninth digit rounds half to even': [[0.001953125, 0.005859375], {}, '[0.00195312 0.00585938]'],
  'f32 shows the digits that tell it from its neighbours': [[1 / 3, 2 / 3], f32, '[0.33333334 0.6666667 ]'],
  'f32 rounds as a short decimal': [[0.1, 1], f32, '[0.1 1. ]'],
  'digits before the point are true ones': [[92447432], f32, '[92447432.]'],
  'a float just above a power of two gap has its shortest digits': [[2 ** -96], f32, '[1.2621775e-29]'],
  'from 1e8 on there are exponents': [[1e8, 1], {}, '[1.e+08 1.e+00]'],
  'below 1e8 there are none': [[99999999, 1e6], {}, '[99999999.  1000000.]'],
  'below 1e-4 there are exponents': [[1e-5, 1e-5], {}, '[1.e-05 1.e-05]'],
  'from 1e-4 on there are none': [[1e-4, 1e-3], {}, '[0.0001 0.001 ]'],
  'the f32 nearest to 1e-4 counts as 1e-4': [[1e-4], f32, '[0.0001]'],
  'a ratio of 1000 needs no exponents': [[1, 1000], {}, '[   1. 1000.]'],
  'a ratio above 1000 does': [[1, 1000.5], {}, '[1.0000e+00 1.0005e+03]'],
  'exponents of three digits widen all others': [[1e100, 1], {}, '[1.e+100 1.e+000]'],
  'negative numbers and exponents': [[1e-300, -2.5e10], {}, '[ 1.0e-300 -2.5e+010]'],
  'the ends of the range of f64': [[5e-324, 1.7976931348623157e308], {}, '[4.94065646e-324 1.79769313e+308]'],
  'the added digits of f32 with exponents are true ones': [
    [3.906613e30, 1.42605005e-33], f32, '[3.90661296e+30 1.42605005e-33]',
  ],
  'zeros of both signs': [[-0, 0], {}, '[-0.  0.]'],
  'nan and infinities alone': [[nan, inf, -inf], {}, '[ nan  inf -inf]'],
  'nan and infinity among numbers': [[1.5, nan, -inf], {}, '[ 1.5  nan -inf]'],
  'nan is as wide as it is': [[1, nan], {}, '[ 1. nan]'],
  'one nan': [[nan], {}, '[nan]'],
  'infinity among exponents': [[1e10, inf, -1], {}, '[ 1.e+10     inf -1.e+00]'],
  'integers align right': [[1, -20, 300], { dtype: 'i32' }, '[  1 -20 300]'],
  'small integers': [[-128, 5], { dtype: 'i8' }, '[-128    5]'],
  'bytes': [[7, 255], { dtype: 'u8' }, '[  7 255]'],
  'the ends of the range of i64': [
    [-(2n ** 63n), 2n ** 63n - 1n], {}, '[-9223372036854775808  9223372036854775807]',
  ],
  'the largest u64': [[0n, 2n ** 64n - 1n], { dtype: 'u64' }, '[                   0 18446744073709551615]'],
  'truth values are as wide as false': [[true, false], {}, '[ true false]'],
  'truth values alone keep their width': [[[true], [true]], {}, '[[ true]\n [ true]]'],
  'rows stand below each other': [[[1, 2], [3, 4.5]], {}, '[[1.  2. ]\n [3.  4.5]]'],
  'matrices are apart by an empty line': [
    [[[0, 1], [2, 3]], [[4, 5], [6, 7]]], {}, '[[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]]',
  ],
  'rank 4 is apart by two empty lines': [
    [[[[0], [1]]], [[[2], [3]]]], { dtype: 'i32' }, '[[[[0]\n   [1]]]\n\n\n [[[2]\n   [3]]]]',
  ],
  'no elements': [[], {}, '[]'],
  'no rows of three': [[], { shape: [0, 3] }, '[]'],
  'three rows of none': [[], { shape: [3, 0] }, '[]'],
  'a zero does not count as the smallest': [[0, 1000, 2], {}, '[   0. 1000.    2.]'],
  'one small number among zeros': [[0, 1e-5], {}, '[0.e+00 1.e-05]'],
  'the largest exact integer of f64': [[2 ** 53, 1], {}, '[9.00719925e+15 1.00000000e+00]'],
  'digits that all differ': [[0.1, 0.12, 0.123, 0.1234], {}, '[0.1    0.12   0.123  0.1234]'],
  'whole numbers of different lengths': [[1, 10, 100, -1000], {}, '[    1.    10.   100. -1000.]'],
  'the digit before a half goes to even': [
    [1.000000005, 1.000000015, 1.000000025], {}, '[1.         1.00000001 1.00000003]',
  ],
  'nines carry over': [[0.999999999, 9.999999999], {}, '[ 1. 10.]'],
  'nines carry into a new digit with exponents': [[9.9999999999e9, 1], {}, '[1.e+10 1.e+00]'],
  'eight digits may hide a difference': [[0.0001, 0.000100004999], {}, '[0.0001 0.0001]'],
  'an exponent of three digits, negative': [[1e-100, 1e-5], {}, '[1.e-100 1.e-005]'],
  'f32 at both ends of its range': [
    [2 ** -126, 3.4028234663852886e38], f32, '[1.1754944e-38 3.4028235e+38]',
  ],
  'the smallest f32': [[2 ** -149], f32, '[1.e-45]'],
  'the smallest f64': [[5e-324, 1e-323], {}, '[5.e-324 1.e-323]'],
  'f32 thirds of many sizes': [
    [1 / 3, 10 / 3, 100 / 3, 250 / 3], f32, '[ 0.33333334  3.3333333  33.333332   83.333336  ]',
  ],
  'f32 just below the switch to exponents': [[99999992, 100000], f32, '[99999992.   100000.]'],
  'f32 whole numbers above 2 ** 24': [[16777216, 33554436], f32, '[16777216. 33554436.]'],
  'a number is rounded to f32 before it is printed': [[8.589973e9, 1], f32, '[8.589974e+09 1.000000e+00]'],
  'powers of two in f32': [
    [2 ** -10, 2 ** -5, 0.25, 2], f32, '[9.765625e-04 3.125000e-02 2.500000e-01 2.000000e+00]',
  ],
  'infinity is wider than the numbers': [[1, 2, -inf], {}, '[  1.   2. -inf]'],
  'nan among long fractions': [[0.123456789, nan], {}, '[0.12345679        nan]'],
  'only zeros': [[0, 0, 0], {}, '[0. 0. 0.]'],
  'a negative zero among numbers': [[-0, 1.5], {}, '[-0.   1.5]'],
  'nan and zero': [[nan, 0], {}, '[nan  0.]'],
  'infinities with fractions': [[[inf, 0.25], [-0.125, -inf]], {}, '[[   inf  0.25 ]\n [-0.125   -inf]]'],
  'columns share one width': [[[1, -100], [0.001, 20]], {}, '[[ 1.e+00 -1.e+02]\n [ 1.e-03  2.e+01]]'],
  'a column vector': [[[1.5], [-2], [10.25]], {}, '[[ 1.5 ]\n [-2.  ]\n [10.25]]'],
  'one element of rank 3': [[[[7]]], {}, '[[[7.]]]'],
  'rank 3 of one row each': [[[[1, 2]], [[3, 4]]], f32, '[[[1. 2.]]\n\n [[3. 4.]]]'],
  'rank 5': [[[[[[1, 2]]]], [[[[3, 4]]]]], { dtype: 'i16' }, '[[[[[1 2]]]]\n\n\n\n [[[[3 4]]]]]'],
  'u16 at its ends': [[0, 65535], { dtype: 'u16' }, '[    0 65535]'],
  'u32 at its ends': [[0, 2 ** 32 - 1], { dtype: 'u32' }, '[         0 4294967295]'],
  'i16 at its ends': [[-32768, 32767], { dtype: 'i16' }, '[-32768  32767]'],
  'i32 at its ends': [[[-(2 ** 31)], [2 ** 31 - 1]], { dtype: 'i32' }, '[[-2147483648]\n [ 2147483647]]'],
  'negative integers only': [[-1, -22, -333], { dtype: 'i32' }, '[  -1  -22 -333]'],
  'one integer': [[5], { dtype: 'u8' }, '[5]'],
  'zeros of an integer dtype': [[[0n, 0n], [0n, 0n]], { dtype: 'u64' }, '[[0 0]\n [0 0]]'],
  'a table of truth values': [[[true, false], [false, true]], {}, '[[ true false]\n [false  true]]'],
};

for (const [name, [value, options, text]] of Object.entries(rows)) {
  test(`prints: ${name}`, () => assert.equal(String(tensor(value, options)), text));
}

test('prints a tensor of rank 0 with all of its digits', () => {
  const texts = {
    '3.0': 3, '-0.0': -0, '0.1': 0.1, '0.0001': 1e-4, '1e-05': 1e-5, '1.5e+300': 1.5e300, '1e+16': 1e16,
    '1000000000000000.0': 1e15, '123456789.0': 123456789, '0.3333333333333333': 1 / 3, nan, '-inf': -inf,
  };
  for (const [text, value] of Object.entries(texts)) assert.equal(String(tensor(value)), text);
  assert.equal(String(tensor(1 / 3, f32)), '0.33333334');
  assert.equal(String(tensor(76438168, f32)), '76438170.0');
  assert.equal(String(tensor(5, { dtype: 'i32' })), '5');
  assert.equal(String(tensor(5n)), '5');
  assert.equal(String(tensor(true)), 'true');
});

test('breaks lines before column 75 and indents what follows', () => {
  assert.equal(
    String(arange(30)),
    '[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n' +
      ' 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.]',
  );
  assert.equal(
    String(arange(100, 124, { dtype: 'i32' }).reshape([1, 24])),
    '[[100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117\n' +
      '  118 119 120 121 122 123]]',
  );
  assert.equal(
    String(linspace(-1, 1, 12)),
    '[-1.         -0.81818182 -0.63636364 -0.45454545 -0.27272727 -0.09090909\n' +
      '  0.09090909  0.27272727  0.45454545  0.63636364  0.81818182  1.        ]',
  );
});

test('rows with exponents break by themselves', () => {
  const data = Array.from({ length: 24 }, (_, i) => i ** 3 / 7);
  assert.equal(
    String(tensor(data, { shape: [2, 12] })),
    '[[0.00000000e+00 1.42857143e-01 1.14285714e+00 3.85714286e+00\n' +
      '  9.14285714e+00 1.78571429e+01 3.08571429e+01 4.90000000e+01\n' +
      '  7.31428571e+01 1.04142857e+02 1.42857143e+02 1.90142857e+02]\n' +
      ' [2.46857143e+02 3.13857143e+02 3.92000000e+02 4.82142857e+02\n' +
      '  5.85142857e+02 7.01857143e+02 8.33142857e+02 9.79857143e+02\n' +
      '  1.14285714e+03 1.32300000e+03 1.52114286e+03 1.73814286e+03]]',
  );
});

test('long integers break where the bracket still fits', () => {
  assert.equal(
    String(tensor(Array.from({ length: 19 }, (_, i) => BigInt(i + 1) ** 13n))),
    '[                1              8192           1594323          67108864\n' +
      '        1220703125       13060694016       96889010407      549755813888\n' +
      '     2541865828329    10000000000000    34522712143931   106993205379072\n' +
      '   302875106592253   793714773254144  1946195068359375  4503599627370496\n' +
      '  9904578032905937 20822964865671168 42052983462257059]',
  );
});

test('truth values break twelve to a line', () => {
  const [first, second, third, ...none] = String(tensor(Array.from({ length: 25 }, (_, i) => i % 2 === 0))).split('\n');
  assert.equal(first, '[ true false  true false  true false  true false  true false  true false');
  assert.equal(second, '  true false  true false  true false  true false  true false  true false');
  assert.deepEqual([third, none], ['  true]', []]);
});

test('summaries hold every dtype and order', () => {
  assert.equal(
    String(tensor(Float32Array.from({ length: 1500 }, (_, i) => i / 7), { shape: [1500, 1] })),
    '[[0.0000000e+00]\n [1.4285715e-01]\n [2.8571430e-01]\n ...\n' +
      ' [2.1385715e+02]\n [2.1400000e+02]\n [2.1414285e+02]]',
  );
  assert.equal(
    String(tensor(Array.from({ length: 1500 }, (_, i) => i % 3 === 0), { shape: [3, 500] })),
    '[[ true false false ... false  true false]\n [false  true false ... false false  true]\n' +
      ' [false false  true ...  true false false]]',
  );
  const turned = String(arange(1470, { dtype: 'i16' }).reshape([7, 7, 30]).flip(2)).split('\n');
  assert.deepEqual(turned.slice(0, 4), [
    '[[[  29   28   27 ...    2    1    0]', '  [  59   58   57 ...   32   31   30]',
    '  [  89   88   87 ...   62   61   60]', '  ...',
  ]);
});

test('a summary may itself need several lines', () => {
  const lines = String(tensor(Array.from({ length: 1200 }, (_, i) => i / 3), { shape: [6, 200] })).split('\n');
  assert.equal(lines.length, 12);
  assert.equal(lines[0], '[[0.00000000e+00 3.33333333e-01 6.66666667e-01 ... 6.56666667e+01');
  assert.equal(lines[1], '  6.60000000e+01 6.63333333e+01]');
  assert.equal(lines[11], '  3.99333333e+02 3.99666667e+02]]');
});

test('printing a view of any size looks at its ends only', () => {
  assert.equal(String(zeros([1]).broadcastTo([2 ** 50])), '[0. 0. 0. ... 0. 0. 0.]');
});

test('summarises more than a thousand elements, three at each end', () => {
  assert.equal(String(arange(1001)), '[   0.    1.    2. ...  998.  999. 1000.]');
  assert.equal(String(arange(1000, { dtype: 'i64' })).length, 4056);
  const ints = arange(1200, { dtype: 'i32' });
  assert.equal(
    String(ints.reshape([400, 3])),
    '[[   0    1    2]\n [   3    4    5]\n [   6    7    8]\n ...\n' +
      ' [1191 1192 1193]\n [1194 1195 1196]\n [1197 1198 1199]]',
  );
  assert.equal(
    String(ints.reshape([3, 400])),
    '[[   0    1    2 ...  397  398  399]\n [ 400  401  402 ...  797  798  799]\n' +
      ' [ 800  801  802 ... 1197 1198 1199]]',
  );
});

test('the format of a summary follows from the elements shown', () => {
  const [top, , , gap] = String(arange(2500).reshape([50, 50])).split('\n');
  assert.equal(top, '[[0.000e+00 1.000e+00 2.000e+00 ... 4.700e+01 4.800e+01 4.900e+01]');
  assert.equal(gap, ' ...');
  const hidden = arange(1001).set([500], 1e30);
  assert.equal(String(hidden), '[   0.    1.    2. ...  998.  999. 1000.]');
});

test('summaries of three axes leave a gap on each', () => {
  const lines = String(arange(1100, { dtype: 'i32' }).reshape([11, 10, 10])).split('\n');
  assert.equal(lines[0], '[[[   0    1    2 ...    7    8    9]');
  assert.equal(lines[3], '  ...');
  assert.equal(lines[7], '');
  assert.deepEqual(lines.slice(23, 27), ['', ' ...', '', ' [[ 800  801  802 ...  807  808  809]']);
  assert.equal(lines.at(-1), '  [1090 1091 1092 ... 1097 1098 1099]]]');
});

test('prints views in their own order', () => {
  const t = arange(6).reshape([2, 3]);
  assert.equal(String(t.T), '[[0. 3.]\n [1. 4.]\n [2. 5.]]');
  assert.equal(String(t.slice(1, [null, null, -1])), '[5. 4. 3.]');
  assert.equal(String(tensor([7, 8], { dtype: 'u8' }).broadcastTo([2, 2])), '[[7 8]\n [7 8]]');
});

test('inspecting shows dtype and shape before the elements', () => {
  assert.equal(inspect(arange(3)), 'Tensor f64[3] [0. 1. 2.]');
  assert.equal(inspect(tensor(true)), 'Tensor bool[] true');
  assert.equal(inspect(zeros([2, 2], { dtype: 'i16' })), 'Tensor i16[2, 2]\n[[0 0]\n [0 0]]');
  assert.equal(inspect({ a: { b: { c: arange(3) } } }), '{ a: { b: { c: [Tensor f64[3]] } } }');
  assert.equal(inspect({ t: zeros([2, 1]) }), '{\n  t: Tensor f64[2, 1]\n  [[0.]\n   [0.]]\n}');
});
