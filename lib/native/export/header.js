/**
 * The C header of a native function's object: text for people first, then what a compiler needs.
 *
 * Scalars are passed as they are, an array as a pointer and its length. A function of one number that cannot fail
 * returns it; others take a pointer for the result and return a status. Several results are a struct, and an array is a
 * pointer and a length in it; such a function has a wrapper here, over one in the object (SYMBOL_values) that takes a
 * pointer for each. The header takes C11 or C++11 and no library.
 */
'use strict';

const { native } = require('../../base/binding.js');
const { C_TYPES } = require('../../base/code-text.js');
const { takesRun } = require('../emit/module.js');
const { shapeText } = require('../run/results.js');
const { typeText } = require('../source/signature.js');

/** @typedef {import('../run/callable.js').Callable} Callable */
/** @typedef {import('../run/compile.js').Code} Code */
/** @typedef {import('../emit/module.js').LoopModule} LoopModule */

/**
 * A slot of the result. `part`: of three for an array.
 *
 * @typedef {{ type: string, name: string, part: 'value' | 'address' | 'length' | 'origin', element: string }} Out
 */
/** @typedef {{ type: string, name: string, note: string }} Param */

/**
 * @typedef {object} Interface
 * @property {string} symbol what C calls
 * @property {string} name in the object
 * @property {Param[]} params
 * @property {Out[]} outs
 * @property {string} returns a C type
 * @property {boolean} status it returns one
 * @property {boolean} exec it takes one
 * @property {boolean} wrapped
 */

/** A text of the user's in a comment, where nothing may end or hide it. @type {(text: string) => string} */
const comment = (text) => text.replace(/[^ -~]|[\\?]/gu, '_');

/** @type {(name: string) => string} */
const word = (name) => name.replace(/\W/gu, '_') || 'field';

// --- what is passed ---

/** @type {(code: Code, module: LoopModule) => Param[]} */
function paramsOf({ program }, { params }) {
  const own = params.filter(({ role }) => role !== 'result');
  return own.map(({ role, dtype, index, isWritten }) => {
    const port = program.ports[index];
    const { name } = port.kind === 'scalar' ? port.local : port.pointer;
    if (role === 'array')
      return { type: `${isWritten ? '' : 'const '}${C_TYPES[dtype]} *`, name, note: isWritten ? 'is written' : '' };
    if (role === 'length') return { type: 'int64_t', name: `${name}_length`, note: `elements of ${name}` };
    return { type: C_TYPES[dtype], name, note: '' };
  });
}

/** The slots of a result in order. @type {(shape: any, name: string, outs: Out[]) => void} */
function addOuts(shape, name, outs) {
  const { kind, dtype, slot, tag } = shape;
  if (kind === 'tuple')
    shape.elements.forEach((/** @type {any} */ each, /** @type {number} */ i) =>
      addOuts(each, joined(name, `${i}`), outs),
    );
  else if (kind === 'object')
    for (const [key, each] of Object.entries(shape.fields)) addOuts(each, joined(name, word(key)), outs);
  else if (kind === 'array' || kind === 'list') {
    const element = C_TYPES[shape.clamps ? 'u8c' : dtype];
    outs[slot] = { type: 'int64_t', name: name || 'data', part: 'address', element };
    outs[slot + 1] = { type: 'int64_t', name: name ? `${name}_length` : 'length', part: 'length', element };
    outs[slot + 2] = { type: 'int64_t', name: `${name}_origin`, part: 'origin', element };
  } else if (slot !== undefined) {
    const type = kind === 'number' && /64/u.test(dtype) ? 'double' : C_TYPES[dtype];
    outs[slot] = { type, name: name || 'value', part: 'value', element: '' };
  }
  if (typeof tag === 'number')
    outs[tag] = { type: 'int32_t', name: `${name || 'value'}_is`, part: 'value', element: '' };
}

/** @type {(name: string, more: string) => string} */
const joined = (name, more) => (name ? `${name}_${more}` : /^\d/u.test(more) ? `e${more}` : more);

/** @type {(own: Callable, code: Code) => Out[]} */
function outsOf(own, { result, updates, program }) {
  /** @type {Out[]} */
  const outs = [];
  addOuts(result, '', outs);
  const { params } = own.unit.tree;
  for (const { path, shape } of updates) {
    addOuts(
      shape,
      ['set', params[Number(path[0])]?.name ?? path[0], ...path.slice(1)].map((each) => word(String(each))).join('_'),
      outs,
    );
  }
  program.entry.results.forEach(
    (type, i) => (outs[i] ??= { type: C_TYPES[type], name: `slot${i}`, part: 'value', element: '' }),
  );
  return outs;
}

/**
 * @param {Callable} own
 * @param {Code} code
 * @param {LoopModule} module
 * @param {string} symbol
 * @returns {Interface}
 */
function interfaceOf(own, code, module, symbol) {
  const outs = outsOf(own, code);
  const params = paramsOf(code, module);
  const isDirect = module.returns?.is === 'value';
  const status = module.returns?.is === 'status';
  const wrapped = outs.length > 1;
  const exec = takesRun(module);
  const fields = unique(
    own,
    symbol,
    outs.map(({ name }) => name),
  );
  outs.forEach((out, i) => (out.name = fields[i]));
  const taken = [
    isDirect ? [] : 'result', exec ? 'exec' : [],
    wrapped ? [`${symbol}_result`, `${symbol}_values`, 'gj_status', 'gj_result'] : [],
  ].flat();
  if (wrapped) taken.push(...fields.flatMap((name) => [`out_${name}`, `gj_out_${name}`]));
  const names = unique(own, symbol, [...taken, ...params.map(({ name }) => name)]).slice(taken.length);
  params.forEach((param, i) => {
    if (param.note.startsWith('elements of ')) param.note = `elements of ${params[i - 1].name}`;
    param.name = names[i];
  });
  return {
    symbol,
    name: wrapped ? `${symbol}_values` : symbol,
    params,
    outs: isDirect ? [] : outs,
    returns: isDirect ? outs[0].type : status ? 'int32_t' : 'void',
    status,
    exec,
    wrapped,
  };
}

/** Identifiers that differ from each other. @type {(own: Callable, symbol: string, names: string[]) => string[]} */
const unique = (own, symbol, names) =>
  native.objectWords(own.name, symbol, names.map(word).join('\n')).names.split('\n');

// --- text ---

/** @type {(type: string, name: string) => string} */
const declared = (type, name) => (type.endsWith('*') ? `${type}${name}` : `${type} ${name}`);

/** @type {(own: Callable, code: Code, face: Interface) => string} */
function description(own, code, face) {
  const lines = [
    `${own.name}: made by graphjit ${native.version} of a JavaScript function, ${shapeText(code.result)}(${code.types.map(typeText).join(', ')}).`,
    '',
    'Results have the bits that JavaScript gives.',
  ];
  if (code.written.includes(true)) lines.push('Arrays that are written overlap no other arrays.');
  for (const { name, type, note } of face.params)
    lines.push(`  ${name}: ${type.replace(/ \*$/u, '[]')}${note && `, ${note}`}`);
  return lines.map((line) => `// ${comment(line)}`.trimEnd()).join('\n');
}

const REASONS = {
  cancelled: 'cancelled', memory: 'no memory for an array', tooDeep: 'functions called each other too deep',
};

/** @type {(code: Code, failure: import('../emit/module.js').Failure) => string} */
function reasonText({ sites }, { reason, site }) {
  if (reason !== 'threw') return REASONS[reason];
  const { type, message } = sites[/** @type {number} */ (site)];
  return `${type || 'thrown'}: ${message.map((part) => part ?? '<value>').join('')}`;
}

/** What the returned number means. @type {(code: Code, module: LoopModule) => string[]} */
function statusLines(code, { failures }) {
  return [
    'Returns 0, or',
    ...failures.map((failure) => `  ${`${failure.status}`.padStart(2)}  ${reasonText(code, failure)}`),
    'and has set the result only if it is 0.',
  ];
}

/** @type {(face: Interface) => string[]} parameters of the function in the object */
function ownParams({ params, outs, wrapped, exec }) {
  const list = params.map(({ type, name }) => declared(type, name));
  for (const { type, name } of outs) list.push(`${type} *${wrapped ? `out_${name}` : 'result'}`);
  if (exec) list.push('gj_exec *exec');
  return list;
}

/** @type {(list: string[]) => string} */
const listed = (list) => (list.length === 0 ? 'void' : list.join(', '));

/** @type {(face: Interface, module: LoopModule) => string[]} */
function execLines({ exec }, { needs }) {
  if (!exec) return [];
  const lines = ['exec may be NULL, and what is not used in it is zero.'];
  if (needs.heap)
    lines.push('Arrays are made in exec->heap, such as a gj_memory, and belong to who owns that memory.');
  if (needs.threads) lines.push('Loops are divided through exec->parallel, if it is there.');
  return lines;
}

const MEMORY = `#ifndef GRAPHJIT_MEMORY
#define GRAPHJIT_MEMORY
// A heap in memory of the caller's.
typedef struct gj_memory {
  gj_heap heap;
  unsigned char *bytes;
  int64_t size, used;
} gj_memory;

static inline void *gj_memory_alloc(gj_heap *heap, int64_t count, int64_t bytes) {
  gj_memory *own = (gj_memory *)(void *)heap;
  int64_t room = own->size - own->used, size, i;
  unsigned char *at = own->bytes + own->used;
  if (count < 0 || bytes <= 0 || count > room / bytes)
    return NULL;
  size = (count * bytes + 63) / 64 * 64;
  if (size > room)
    return NULL;
  for (i = 0; i < size; i++)
    at[i] = 0;
  own->used += size;
  return at;
}

static inline int64_t gj_memory_mark(gj_heap *heap) { return ((gj_memory *)(void *)heap)->used; }

static inline void gj_memory_release(gj_heap *heap, int64_t mark) {
  ((gj_memory *)(void *)heap)->used = mark;
}

// \`size\` bytes; what has been made there is forgotten.
static inline void gj_memory_init(gj_memory *memory, void *bytes, int64_t size) {
  int64_t skip = (int64_t)((64 - (uintptr_t)bytes % 64) % 64);
  memory->heap.alloc = gj_memory_alloc;
  memory->heap.mark = gj_memory_mark;
  memory->heap.release = gj_memory_release;
  memory->bytes = (unsigned char *)bytes + skip;
  memory->size = size > skip ? size - skip : 0;
  memory->used = 0;
}
#endif

`;

/** @type {(face: Interface) => string} */
function structText({ symbol, outs }) {
  const fields = outs
    .filter(({ part }) => part !== 'origin')
    .map(
      ({ type, name, part, element }) =>
        `  ${part === 'address' ? `${element} *${name}` : declared(type, name)};${name.endsWith('_is') ? ' // 0: a value, 1: undefined, 2: null, 3: a bool' : ''}\n`,
    );
  return `typedef struct ${symbol}_result {\n${fields.join('')}} ${symbol}_result;\n\n`;
}

/** The function that C calls, over the one in the object. @type {(face: Interface) => string} */
function wrapperText(face) {
  const { symbol, name, params, outs, status, exec } = face;
  const list = params.map(({ type, name: own }) => declared(type, own));
  if (status) list.push(`${symbol}_result *result`);
  if (exec) list.push('gj_exec *exec');
  const result = status ? 'result->' : 'gj_result.';
  const isLocal = (/** @type {Out} */ { part }) => part === 'address' || part === 'origin';
  const locals = outs.filter(isLocal).map((out) => `  int64_t gj_out_${out.name} = 0;\n`);
  const args = [
    ...params.map((each) => each.name),
    ...outs.map((out) => (isLocal(out) ? `&gj_out_${out.name}` : `&${result}${out.name}`)), ...(exec ? ['exec'] : []),
  ];
  const call = `${status ? 'int32_t gj_status = ' : ''}${name}(${args.join(', ')});`;
  const sets = outs
    .filter(({ part }) => part === 'address')
    .map((out) => `  ${result}${out.name} = (${out.element} *)(uintptr_t)gj_out_${out.name};\n`);
  const body = [
    status ? '' : `  ${symbol}_result gj_result;\n`, ...locals, `  ${call}\n`, ...sets,
    status ? '  return gj_status;\n' : '  return gj_result;\n',
  ];
  return `static inline ${status ? 'int32_t' : `${symbol}_result`} ${symbol}(${listed(list)}) {\n${body.join('')}}\n\n`;
}

/**
 * @param {Callable} own
 * @param {Code} code
 * @param {LoopModule} module
 * @param {string} symbol
 */
function headerText(own, code, module, symbol) {
  const face = interfaceOf(own, code, module, symbol);
  const { opening } = native.objectWords(own.name, symbol, '');
  const notes = [...(face.status ? statusLines(code, module) : []), ...execLines(face, module)]
    .map((line) => `// ${comment(line)}\n`)
    .join('');
  const prototype = `${declared(face.returns, face.name)}(${listed(ownParams(face))});\n\n`;
  return [
    `${description(own, code, face)}\n`,
    opening,
    module.needs.heap ? MEMORY : '',
    face.wrapped
      ? `// A result for each pointer, and of an array its address, length and where it comes from.\n${prototype}${structText(face)}`
      : '',
    notes,
    face.wrapped ? wrapperText(face) : prototype,
    '#ifdef __cplusplus\n}\n#endif\n\n#endif\n',
  ].join('');
}

module.exports = { headerText, interfaceOf };
