// Functions of npm packages with the names they use freely.
//
// A function's source names constants and helpers of its module, which its module alone can see. Here a module is
// evaluated as it stands, with one line added behind it that hands out all that it declares; `import` and `export`, which
// only a real module may say, are taken out first, and nothing inside a function changes. So fn.toString() is what the
// author wrote, and `capture` can be found by reading it.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
const acorn = require('acorn');

const root = path.join(__dirname, '..', '..', '..', 'node_modules');

/** @typedef {{ exports: any, scope: Record<string, any> }} Loaded */
/** @type {Map<string, Loaded>} */
const loaded = new Map();
/** Which module declares a function. @type {WeakMap<Function, Record<string, any>>} */
const scopes = new WeakMap();

/** @param {any} pattern @returns {string[]} names that a pattern declares */
function namesIn(pattern) {
  if (pattern === null) return [];
  if (pattern.type === 'Identifier') return [pattern.name];
  if (pattern.type === 'ObjectPattern') return pattern.properties.flatMap((/** @type {any} */ p) => namesIn(p.value ?? p.argument));
  if (pattern.type === 'ArrayPattern') return pattern.elements.flatMap(namesIn);
  return namesIn(pattern.left ?? pattern.argument);
}

/** @param {any} statement @returns {string[]} names that a statement at the top of a module declares */
function declaredBy(statement) {
  if (statement.type === 'VariableDeclaration') return statement.declarations.flatMap((/** @type {any} */ d) => namesIn(d.id));
  if (/^(Function|Class)Declaration$/.test(statement.type)) return statement.id ? [statement.id.name] : [];
  if (statement.type === 'ImportDeclaration') return statement.specifiers.map((/** @type {any} */ s) => s.local.name);
  return statement.declaration ? declaredBy(statement.declaration) : [];
}

/** `import` as a `const`, on as many lines. @param {any} node @param {string} text */
function importAsConst(node, text) {
  const module = `require(${JSON.stringify(node.source.value)})`;
  const lines = '\n'.repeat(text.slice(node.start, node.end).split('\n').length - 1);
  const fields = node.specifiers.map((/** @type {any} */ s) => {
    if (s.type === 'ImportNamespaceSpecifier') return `...${s.local.name}`;
    return `${s.type === 'ImportDefaultSpecifier' ? 'default' : s.imported.name}: ${s.local.name}`;
  });
  return `const { ${fields.join(', ')} } = ${module};${lines}`;
}

/** A module's text as a script's: what its `export`s say is done at the end. @param {string} text @param {any} tree */
function asScript(text, tree) {
  const edits = [];
  const exported = [];
  for (const node of tree.body) {
    if (node.type === 'ImportDeclaration') edits.push([node.start, node.end, importAsConst(node, text)]);
    else if (node.type === 'ExportNamedDeclaration' && node.declaration) {
      edits.push([node.start, node.declaration.start, '']);
      exported.push(...declaredBy(node).map((name) => `${name}`));
    } else if (node.type === 'ExportNamedDeclaration') {
      edits.push([node.start, node.end, '']);
      exported.push(...node.specifiers.map((/** @type {any} */ s) => `${s.exported.name}: ${s.local.name}`));
    } else if (node.type === 'ExportDefaultDeclaration') {
      const name = node.declaration.id?.name;
      edits.push([node.start, node.declaration.start, name ? '' : 'module.exports.default = ']);
      if (name) exported.push(`default: ${name}`);
    } else if (node.type === 'ExportAllDeclaration') {
      throw new Error('export * is not needed by any module so far');
    }
  }
  let script = text;
  for (const [start, end, by] of edits.reverse()) script = script.slice(0, start) + by + script.slice(end);
  return `${script}\nObject.assign(module.exports, { ${exported.join(', ')} });`;
}

/** @param {string} file @returns {Loaded} */
function load(file) {
  const found = loaded.get(file);
  if (found) return found;
  const text = fs.readFileSync(file, 'utf8');
  const isModule = file.endsWith('.mjs') || /^\s*(import|export)\b/m.test(text);
  const tree = acorn.parse(text, { ecmaVersion: 'latest', sourceType: isModule ? 'module' : 'script', allowHashBang: true });
  const names = [...new Set(tree.body.flatMap(declaredBy))];
  const module = { exports: {} };
  const entry = { exports: module.exports, scope: {} };
  loaded.set(file, entry);
  const near = createRequire(file);
  const require_ = (/** @type {string} */ id) => {
    const target = resolve(file, near, id);
    return /\.[cm]?js$/.test(target) ? load(target).exports : near(id);
  };
  const script = `${isModule ? asScript(text, tree) : text}\nreturn { ${names.join(', ')} };`;
  entry.scope = new Function('require', 'module', 'exports', '__dirname', '__filename', script)(
    require_, module, module.exports, path.dirname(file), file,
  );
  entry.exports = module.exports;
  for (const value of [...Object.values(entry.scope), module.exports, ...Object.values(module.exports)]) {
    if (typeof value === 'function' && !scopes.has(value)) scopes.set(value, entry.scope);
  }
  return entry;
}

/** The file that `id` means; packages of ES modules say it in `module` or `main`. @param {string} file @param {NodeJS.Require} near @param {string} id */
function resolve(file, near, id) {
  if (id.startsWith('.')) return near.resolve(id);
  try {
    return near.resolve(id);
  } catch {
    const folder = path.join(root, id);
    const { module, main } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    return path.join(folder, module ?? main);
  }
}

/** Such as `Math.sqrt`, which some modules take out of `Math` by destructuring. @param {Function} fn */
const isBuiltIn = (fn) => /\{\s*\[native code\]\s*\}$/.test(String(fn));

/** Names that only the language itself gives. */
const globals = new Set(Object.getOwnPropertyNames(globalThis).concat('undefined', 'arguments'));

/** A function's source as a tree; a method's makes sense inside an object only. @param {string} text */
function treeOf(text) {
  const options = /** @type {const} */ ({ ecmaVersion: 'latest' });
  try {
    return acorn.parse(`(${text})`, options);
  } catch {
    return acorn.parse(`({${text}})`, options);
  }
}

/**
 * What a function's source reads and does not declare, and the members it reads of each: `_number.isInteger`.
 *
 * @param {Function} fn
 * @returns {Map<string, Set<string>>}
 */
function freeNames(fn) {
  if (isBuiltIn(fn)) return new Map();
  const tree = treeOf(String(fn));
  const declared = new Set(['arguments']);
  const used = new Map();
  const note = (/** @type {string} */ name, /** @type {string | null} */ member) => {
    if (!used.has(name)) used.set(name, new Set());
    if (member) used.get(name).add(member);
  };
  const visit = (/** @type {any} */ node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node?.type !== 'string') return undefined;
    if (/Function|Arrow/.test(node.type)) {
      if (node.id) declared.add(node.id.name);
      node.params.flatMap(namesIn).forEach((/** @type {string} */ name) => declared.add(name));
    }
    if (node.type === 'VariableDeclarator') namesIn(node.id).forEach((name) => declared.add(name));
    if (node.type === 'Identifier') return note(node.name, null);
    if (node.type === 'MemberExpression' && !node.computed) {
      if (node.object.type === 'Identifier') return note(node.object.name, node.property.name);
      return visit(node.object);
    }
    for (const [key, child] of Object.entries(node)) {
      if (key === 'label' || (key === 'key' && !node.computed) || (key === 'property' && !node.computed)) continue;
      if (typeof child === 'object') visit(child);
    }
    return undefined;
  };
  visit(tree);
  for (const name of [...declared]) used.delete(name);
  return used;
}

/**
 * What `native` needs as `capture` for a function: helpers of the same module as they are, with what they use in turn, and
 * functions of other modules made native by `wrap`, since the same name may mean something else there.
 *
 * @param {Function} fn
 * @param {(fn: Function, capture: Record<string, any>) => any} wrap
 * @param {Record<string, any>} [known] names that no module declares, such as those of a closure
 * @param {Map<Function, any>} [wrapped]
 * @returns {Record<string, any>}
 */
function captureOf(fn, wrap, known = {}, wrapped = new Map()) {
  const scope = scopes.get(fn) ?? {};
  /** @type {Record<string, any>} */
  const capture = {};
  const isForeign = (/** @type {any} */ value) =>
    typeof value === 'function' && !isBuiltIn(value) && (scopes.get(value) ?? scope) !== scope;
  const add = (/** @type {any} */ value) => {
    if (!isForeign(value)) return value;
    if (wrapped.has(value)) return wrapped.get(value);
    const made = wrap(value, captureOf(value, wrap, {}, wrapped));
    wrapped.set(value, made);
    // What a function has as a property, as `toWords.assign`, comes from a module of its own.
    for (const key of Object.getOwnPropertyNames(value)) if (isForeign(value[key])) made[key] = add(value[key]);
    return made;
  };
  const pending = [fn];
  for (const one of pending) {
    for (const [name, members] of freeNames(one)) {
      if (name in capture || (globals.has(name) && !(name in scope)) || name === one.name) continue;
      const value = name in known ? known[name] : scope[name];
      if (value === undefined && !(name in known) && !(name in scope)) throw new Error(`${fn.name} uses ${name}, which its module does not declare`);
      const isNames = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
      capture[name] = isNames ? Object.fromEntries([...members].map((member) => [member, add(value[member])])) : add(value);
      if (typeof value === 'function' && !isForeign(value)) pending.push(value);
    }
  }
  return capture;
}

/**
 * A function of a module under node_modules.
 *
 * @param {string} file
 * @param {string} name as its module declares it, or a path such as `exports.distance` or `MathUtils.clamp`
 */
function functionOf(file, name) {
  const { scope, exports } = load(path.join(root, file));
  const found = name.split('.').reduce((/** @type {any} */ value, key) => value[key], { ...scope, exports });
  if (typeof found !== 'function') throw new Error(`${file} declares no function ${name}`);
  if (!scopes.has(found)) scopes.set(found, scope);
  return found;
}

module.exports = { captureOf, functionOf };
