// The generated parts of docs/columns.md: functions and aggregates from the tables of lib/columns, and what there is of
// Gandiva's registry, whose names are listed here.
'use strict';

const { aliases, table: aggregates } = require('../lib/columns/functions/aggregates.js');
const { functions, rows } = require('../lib/columns/functions/index.js');
const { typeOf } = require('../lib/columns/types/names.js');

/** @typedef {import('../lib/columns/functions/signature.js').FunctionRow} FunctionRow */
/** @typedef {import('../lib/columns/types/index.js').DataType} DataType */
/** @typedef {(head: string[], rows: string[][]) => string} Table */

/** The functions of Gandiva, Arrow 21, without aliases. @type {Record<string, string>} */
const gandiva = {
  arithmetic: `
    not add subtract multiply divide mod pmod div positive negative`,
  cast: `
    castBIGINT castINT castFLOAT4 castFLOAT8 castDECIMAL castDECIMALNullOnOverflow castDATE castTIMESTAMP
    castVARCHAR to_date castTIME castNULLABLEINTERVALYEAR castNULLABLEINTERVALDAY castINTERVALDAY castintervalday
    castintervalyear to_time to_timestamp castBIT convert_fromUTF8 convert_replaceUTF8 convert_toDOUBLE
    convert_toDOUBLE_be convert_toFLOAT convert_toFLOAT_be convert_toINT convert_toINT_be convert_toBIGINT
    convert_toBIGINT_be convert_toBOOLEAN_BYTE convert_toTIME_EPOCH convert_toTIME_EPOCH_be
    convert_toTIMESTAMP_EPOCH convert_toTIMESTAMP_EPOCH_be convert_toDATE_EPOCH convert_toDATE_EPOCH_be
    convert_toUTF8 binary_string binary castVARBINARY`,
  bit: `
    bitwise_and bitwise_or bitwise_xor bitwise_not bin`,
  compare: `
    isnotfalse isnottrue istrue isfalse equal not_equal less_than less_than_or_equal_to greater_than
    greater_than_or_equal_to isnull isnotnull isnumeric is_distinct_from is_not_distinct_from`,
  math: `
    round bround sign abs ceiling floor sqrt cbrt exp log log10 power factorial sin cos asin acos tan atan sinh cosh
    tanh cot radians degrees atan2 ceil truncate random rand_integer`,
  conditional: `
    greatest least nvl`,
  datetime: `
    extractMillennium extractCentury extractDecade extractYear extractQuarter extractMonth extractWeek extractDay
    extractHour extractMinute extractSecond date_trunc_Millennium date_trunc_Century date_trunc_Decade
    date_trunc_Year date_trunc_Quarter date_trunc_Month date_trunc_Week date_trunc_Day date_trunc_Hour
    date_trunc_Minute date_trunc_Second extractDoy extractDow extractEpoch next_day datediff to_utc_timestamp
    from_utc_timestamp last_day months_between timestampdiffSecond timestampdiffMinute timestampdiffHour
    timestampdiffDay timestampdiffWeek timestampdiffMonth timestampdiffQuarter timestampdiffYear timestampaddSecond
    timestampaddMinute timestampaddHour timestampaddDay timestampaddWeek timestampaddMonth timestampaddQuarter
    timestampaddYear date_add date_sub date_diff`,
  hash: `
    hash hash32 hash32AsDouble hash64 hash64AsDouble hashSHA1 hashSHA256 hashSHA512 hashMD5 crc32`,
  string: `
    starts_with ends_with is_substr locate strpos octet_length bit_length char_length length lengthUtf8 reverse
    ltrim rtrim btrim space chr ascii base64 unbase64 repeat soundex upper lower initcap concat_ws elt like ilike
    substr lpad rpad regexp_replace regexp_extract concatOperator concat quote byte_substr replace left right
    levenshtein to_hex from_hex split_part aes_encrypt aes_decrypt mask_first_n mask_last_n instr translate
    substring_index mask_show_first_n mask_show_last_n mask`,
};

/** Why there is no such function. @type {Record<string, string>} */
const reasons = {
  'aes_encrypt aes_decrypt': 'keys do not belong into texts of queries',
};

const TITLES = /** @type {Record<string, string>} */ ({
  arithmetic: 'Arithmetic and logic', math: 'Mathematics', bit: 'Bits', compare: 'Comparisons and nulls', conditional: 'Choices',
  cast: 'Conversions', string: 'Texts and bytes', hash: 'Hashes', datetime: 'Dates and times',
});

/** @type {(names: readonly string[]) => string} */
const codes = (names) => names.map((name) => `\`${name}\``).join(' ');
/** @type {(text: string) => string} */
const cell = (text) => text.replace(/\|/g, '\\|');

/** Each once, and without results that depend on more than a text says. @type {(row: FunctionRow) => string[]} */
const signaturesOf = ({ overloads }) => [...new Set(overloads.map(({ text }) => text.replace(/ → \?$/, '')))];

/** @type {(row: FunctionRow) => string[]} */
const functionRow = (row) => [
  cell(codes([row.name, ...row.aliases])),
  cell(signaturesOf(row).map((text) => `\`${text}\``).join('<br>')),
  row.nulls === 'own' ? 'own' : '',
  cell(row.doc),
];

/** A table of functions for each category. @type {(table: Table) => string} */
function functionPart(table) {
  const categories = [...new Set(rows.map(({ category }) => category))];
  const unknown = categories.filter((category) => !Object.hasOwn(TITLES, category));
  if (unknown.length > 0) throw new Error(`functions are of ${unknown.join(', ')}, which has no title`);
  const parts = Object.entries(TITLES).map(([category, title]) => {
    const own = rows.filter((row) => row.category === category).map(functionRow);
    return `### ${title}\n\n${table(['function', 'takes, gives', 'nulls', 'is'], own)}\n`;
  });
  return `There are ${rows.length} functions, with ${functions.size} names.\n\n${parts.join('\n')}`.trimEnd();
}

/** One type of each kind. */
const SAMPLES = /** @type {Record<string, DataType>} */ (
  Object.fromEntries(
    ['int32', 'uint32', 'float32', 'float64', 'decimal128(10, 2)', 'bool', 'utf8', 'binary', 'date32', 'time32[ms]', 'timestamp[us]', 'duration[us]', 'interval[month_day_nano]']
      .map((text) => [text, typeOf(text)]),
  )
);

/** What results are by the types of operands. @type {(name: string) => string[]} */
function aggregateTypes(name) {
  const policies = /** @type {any} */ ({ divisionByZero: 'error', overflow: 'wrap', cast: 'error', value: 'error' });
  const found = Object.values(SAMPLES).flatMap((type) => {
    const plan = aggregates[name].plan(type, policies);
    return plan === null ? [] : [{ type, result: plan.result }];
  });
  const takes = found.length === Object.keys(SAMPLES).length ? 'anything' : [...new Set(found.map(({ type }) => type.kind))].join(', ');
  if (found.every(({ type, result }) => type === result)) return [takes, 'the same'];
  const results = [...new Set(found.map(({ result }) => result.text))];
  if (results.length === 1) return [takes, `\`${results[0]}\``];
  const other = found.filter(({ type, result }) => type !== result);
  const texts = other.map(({ type, result }) => `\`${type.text}\`: \`${result.text}\``);
  return [takes, other.length < found.length ? [...texts, 'else the same'].join(', ') : texts.join(', ')];
}

/** @type {(table: Table) => string} */
function aggregatePart(table) {
  const own = Object.entries(aggregates).map(([name, { doc }]) => {
    const others = Object.keys(aliases).filter((alias) => aliases[alias] === name);
    return [codes([name, ...others]), ...aggregateTypes(name), doc].map(cell);
  });
  return table(['aggregate', 'of', 'gives', 'is'], own);
}

/** @type {(table: Table) => string} */
function gandivaPart(table) {
  const names = Object.values(gandiva).flatMap((text) => text.match(/\S+/g) ?? []);
  const missing = names.filter((name) => !functions.has(name.toLowerCase()));
  const explained = Object.entries(reasons).flatMap(([list, reason]) => {
    const own = list.split(' ').filter((name) => missing.includes(name));
    return own.length === 0 ? [] : [{ own, reason }];
  });
  const rest = missing.filter((name) => !explained.some(({ own }) => own.includes(name)));
  const lines = [...explained.map(({ own, reason }) => [codes(own), reason]), ...(rest.length > 0 ? [[codes(rest), 'not yet']] : [])];
  const count = `${names.length - missing.length} of the ${names.length} functions in the registry of Gandiva are there, by its names.`;
  return missing.length === 0 ? count : `${count} These are not:\n\n${table(['function', 'why not'], lines)}`;
}

module.exports = { aggregatePart, functionPart, gandivaPart };
