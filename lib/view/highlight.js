/**
 * Colours for code, as markup that is made once, when the page is written: a list of patterns per
 * language, the first that matches somewhere wins.
 */
'use strict';

const { escaped, trusted } = require('./html.js');

/** Classes of page.css: comment, string, keyword, type, number, name, label. */
const languages = {
  loops: {
    c: /\/\/.*/,
    s: /"(?:[^"\\]|\\.)*"/,
    k: /\b(?:module|data|note|entry|func|let|array|for|to|step|if|else|return|parallel|over|grain|while|break|stream|fence|vector|unroll|noalias|readonly)\b/,
    t: /\b(?:f64|f32|f16|bf16|[iu](?:8|16|32|64)|bool)\b(?:<\d+>)?\*?/,
    n: /(?<![\w.])-?\d[\w.+]*/,
    f: /\b[a-z_]\w*(?=[(<])/,
  },
  llvm: {
    c: /;.*/,
    s: /c?"(?:[^"\\]|\\.)*"/,
    l: /^[-\w.$]+:/m,
    v: /[%@](?:"(?:[^"\\]|\\.)*"|[-\w.$]+)/,
    t: /\b(?:i\d+|ptr|float|double|half|bfloat|void|label|metadata)\b|<\d+ x \w+>/,
    k: /\b(?:define|declare|internal|private|dso_local|constant|global|align|to|br|switch|ret|phi|call|tail|load|store|getelementptr|inbounds|nuw|nsw|icmp|fcmp|select|extractelement|insertelement|shufflevector|alloca|bitcast|zext|sext|trunc|fptosi|sitofp|add|sub|mul|fadd|fsub|fmul|fdiv|fneg|sdiv|udiv|and|or|xor|shl|lshr|ashr|freeze|unreachable|attributes|target|source_filename)\b/,
    n: /(?<![\w.])-?(?:0x[\dA-Fa-f]+|\d[\w.+]*)/,
  },
  asm: {
    c: /#.*|\/\/.*/,
    s: /"(?:[^"\\]|\\.)*"/,
    l: /^[^\s#]+:/m,
    d: /(?<=^\s+)\.\w+/m,
    k: /(?<=^\s+)[a-z][\w.]*/m,
    v: /%\w+|\b(?:[xwvqdsb]\d{1,2}|z\d{1,2})\b(?:\.\w+)?/,
    n: /[$#]?(?<![\w.])-?(?:0x[\dA-Fa-f]+|\d+)\b/,
  },
};

const patterns = Object.fromEntries(
  Object.entries(languages).map(([language, parts]) => {
    const all = Object.entries(parts).map(([name, { source }]) => `(?<${name}>${source})`);
    return [language, new RegExp(all.join('|'), 'gm')];
  }),
);

/**
 * @param {string} text
 * @param {keyof typeof languages} language
 */
function highlighted(text, language) {
  let [markup, at] = ['', 0];
  for (const match of text.matchAll(patterns[language])) {
    const name = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined)?.[0];
    markup += `${escaped(text.slice(at, match.index))}<i class="${name}">${escaped(match[0])}</i>`;
    at = match.index + match[0].length;
  }
  return trusted(markup + escaped(text.slice(at)));
}

module.exports = { highlighted };
