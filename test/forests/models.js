// Random models in the formats of the libraries, written as these write them, and what their documentation says of
// rows: each model comes with a function that walks through its trees, one row at a time.
'use strict';

/** Between 0 and 1, the same each time. @type {(seed: number) => () => number} */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
}

const { fround } = Math;

/** @type {(random: () => number, count: number) => number} below count */
const below = (random, count) => Math.floor(random() * count);

/** Values that meet thresholds, and those that break comparisons. */
const ODD = [NaN, Infinity, -Infinity, 0, -0, 1e-36, -1e-36, 1e-35, 2e-35, 1e-300, 1e300, 16777217, -0.5, -1, 2 ** 31, 0.5];

/** Rows of features. @type {(random: () => number, rows: number, features: number, more?: readonly number[]) => Float64Array} */
function rowsOf(random, rows, features, more = []) {
  return Float64Array.from({ length: rows * features }, () => {
    const kind = random();
    if (kind < 0.2) return ODD[below(random, ODD.length)];
    if (kind < 0.5 && more.length > 0) return more[below(random, more.length)];
    return kind < 0.7 ? below(random, 12) - 2 : (random() - 0.5) * 4;
  });
}

/**
 * The shape of a random tree: children of inner nodes as numbers of nodes or, counted down from -1, of leaves.
 *
 * @type {(random: () => number, leaves: number, isChain: boolean) => { left: number[], right: number[] }}
 */
function shapeOf(random, leaves, isChain) {
  /** @type {number[][]} */
  const sides = [[], []];
  const open = [{ parent: -1, side: 0 }];
  for (let node = 0; node < leaves - 1; node++) {
    const at = isChain ? open.length - 1 : below(random, open.length);
    const { parent, side } = open[at];
    if (parent >= 0) sides[side][parent] = node;
    open[at] = { parent: node, side: 0 };
    open.push({ parent: node, side: 1 });
    sides[0][node] = sides[1][node] = 0;
  }
  open.forEach(({ parent, side }, leaf) => {
    if (parent >= 0) sides[side][parent] = ~leaf;
  });
  return { left: sides[0], right: sides[1] };
}

// --- XGBoost ---

const THRESHOLDS = [0, -0, 0.5, 1, 2, 3.25, -1.5, 1e-36, Infinity, -Infinity, NaN];

/** @type {(random: () => number) => number} */
const threshold = (random) => (random() < 0.1 ? THRESHOLDS[below(random, THRESHOLDS.length)] : (random() - 0.5) * 4);

/** @type {(random: () => number, options: any) => any} one tree as JSON has it, and as JavaScript walks it */
function xgboostTree(random, { features, leaves, isChain = false, categories = false }) {
  const { left, right } = shapeOf(random, leaves, isChain);
  const splits = left.length;
  const nodes = 2 * splits + 1;
  const child = (/** @type {number} */ at) => (at < 0 ? splits + ~at : at);
  const inner = (/** @type {() => any} */ make, /** @type {any} */ none) => Array.from({ length: nodes }, (_, i) => (i < splits ? make() : none));
  const json = {
    base_weights: new Array(nodes).fill(0), categories: /** @type {number[]} */ ([]), categories_nodes: /** @type {number[]} */ ([]),
    categories_segments: /** @type {number[]} */ ([]), categories_sizes: /** @type {number[]} */ ([]),
    default_left: inner(() => below(random, 2), 0), id: 0, left_children: inner(() => 0, -1), loss_changes: new Array(nodes).fill(0),
    parents: new Array(nodes).fill(2147483647), right_children: inner(() => 0, -1),
    split_conditions: Array.from({ length: nodes }, (_, i) => fround(i < splits ? threshold(random) : random() - 0.5)),
    split_indices: inner(() => below(random, features), 0), split_type: new Array(nodes).fill(0),
    sum_hessian: new Array(nodes).fill(1),
    tree_param: { num_deleted: '0', num_feature: String(features), num_nodes: String(nodes), size_leaf_vector: '0' },
  };
  for (let i = 0; i < splits; i++) {
    json.left_children[i] = child(left[i]);
    json.right_children[i] = child(right[i]);
    // A feature is one of categories or not.
    if (!categories || json.split_indices[i] % 2 === 1) continue;
    const own = [...new Set(Array.from({ length: 1 + below(random, 5) }, () => below(random, 40)))].sort((a, b) => a - b);
    json.split_type[i] = 1;
    json.categories_nodes.push(i);
    json.categories_segments.push(json.categories.length);
    json.categories_sizes.push(own.length);
    json.categories.push(...own);
  }
  return json;
}

/** The node where a row ends. @type {(tree: any, x: ArrayLike<number>, at: number) => number} */
function xgboostLeaf(tree, x, at) {
  let node = 0;
  while (tree.left_children[node] !== -1) {
    const value = fround(x[at + tree.split_indices[node]]);
    let left = value < tree.split_conditions[node];
    if (Number.isNaN(value)) left = tree.default_left[node] === 1;
    else if (tree.split_type[node] === 1) {
      const k = tree.categories_nodes.indexOf(node);
      const begin = tree.categories_segments[k];
      const set = tree.categories.slice(begin, begin + tree.categories_sizes[k]);
      left = value < 0 || value >= 16777216 || !set.includes(Math.trunc(value));
    }
    node = left ? tree.left_children[node] : tree.right_children[node];
  }
  return node;
}

/** @type {(random: () => number, options?: any) => { json: any, margin: (x: ArrayLike<number>, end?: number) => Float32Array, leaf: (x: ArrayLike<number>) => Int32Array }} */
function xgboost(random, { features = 5, trees = 10, leaves = 8, groups = 1, base = '5E-1', dart = false, ...more } = {}) {
  const list = Array.from({ length: trees }, (_, id) => ({ ...xgboostTree(random, { features, leaves: typeof leaves === 'function' ? leaves(id) : leaves, ...more }), id }));
  const weights = list.map(() => fround(random()));
  const model = {
    gbtree_model_param: { num_parallel_tree: '1', num_trees: String(trees), size_leaf_vector: '0' },
    tree_info: list.map((_, i) => i % groups), trees: list,
  };
  const booster = dart ? { gbtree: { model, name: 'gbtree' }, name: 'dart', weight_drop: weights } : { model, name: 'gbtree' };
  const objective = groups > 1 ? 'multi:softprob' : 'reg:squarederror';
  const json = {
    learner: {
      attributes: {}, feature_names: [], feature_types: [], gradient_booster: booster,
      learner_model_param: { base_score: base, boost_from_average: '1', num_class: String(groups > 1 ? groups : 0), num_feature: String(features), num_target: '1' },
      objective: { name: objective },
    },
    version: [2, 0, 3],
  };
  const rows = (/** @type {ArrayLike<number>} */ x) => x.length / features;
  return {
    json,
    margin: (x, end = Infinity) => {
      const out = new Float32Array(rows(x) * groups).fill(Number(base));
      for (let r = 0; r < rows(x); r++) {
        list.forEach((tree, i) => {
          if (Math.floor(i / groups) >= end) return;
          const value = tree.split_conditions[xgboostLeaf(tree, x, r * features)];
          out[r * groups + (i % groups)] += dart ? fround(weights[i] * value) : value;
        });
      }
      return out;
    },
    leaf: (x) => Int32Array.from({ length: rows(x) * trees }, (_, i) => xgboostLeaf(list[i % trees], x, Math.floor(i / trees) * features)),
  };
}

/** The same fields in UBJSON, as XGBoost writes them. @type {(value: any) => Buffer} */
function ubjson(value) {
  const long = (/** @type {number} */ number) => {
    const bytes = Buffer.alloc(9, 'L');
    bytes.writeBigInt64BE(BigInt(number), 1);
    return bytes;
  };
  const text = (/** @type {string} */ each) => Buffer.concat([long(Buffer.byteLength(each)), Buffer.from(each)]);
  if (typeof value === 'string') return Buffer.concat([Buffer.from('S'), text(value)]);
  if (typeof value === 'number') return long(value);
  if (!Array.isArray(value)) {
    const fields = Object.entries(value).flatMap(([name, each]) => [text(name), name === 'floats' ? each : ubjson(each)]);
    return Buffer.concat([Buffer.from('{'), ...fields, Buffer.from('}')]);
  }
  if (value.length === 0 || typeof value[0] !== 'number') return Buffer.concat([Buffer.from('['), ...value.map(ubjson), Buffer.from(']')]);
  const isWhole = value.every((each) => Number.isInteger(each) && !Object.is(each, -0));
  const elements = value.map((each) => {
    const bytes = Buffer.alloc(4);
    if (isWhole) bytes.writeInt32BE(each);
    else bytes.writeFloatBE(each);
    return bytes;
  });
  return Buffer.concat([Buffer.from(isWhole ? '[$l#' : '[$d#'), long(value.length), ...elements]);
}

/** As XGBoost writes it, with NaN and Infinity. @type {(json: any) => Buffer} */
function jsonBytes(json) {
  const text = JSON.stringify(json, (_, value) => (typeof value === 'number' && !Number.isFinite(value) ? `<${value}>` : value));
  return Buffer.from(text.replace(/"<(NaN|-?Infinity)>"/g, '$1'));
}

// --- LightGBM ---

/** @type {(random: () => number, options: any) => any} */
function lightgbmTree(random, { features, leaves, isChain = false, categories = false, linear = false }) {
  const { left, right } = shapeOf(random, leaves, isChain);
  const tree = {
    left, right, feature: left.map(() => below(random, features)), threshold: left.map(() => threshold(random)),
    missing: left.map(() => below(random, 3)), defaultLeft: left.map(() => random() < 0.5),
    sets: /** @type {(number[] | null)[]} */ (left.map(() => null)),
    values: Array.from({ length: leaves }, () => random() - 0.5), linear: /** @type {any[]} */ ([]),
  };
  tree.feature.forEach((feature, i) => {
    if (!categories || feature % 2 === 1) return;
    tree.sets[i] = [...new Set(Array.from({ length: 1 + below(random, 5) }, () => below(random, 70)))].sort((a, b) => a - b);
  });
  if (linear) {
    tree.linear = tree.values.map(() => {
      const own = [...new Set(Array.from({ length: below(random, 3) }, () => below(random, features)))];
      return { constant: random() - 0.5, features: own, coefficients: own.map(() => random() - 0.5) };
    });
  }
  return tree;
}

/** @type {(tree: any, x: ArrayLike<number>, at: number) => number} */
function lightgbmLeaf(tree, x, at) {
  if (tree.left.length === 0) return 0;
  let node = 0;
  while (node >= 0) {
    let value = x[at + tree.feature[node]];
    let left;
    if (tree.sets[node] !== null) left = value > -1 && value < 2 ** 31 && tree.sets[node].includes(Math.trunc(value));
    else {
      if (Number.isNaN(value) && tree.missing[node] !== 2) value = 0;
      const isMissing = tree.missing[node] === 1 ? Math.abs(value) <= fround(1e-35) : tree.missing[node] === 2 && Number.isNaN(value);
      left = isMissing ? tree.defaultLeft[node] : value <= tree.threshold[node];
    }
    node = left ? tree.left[node] : tree.right[node];
  }
  return ~node;
}

const MISSING = ['None', 'Zero', 'NaN'];
/** As C++ prints numbers. @type {(number: number) => string} */
const printed = (number) => (Number.isNaN(number) ? 'nan' : Math.abs(number) === Infinity ? (number > 0 ? 'inf' : '-inf') : Object.is(number, -0) ? '-0' : String(number));

/** @type {(tree: any, i: number) => string} */
function lightgbmTreeText(tree, i) {
  const sets = tree.sets.filter((/** @type {any} */ set) => set !== null);
  const bounds = [0];
  const words = /** @type {number[]} */ ([]);
  const places = tree.sets.map((/** @type {number[] | null} */ set) => {
    if (set === null) return null;
    const own = new Uint32Array(Math.floor(Math.max(...set) / 32) + 1);
    for (const member of set) own[member >> 5] |= 1 << (member & 31);
    words.push(...own);
    return bounds.push(words.length) - 2;
  });
  const types = tree.sets.map((/** @type {any} */ set, /** @type {number} */ k) => (set === null ? 0 : 1) + (tree.defaultLeft[k] ? 2 : 0) + 4 * tree.missing[k]);
  const thresholds = tree.threshold.map((/** @type {number} */ each, /** @type {number} */ k) => places[k] ?? printed(each));
  const counts = [...tree.values].map(() => 10);
  return [
    `Tree=${i}`, `num_leaves=${tree.values.length}`, `num_cat=${sets.length}`, `split_feature=${tree.feature.join(' ')}`,
    `split_gain=${tree.feature.map(() => 1).join(' ')}`, `threshold=${thresholds.join(' ')}`, `decision_type=${types.join(' ')}`,
    `left_child=${tree.left.join(' ')}`, `right_child=${tree.right.join(' ')}`, `leaf_value=${tree.values.join(' ')}`,
    `leaf_weight=${counts.join(' ')}`, `leaf_count=${counts.join(' ')}`, `internal_value=${tree.left.map(() => 0).join(' ')}`,
    `internal_weight=${tree.left.map(() => 10).join(' ')}`, `internal_count=${tree.left.map(() => 10).join(' ')}`,
    ...(sets.length > 0 ? [`cat_boundaries=${bounds.join(' ')}`, `cat_threshold=${words.join(' ')}`] : []),
    `is_linear=${tree.linear.length > 0 ? 1 : 0}`,
    ...(tree.linear.length > 0
      ? [
          `leaf_const=${tree.linear.map((/** @type {any} */ each) => each.constant).join(' ')}`,
          `num_features=${tree.linear.map((/** @type {any} */ each) => each.features.length).join(' ')}`,
          `leaf_features=${tree.linear.map((/** @type {any} */ each) => `${each.features.join(' ')} `).join('')}`,
          `leaf_coeff=${tree.linear.map((/** @type {any} */ each) => `${each.coefficients.join(' ')} `).join('')}`,
        ]
      : []),
    'shrinkage=0.1', '', '',
  ].join('\n');
}

/** @type {(tree: any, node: number) => any} */
function lightgbmNodeJson(tree, node) {
  if (node < 0 || tree.left.length === 0) {
    const leaf = node < 0 ? ~node : 0;
    const linear = tree.linear[leaf];
    const more = linear && { leaf_const: linear.constant, leaf_features: linear.features, leaf_coeff: linear.coefficients };
    return { leaf_index: leaf, leaf_value: tree.values[leaf], leaf_weight: 10, leaf_count: 10, ...more };
  }
  const set = tree.sets[node];
  return {
    split_index: node, split_feature: tree.feature[node], split_gain: 1, threshold: set === null ? tree.threshold[node] : set.join('||'),
    decision_type: set === null ? '<=' : '==', default_left: tree.defaultLeft[node], missing_type: MISSING[tree.missing[node]],
    internal_value: 0, internal_weight: 10, internal_count: 10,
    left_child: lightgbmNodeJson(tree, tree.left[node]), right_child: lightgbmNodeJson(tree, tree.right[node]),
  };
}

/** @type {(random: () => number, options?: any) => { text: string, json: any, margin: (x: ArrayLike<number>) => Float64Array, leaf: (x: ArrayLike<number>) => Int32Array }} */
function lightgbm(random, { features = 5, trees = 10, leaves = 8, groups = 1, average = false, objective = 'regression', ...more } = {}) {
  const list = Array.from({ length: trees }, (_, i) => lightgbmTree(random, { features, leaves: typeof leaves === 'function' ? leaves(i) : leaves, ...more }));
  const names = Array.from({ length: features }, (_, i) => `Column_${i}`);
  const text = [
    'tree', 'version=v4', `num_class=${groups}`, `num_tree_per_iteration=${groups}`, 'label_index=0', `max_feature_idx=${features - 1}`,
    `objective=${objective}`, ...(average ? ['average_output'] : []), `feature_names=${names.join(' ')}`,
    `feature_infos=${names.map(() => '[-1:1]').join(' ')}`, `tree_sizes=${list.map(() => 100).join(' ')}`, '',
    ...list.map(lightgbmTreeText), 'end of trees', '', 'feature_importances:', 'Column_0=1', '', 'parameters:', '[boosting: gbdt]', 'end of parameters', '',
    'pandas_categorical:null', '',
  ].join('\n');
  const json = {
    name: 'tree', version: 'v4', num_class: groups, num_tree_per_iteration: groups, label_index: 0, max_feature_idx: features - 1, objective,
    average_output: average, feature_names: names, monotone_constraints: [], feature_infos: {},
    tree_info: list.map((tree, i) => ({ tree_index: i, num_leaves: tree.values.length, num_cat: 0, shrinkage: 0.1, tree_structure: lightgbmNodeJson(tree, 0) })),
  };
  const rows = (/** @type {ArrayLike<number>} */ x) => x.length / features;
  const valueOf = (/** @type {any} */ tree, /** @type {ArrayLike<number>} */ x, /** @type {number} */ at) => {
    const leaf = lightgbmLeaf(tree, x, at);
    const linear = tree.linear[leaf];
    if (linear === undefined || linear.features.some((/** @type {number} */ f) => Number.isNaN(x[at + f]))) return tree.values[leaf];
    return linear.features.reduce((/** @type {number} */ sum, /** @type {number} */ f, /** @type {number} */ k) => sum + linear.coefficients[k] * x[at + f], linear.constant);
  };
  return {
    text, json,
    margin: (x) => {
      const out = new Float64Array(rows(x) * groups);
      for (let r = 0; r < rows(x); r++) list.forEach((tree, i) => void (out[r * groups + (i % groups)] += valueOf(tree, x, r * features)));
      return average ? out.map((each) => each / (trees / groups)) : out;
    },
    leaf: (x) => Int32Array.from({ length: rows(x) * trees }, (_, i) => lightgbmLeaf(list[i % trees], x, Math.floor(i / trees) * features)),
  };
}

// --- CatBoost ---

/** @type {(random: () => number, options?: any) => { json: any, margin: (x: ArrayLike<number>) => Float64Array }} */
function catboost(random, { features = 5, trees = 10, depth = 3, groups = 1, scale = 1, bias = 0, loss = 'RMSE' } = {}) {
  const treatments = Array.from({ length: features }, () => ['AsIs', 'AsFalse', 'AsTrue'][below(random, 3)]);
  const borders = treatments.map(() => Float64Array.from({ length: 6 }, () => fround((random() - 0.5) * 4)).sort());
  const list = Array.from({ length: trees }, () => ({
    leaf_values: Array.from({ length: 2 ** depth * groups }, () => random() - 0.5),
    leaf_weights: Array.from({ length: 2 ** depth }, () => 5),
    splits: Array.from({ length: depth }, () => {
      const feature = below(random, features);
      return { border: borders[feature][below(random, 6)], float_feature_index: feature, split_index: 0, split_type: 'FloatFeature' };
    }),
  }));
  const json = {
    features_info: {
      float_features: borders.map((own, i) => ({ borders: [...own], feature_index: i, flat_feature_index: i, has_nans: true, nan_value_treatment: treatments[i] })),
    },
    model_info: { params: JSON.stringify({ loss_function: { type: loss, params: {} } }) },
    oblivious_trees: list,
    scale_and_bias: [scale, groups > 1 ? new Array(groups).fill(bias) : [bias]],
  };
  return {
    json,
    margin: (x) => {
      const out = new Float64Array((x.length / features) * groups);
      for (let r = 0; r < x.length / features; r++) {
        for (const tree of list) {
          let leaf = 0;
          tree.splits.forEach(({ border, float_feature_index: feature }, bit) => {
            const value = fround(x[r * features + feature]);
            const goes = Number.isNaN(value) ? treatments[feature] === 'AsTrue' : value > border;
            if (goes) leaf |= 1 << bit;
          });
          for (let g = 0; g < groups; g++) out[r * groups + g] += tree.leaf_values[leaf * groups + g];
        }
      }
      return scale === 1 && bias === 0 ? out : out.map((each) => scale * each + bias);
    },
  };
}

module.exports = { below, catboost, generator, jsonBytes, lightgbm, rowsOf, ubjson, xgboost };
