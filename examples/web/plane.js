// The computation of the page: a picture of a complex function, drawn by colour.
//
// The function has three zeros and three poles, f(z) = Π(z - aᵢ) / Π(z - bᵢ) · exp(s / z), and every pixel is one z.
// Its hue tells the argument of f(z) and its shade the modulus: rings lie where |f| doubles, spokes where the argument
// has turned by a part of a circle. All of it fuses into one loop over the pixels, which ends by packing bytes.
'use strict';

const { Graph, atan2 } = require('graphjit');

const POINTS = 3;
const TURN = 2 * Math.PI;

/** x - floor(x): where x is within its unit. */
const fraction = (x) => x.sub(x.floor());

/** Π(z - pᵢ) as { re, im }, of points [3, 2]. */
function product(x, y, points) {
  const factors = Array.from({ length: POINTS }, (_, i) => ({
    re: x.sub(points.slice(i, 0)),
    im: y.sub(points.slice(i, 1)),
  }));
  return factors.reduce((a, b) => ({ re: a.re.mul(b.re).sub(a.im.mul(b.im)), im: a.re.mul(b.im).add(a.im.mul(b.re)) }));
}

/** log2 |f(z)|, and the argument of f(z) in turns. */
function polar(x, y, zeros, poles, essence) {
  const [over, under] = [product(x, y, zeros), product(x, y, poles)];
  // over · conjugate of under has the argument of the quotient
  const re = over.re.mul(under.re).add(over.im.mul(under.im));
  const im = over.im.mul(under.re).sub(over.re.mul(under.im));
  const square = (z) => z.re.mul(z.re).add(z.im.mul(z.im));
  const reach = essence.div(x.mul(x).add(y.mul(y)).max(1e-6));
  return {
    height: square(over).max(1e-30).div(square(under).max(1e-30)).log2().mul(0.5).add(x.mul(reach).mul(Math.LOG2E)),
    turns: atan2(im, re).sub(y.mul(reach)).div(TURN),
  };
}

/** One channel of a palette of three rows, what it is on average, how far it goes, and where it begins. */
function channel(hue, palette, i) {
  const wave = fraction(hue.add(palette.slice(2, i)))
    .mul(2)
    .sub(1)
    .abs();
  const smooth = wave.mul(wave).mul(wave.mul(-2).add(3)); // a cosine, as good as
  return smooth.mul(palette.slice(1, i)).add(palette.slice(0, i));
}

/** The graph of the picture: `pixels` are those of a canvas, red in the lowest byte. */
function plane() {
  const graph = new Graph('plane');
  const scalar = (name) => graph.input(name, 'f32');
  const x = graph.input('x', 'f32', ['width']).expandDims(0);
  const y = graph.input('y', 'f32', ['height']).expandDims(1);
  const [zeros, poles] = ['zeros', 'poles'].map((name) => graph.input(name, 'f32', [POINTS, 2]));
  const palette = graph.input('palette', 'f32', [3, 3]);
  const { height, turns } = polar(x, y, zeros, poles, scalar('essence'));
  const hue = turns
    .mul(scalar('power'))
    .add(height.mul(scalar('twist')))
    .add(scalar('time'));
  const depth = scalar('depth');
  const rings = fraction(height.mul(scalar('rings')));
  const spokes = fraction(turns.mul(scalar('spokes')));
  const shade = rings
    .mul(depth)
    .add(1)
    .sub(depth)
    .mul(spokes.mul(depth).mul(0.6).add(1).sub(depth.mul(0.6)));
  const byte = (i) => channel(hue, palette, i).mul(shade).sqrt().mul(255).clip(0, 255).convert('u32');
  graph.output('pixels', byte(0).or(byte(1).shl(8)).or(byte(2).shl(16)).or(0xff000000));
  return graph;
}

module.exports = { plane };
