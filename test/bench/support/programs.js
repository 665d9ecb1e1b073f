// Well-known small programs as one writes them in JavaScript. V8 and native code run this very source; programs.h has the
// same in C.
//
// What a program needs besides its parameters it makes itself. Each returns a number that depends on all that it did.
'use strict';

function sumTo(last) {
  let sum = 0;
  let i = 0;
  while (i <= last) {
    sum += i;
    i += 1;
  }
  return sum;
}

function sumToBig(last) {
  let sum = 0n;
  let i = 0n;
  while (i <= last) {
    sum += i;
    i += 1n;
  }
  return sum;
}

function mandelbrot(image, width, height, limit) {
  for (let row = 0; row < height; row++) {
    const ci = (2 * row) / height - 1;
    for (let column = 0; column < width; column++) {
      const cr = (3 * column) / width - 2;
      let zr = 0;
      let zi = 0;
      let rounds = 0;
      while (rounds < limit && zr * zr + zi * zi <= 4) {
        const t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        rounds++;
      }
      image[row * width + column] = rounds;
    }
  }
  return image[(height >> 1) * width + (width >> 2)];
}

// Seven numbers per body: where it is, how fast it goes, its mass.
function nbody(bodies, steps, dt) {
  const count = bodies.length / 7;
  for (let step = 0; step < steps; step++) {
    for (let i = 0; i < count; i++) {
      const a = 7 * i;
      for (let j = i + 1; j < count; j++) {
        const b = 7 * j;
        const dx = bodies[a] - bodies[b];
        const dy = bodies[a + 1] - bodies[b + 1];
        const dz = bodies[a + 2] - bodies[b + 2];
        const square = dx * dx + dy * dy + dz * dz;
        const pull = dt / (square * Math.sqrt(square));
        const ofB = bodies[b + 6] * pull;
        const ofA = bodies[a + 6] * pull;
        bodies[a + 3] -= dx * ofB;
        bodies[a + 4] -= dy * ofB;
        bodies[a + 5] -= dz * ofB;
        bodies[b + 3] += dx * ofA;
        bodies[b + 4] += dy * ofA;
        bodies[b + 5] += dz * ofA;
      }
    }
    for (let i = 0; i < count; i++) {
      const a = 7 * i;
      bodies[a] += dt * bodies[a + 3];
      bodies[a + 1] += dt * bodies[a + 4];
      bodies[a + 2] += dt * bodies[a + 5];
    }
  }
  return bodies[0];
}

function spectralNorm(n, rounds) {
  const element = (i, j) => 1 / (((i + j) * (i + j + 1)) / 2 + i + 1);
  const times = (from, to) => {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += element(i, j) * from[j];
      to[i] = sum;
    }
  };
  const timesTransposed = (from, to) => {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += element(j, i) * from[j];
      to[i] = sum;
    }
  };
  const u = new Float64Array(n).fill(1);
  const v = new Float64Array(n);
  const w = new Float64Array(n);
  for (let round = 0; round < rounds; round++) {
    times(u, w);
    timesTransposed(w, v);
    times(v, w);
    timesTransposed(w, u);
  }
  let top = 0;
  let bottom = 0;
  for (let i = 0; i < n; i++) {
    top += u[i] * v[i];
    bottom += v[i] * v[i];
  }
  return Math.sqrt(top / bottom);
}

function fannkuch(n) {
  const start = new Int32Array(n);
  const order = new Int32Array(n);
  const count = new Int32Array(n);
  for (let i = 0; i < n; i++) start[i] = i;
  let most = 0;
  let checksum = 0;
  let sign = 1;
  let r = n;
  for (;;) {
    while (r !== 1) {
      count[r - 1] = r;
      r--;
    }
    for (let i = 0; i < n; i++) order[i] = start[i];
    let flips = 0;
    for (let first = order[0]; first !== 0; first = order[0]) {
      for (let i = 0, j = first; i < j; i++, j--) {
        const t = order[i];
        order[i] = order[j];
        order[j] = t;
      }
      flips++;
    }
    if (flips > most) most = flips;
    checksum += sign * flips;
    sign = -sign;
    for (;;) {
      if (r === n) return checksum * 100 + most;
      const first = start[0];
      for (let i = 0; i < r; i++) start[i] = start[i + 1];
      start[r] = first;
      count[r]--;
      if (count[r] > 0) break;
      r++;
    }
  }
}

function sieve(n) {
  const composite = new Uint8Array(n + 1);
  let found = 0;
  for (let i = 2; i <= n; i++) {
    if (composite[i] === 0) {
      found++;
      for (let j = i * i; j <= n; j += i) composite[j] = 1;
    }
  }
  return found;
}

function matmul(a, b, c, n) {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  return c[n * n - 1];
}

function collatz(n) {
  let longest = 0;
  let at = 0;
  for (let start = 1; start < n; start++) {
    let x = start;
    let steps = 0;
    while (x !== 1) {
      x = x % 2 === 0 ? x / 2 : 3 * x + 1;
      steps++;
    }
    if (steps > longest) {
      longest = steps;
      at = start;
    }
  }
  return at;
}

function movingMedian(data, medians, width) {
  const sorted = new Float64Array(width);
  let filled = 0;
  for (let i = 0; i < data.length; i++) {
    if (filled === width) {
      const gone = data[i - width];
      let at = 0;
      while (sorted[at] !== gone) at++;
      for (; at + 1 < width; at++) sorted[at] = sorted[at + 1];
      filled--;
    }
    let at = filled;
    for (; at > 0 && sorted[at - 1] > data[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = data[i];
    filled++;
    if (filled === width) medians[i - width + 1] = sorted[width >> 1];
  }
  return medians[medians.length - 1];
}

module.exports = { collatz, fannkuch, mandelbrot, matmul, movingMedian, nbody, sieve, spectralNorm, sumTo, sumToBig };
