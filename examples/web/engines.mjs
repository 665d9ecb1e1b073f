// What can compute the picture: a module of graphjit, or the same loop in JavaScript.
//
// An engine has `resize(width, height)` and `draw(settings)`, which returns an ImageData. The module writes its pixels
// where the ImageData looks: nothing is copied between WebAssembly and the canvas.
import { load } from 'graphjit/web';

/** Pixels are bytes in the order red, green, blue, alpha, which is how a u32 of a little-endian machine lies. */
const imageOver = (data, width, height) =>
  new ImageData(new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength), width, height);

/** Coordinates of the middles of pixels that lie `step` apart, 0 being at `origin`. */
function coordinates(target, step, origin) {
  for (let i = 0; i < target.length; i++) target[i] = (i + 0.5 - origin) * step;
}

/** @param {Uint8Array<ArrayBuffer>} bytes of a module */
export async function wasmEngine(bytes) {
  const program = await load(bytes);
  let arrays;
  let call;
  let image;
  return {
    program,
    resize(width, height) {
      for (const { free } of Object.values(arrays ?? {})) free();
      call?.free();
      const sizes = { width, height };
      const allocate = ({ name, dtype, shape }) => [
        name,
        program.allocate(
          dtype,
          shape.map((size) => sizes[size] ?? size),
        ),
      ];
      arrays = Object.fromEntries([...program.inputs, ...program.outputs].map(allocate));
      const { pixels, ...inputs } = arrays;
      call = program.bind(inputs, { pixels });
      image = undefined;
    },
    draw({ step, origin, ...settings }) {
      coordinates(arrays.x.data, step, origin[0]);
      coordinates(arrays.y.data, -step, origin[1]);
      for (const [name, value] of Object.entries(settings))
        arrays[name].data.set(typeof value === 'number' ? [value] : value);
      call();
      const { data, shape } = arrays.pixels;
      // The view is another one only when memory has grown.
      if (image?.data.buffer !== data.buffer) image = imageOver(data, shape[1], shape[0]);
      return image;
    },
  };
}

const fraction = (x) => x - Math.floor(x);

/** The same picture as in plane.js, as people write it in JavaScript. */
export function scriptEngine() {
  let pixels;
  let width;
  let image;
  const product = (x, y, points, to) => {
    let [re, im] = [x - points[0], y - points[1]];
    for (let i = 2; i < points.length; i += 2) {
      const [a, b] = [x - points[i], y - points[i + 1]];
      [re, im] = [re * a - im * b, re * b + im * a];
    }
    to.re = re;
    to.im = im;
  };
  const [over, under] = [
    { re: 0, im: 0 },
    { re: 0, im: 0 },
  ];
  const color = (x, y, { zeros, poles, essence, palette, power, twist, time, rings, spokes, depth }) => {
    product(x, y, zeros, over);
    product(x, y, poles, under);
    const re = over.re * under.re + over.im * under.im;
    const im = over.im * under.re - over.re * under.im;
    const reach = essence / Math.max(x * x + y * y, 1e-6);
    const ratio =
      Math.max(over.re * over.re + over.im * over.im, 1e-30) /
      Math.max(under.re * under.re + under.im * under.im, 1e-30);
    const height = Math.log2(ratio) * 0.5 + x * reach * Math.LOG2E;
    const turns = (Math.atan2(im, re) - y * reach) / (2 * Math.PI);
    const hue = turns * power + height * twist + time;
    const shade =
      (1 - depth + depth * fraction(height * rings)) * (1 - depth * 0.6 + depth * 0.6 * fraction(turns * spokes));
    let packed = 0xff000000;
    for (let i = 0; i < 3; i++) {
      const wave = Math.abs(fraction(hue + palette[6 + i]) * 2 - 1);
      const value = (wave * wave * (3 - 2 * wave) * palette[3 + i] + palette[i]) * shade;
      packed |= Math.min(Math.max(Math.sqrt(value) * 255, 0), 255) << (8 * i);
    }
    return packed;
  };
  return {
    resize(columns, rows) {
      width = columns;
      pixels = new Uint32Array(columns * rows);
      image = imageOver(pixels, columns, rows);
    },
    draw(settings) {
      const { step, origin } = settings;
      for (let row = 0; row < pixels.length / width; row++) {
        const y = (origin[1] - row - 0.5) * step;
        for (let column = 0; column < width; column++) {
          pixels[row * width + column] = color((column + 0.5 - origin[0]) * step, y, settings);
        }
      }
      return image;
    },
  };
}
