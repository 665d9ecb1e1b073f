// Runs jobs in a page or in a worker, and compares what comes out with what the server has from Node.
//
// A job is { title, source, weights?, isPackage?, runs }: addresses of a module (or of one per variant), of its weights, or
// of a self-contained package; a run has inputs and outputs as { name, dtype, shape, at }, `at` being where their bytes lie.
import { load } from '/web/index.mjs';

const classes = {
  f64: Float64Array, f32: Float32Array, i64: BigInt64Array, i32: Int32Array, i16: Int16Array, i8: Int8Array, u64: BigUint64Array,
  u32: Uint32Array, u16: Uint16Array, u8: Uint8Array, bool: Uint8Array,
};

/** { name: { dtype, shape, data } } of a list of arrays. */
async function fetched(list) {
  const entries = list.map(async ({ name, dtype, shape, at }) => {
    const response = await fetch(at);
    return [name, { dtype, shape, data: new classes[dtype](await response.arrayBuffer()) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What differs in a few elements; any NaN equals any other one, and -0 is not 0. */
function differences(place, got, want) {
  const wrong = [];
  for (const [name, { dtype, shape, data }] of Object.entries(want)) {
    const own = got[name];
    if (own?.dtype !== dtype || String(own.shape) !== String(shape) || own.data.length !== data.length) {
      wrong.push(`${place}: ${name} is ${own?.dtype}[${own?.shape}], expected ${dtype}[${shape}]`);
      continue;
    }
    const at = data.findIndex((value, i) => !Object.is(value, own.data[i]));
    if (at >= 0) wrong.push(`${place}: ${name}[${at}] is ${own.data[at]}, expected ${data[at]}`);
  }
  return wrong;
}

/** The same by a bound call over arrays that lie in the memory of the module. */
function runInMemory(program, inputs, want) {
  const allocate = ([name, { dtype, shape }]) => [name, program.allocate(dtype, shape)];
  const [own, results] = [inputs, want].map((arrays) => Object.fromEntries(Object.entries(arrays).map(allocate)));
  const call = program.bind(own, results);
  for (const [name, { data }] of Object.entries(inputs)) own[name].data.set(data);
  call();
  const copies = Object.entries(results).map(([name, { dtype, shape, data }]) => [name, { dtype, shape, data: data.slice() }]);
  for (const { free } of [...Object.values(own), ...Object.values(results), call]) free();
  return Object.fromEntries(copies);
}

/** @returns {Promise<{ elements: number, wrong: string[] }>} how many elements were compared, and what differed */
export async function runJobs(jobs) {
  const wrong = [];
  let elements = 0;
  for (const { title, source, weights, isPackage, runs } of jobs) {
    const program = isPackage ? await (await import(source)).load() : await load(source, weights && { weights });
    for (const [i, { inputs, outputs }] of runs.entries()) {
      const [given, want] = await Promise.all([inputs, outputs].map(fetched));
      wrong.push(...differences(`${title}, run ${i}`, program.run(given), want));
      wrong.push(...differences(`${title}, bound ${i}`, runInMemory(program, given, want), want));
      elements += Object.values(want).reduce((total, { data }) => total + data.length, 0);
    }
  }
  return { elements, wrong };
}
