// The Mandelbrot set as a PNG: rows are computed at the same time, on all cores, by a loop over prange.
//
//   node examples/13-mandelbrot.js [mandelbrot.png]
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');
const { native, prange } = require('graphjit');

const [width, height, limit] = [900, 600, 300];

const mandelbrot = native(
  (image, w, h, rounds) => {
    for (const row of prange(h)) {
      const ci = (2 * row) / h - 1;
      for (let column = 0; column < w; column++) {
        const cr = (3 * column) / w - 2;
        let [zr, zi, round] = [0, 0, 0];
        while (round < rounds && zr * zr + zi * zi <= 4) {
          [zr, zi] = [zr * zr - zi * zi + cr, 2 * zr * zi + ci];
          round++;
        }
        image[row * w + column] = round === rounds ? 0 : 255 * Math.sqrt(round / rounds);
      }
    }
  },
  { capture: { prange } },
);

/**
 * Grey pixels as a PNG file: a header, rows that each begin with the number of their filter, an end.
 *
 * @param {Uint8Array} pixels
 */
function png(pixels) {
  const chunk = (/** @type {string} */ type, /** @type {Buffer} */ data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((width + 1) * height);
  for (let row = 0; row < height; row++)
    rows.set(pixels.subarray(row * width, (row + 1) * width), row * (width + 1) + 1);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', zlib.deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const crc32 = native((bytes) => {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
});

const image = new Uint8Array(width * height);
const start = performance.now();
mandelbrot(image, width, height, limit);
const took = performance.now() - start;
const file = process.argv[2] ?? path.join(os.tmpdir(), 'mandelbrot.png');
fs.writeFileSync(file, png(image));
console.log(`${width}×${height} points in ${took.toFixed(0)} ms, compiling included: ${file}`);
