// The elementwise loops in AssemblyScript: as people write them, and with vectors by hand (`…_simd`). Pointers and
// counts as in wasm-loops.c; counts are multiples of four. Compiled by wasm-peers.js with asc.

export function axpby_f64(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 3; i < end; i += 8) store<f64>(z + i, 2 * load<f64>(x + i) + 3 * load<f64>(y + i));
}

export function axpby_f32(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 2; i < end; i += 4) store<f32>(z + i, 2 * load<f32>(x + i) + 3 * load<f32>(y + i));
}

export function axpby_f64_simd(n: i32, x: usize, y: usize, z: usize): void {
  const two = f64x2.splat(2), three = f64x2.splat(3);
  for (let i = 0, end = n << 3; i < end; i += 16) {
    v128.store(z + i, f64x2.add(f64x2.mul(two, v128.load(x + i)), f64x2.mul(three, v128.load(y + i))));
  }
}

export function axpby_f32_simd(n: i32, x: usize, y: usize, z: usize): void {
  const two = f32x4.splat(2), three = f32x4.splat(3);
  for (let i = 0, end = n << 2; i < end; i += 16) {
    v128.store(z + i, f32x4.add(f32x4.mul(two, v128.load(x + i)), f32x4.mul(three, v128.load(y + i))));
  }
}

export function norm_f64(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 3; i < end; i += 8) {
    const a = load<f64>(x + i), b = load<f64>(y + i);
    store<f64>(z + i, sqrt(a * a + b * b));
  }
}

export function norm_f32(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 2; i < end; i += 4) {
    const a = load<f32>(x + i), b = load<f32>(y + i);
    store<f32>(z + i, sqrt<f32>(a * a + b * b));
  }
}

export function norm_f64_simd(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 3; i < end; i += 16) {
    const a = v128.load(x + i), b = v128.load(y + i);
    v128.store(z + i, f64x2.sqrt(f64x2.add(f64x2.mul(a, a), f64x2.mul(b, b))));
  }
}

export function norm_f32_simd(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 2; i < end; i += 16) {
    const a = v128.load(x + i), b = v128.load(y + i);
    v128.store(z + i, f32x4.sqrt(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b))));
  }
}

export function chain_f64(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 3; i < end; i += 8) {
    const a = load<f64>(x + i), b = load<f64>(y + i);
    store<f64>(z + i, (((a + b) * (a - b) + a * 0.5) * (1.5 - b)) / (a * a + 1));
  }
}

export function chain_f32(n: i32, x: usize, y: usize, z: usize): void {
  for (let i = 0, end = n << 2; i < end; i += 4) {
    const a = load<f32>(x + i), b = load<f32>(y + i);
    store<f32>(z + i, (((a + b) * (a - b) + a * 0.5) * (1.5 - b)) / (a * a + 1));
  }
}

export function chain_f64_simd(n: i32, x: usize, y: usize, z: usize): void {
  const half = f64x2.splat(0.5), more = f64x2.splat(1.5), one = f64x2.splat(1);
  for (let i = 0, end = n << 3; i < end; i += 16) {
    const a = v128.load(x + i), b = v128.load(y + i);
    const top = f64x2.add(f64x2.mul(f64x2.add(a, b), f64x2.sub(a, b)), f64x2.mul(a, half));
    v128.store(z + i, f64x2.div(f64x2.mul(top, f64x2.sub(more, b)), f64x2.add(f64x2.mul(a, a), one)));
  }
}

export function chain_f32_simd(n: i32, x: usize, y: usize, z: usize): void {
  const half = f32x4.splat(0.5), more = f32x4.splat(1.5), one = f32x4.splat(1);
  for (let i = 0, end = n << 2; i < end; i += 16) {
    const a = v128.load(x + i), b = v128.load(y + i);
    const top = f32x4.add(f32x4.mul(f32x4.add(a, b), f32x4.sub(a, b)), f32x4.mul(a, half));
    v128.store(z + i, f32x4.div(f32x4.mul(top, f32x4.sub(more, b)), f32x4.add(f32x4.mul(a, a), one)));
  }
}
