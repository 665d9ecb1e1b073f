// Strokes of a pen, and the image of 28 × 28 pixels that they are to a network that was trained on MNIST: there a digit
// fills a box of 20 × 20, with its centre of mass in the middle, and lines are about as wide everywhere. So the image
// is made of the strokes themselves, not of pixels on the paper: a digit that was drawn small has no thick lines.
//
// A stroke is an array of points [x, y], on a paper from 0 to 1, y downwards.

export const SIDE = 28;
const BOX = 20;
const RADIUS = 1.3; // of the pen, in pixels of the image
const LEAST = 0.15; // what is drawn smaller than this is not enlarged to the whole box: a dot stays a dot

/** How far a point is from a segment. */
function distance(x, y, [[ax, ay], [bx, by]]) {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square));
  return Math.hypot(ax + along * dx - x, ay + along * dy - y);
}

/** Segments in pixels as an image, with edges that are one pixel wide, as those of lines which were scaled down. */
function paint(segments) {
  const image = new Uint8Array(SIDE * SIDE);
  for (let at = 0; at < image.length; at++) {
    const [x, y] = [(at % SIDE) + 0.5, Math.floor(at / SIDE) + 0.5];
    let nearest = Infinity;
    for (const segment of segments) nearest = Math.min(nearest, distance(x, y, segment));
    image[at] = Math.round(255 * Math.min(1, Math.max(0, RADIUS + 0.5 - nearest)));
  }
  return image;
}

/** The centre of mass of an image, brightness being mass. */
function centreOf(image) {
  let [x, y, total] = [0, 0, 0];
  image.forEach((mass, at) => {
    x += mass * ((at % SIDE) + 0.5);
    y += mass * (Math.floor(at / SIDE) + 0.5);
    total += mass;
  });
  return [x / total, y / total];
}

/**
 * The image of strokes: white on black, a row behind the other. Without strokes it is black.
 *
 * @param {readonly (readonly (readonly number[])[])[]} strokes
 * @returns {Uint8Array}
 */
export function imageOf(strokes) {
  const points = strokes.flat();
  if (points.length === 0) return new Uint8Array(SIDE * SIDE);
  const [low, high] = [Math.min, Math.max].map((end) => [0, 1].map((axis) => end(...points.map((one) => one[axis]))));
  const scale = (BOX - 2 * RADIUS) / Math.max(LEAST, high[0] - low[0], high[1] - low[1]);
  const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  // Each point with the one before; a dot is a segment without length.
  const pairs = strokes.flatMap((stroke) => stroke.map((to, i) => [stroke[Math.max(0, i - 1)], to]));
  const segments = (centre) =>
    pairs.map((pair) => pair.map((point) => point.map((at, axis) => (at - middle[axis]) * scale + centre[axis])));
  const mass = centreOf(paint(segments([SIDE / 2, SIDE / 2])));
  return paint(segments(mass.map((at) => SIDE - at)));
}

/** Points of an ellipse, from an angle to another in degrees: 0 is right, 90 is below. */
function arc(x, y, width, height, from, to) {
  const angles = Array.from({ length: 25 }, (_, i) => ((from + ((to - from) * i) / 24) * Math.PI) / 180);
  return angles.map((angle) => [x + width * Math.cos(angle), y + height * Math.sin(angle)]);
}

// On squared paper of 20 × 20.
const digits = [
  [arc(10, 10, 5, 8, -90, 270)],
  [[[7.5, 5], [11, 2], [11, 18]]],
  [[...arc(10, 6.5, 4.5, 4.5, -160, 40), [5, 18], [15.5, 18]]],
  [[...arc(9.5, 6, 4.5, 4, -150, 90), ...arc(9.5, 14, 5, 4, -90, 150)]],
  [[[8, 2], [5, 11], [15.5, 11]], [[12.5, 4], [12, 18]]],
  [[[14.5, 2], [7, 2], [6.5, 9], ...arc(9.5, 13, 5, 5, -120, 150)]],
  [[[12.5, 2], [9, 5.5], [6.5, 9.5], ...arc(10, 13.2, 4.3, 4.8, 195, -150)]],
  [[[5, 2], [15, 2], [9, 18]]],
  [arc(10, 6, 4, 4, 90, 450), arc(10, 14, 4.8, 4, -90, 270)],
  [[...arc(10, 6.8, 4.5, 4.8, 0, -360), [13, 18]]],
];

/** The ten digits as strokes, for those who do not draw. */
export const written = digits.map((strokes) => strokes.map((stroke) => stroke.map(([x, y]) => [x / 20, y / 20])));
