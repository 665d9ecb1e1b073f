/**
 * IP addresses and networks as text: IPv4 as numbers, IPv6 as bigints.
 *
 * Forms are those of RFC 4291 and RFC 4632: four decimal numbers without leading zeros; eight hexadecimal groups, of
 * which `::` stands for some that are 0, and the last two may be an IPv4 address; a slash and the length of the prefix,
 * behind which bits may be set and do not count. There are no zones (`%eth0`).
 */
'use strict';

const { expected } = require('../base/check.js');

/** `words`: of the first address; `free`: how many bits lie behind the prefix. @typedef {{ version: 4 | 6, words: Uint32Array, free: number }} Network */

const DOT = 46;
const COLON = 58;
const ZERO = 48;

/**
 * An IPv4 address as a number from 0 to 2^32 - 1, or -1 if it is none.
 *
 * @type {(text: string) => number}
 */
function parseV4(text) {
  const { length } = text;
  if (length < 7 || length > 15) return -1;
  let [address, part, digits, dots] = [0, 0, 0, 0];
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    const digit = c - ZERO;
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && part === 0) return -1;
      part = part * 10 + digit;
      digits++;
      if (part > 255) return -1;
    } else if (c === DOT && digits > 0 && dots < 3) {
      address = address * 256 + part;
      [part, digits] = [0, 0];
      dots++;
    } else {
      return -1;
    }
  }
  return dots === 3 && digits > 0 ? address * 256 + part : -1;
}

/** Halves of words of the address that was read last, the low one first. */
const words = new Uint32Array(4);
const groups = new Uint16Array(8);

/** @type {(c: number) => number} a hexadecimal digit, or -1 */
function hexDigit(c) {
  const digit = c - ZERO;
  if (digit >= 0 && digit <= 9) return digit;
  const letter = (c | 0x20) - 97;
  return letter >= 0 && letter < 6 && c < 128 ? letter + 10 : -1;
}

/** How many groups there are, and before which `::` stands, or -1. @type {(text: string) => { gap: number, count: number } | null} */
function readGroups(text) {
  const { length } = text;
  let [i, count, gap] = [0, 0, -1];
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return null;
    [gap, i] = [0, 2];
  }
  while (i < length) {
    const from = i;
    let group = 0;
    for (let digit; i < length && i - from < 4 && (digit = hexDigit(text.charCodeAt(i))) >= 0; i++) {
      group = group * 16 + digit;
    }
    if (i === from || count === 8) return null;
    if (text.charCodeAt(i) === DOT) {
      const address = parseV4(text.slice(from));
      if (address < 0 || count > 6) return null;
      groups[count++] = Math.floor(address / 65536);
      groups[count++] = address % 65536;
      break;
    }
    groups[count++] = group;
    if (i === length) break;
    if (text.charCodeAt(i++) !== COLON || i === length) return null;
    if (text.charCodeAt(i) !== COLON) continue;
    if (gap >= 0) return null;
    gap = count;
    i++;
  }
  return { gap, count };
}

/**
 * An IPv6 address as halves of words, which hold until the next is read; null if it is none.
 *
 * @type {(text: string) => Uint32Array | null}
 */
function readV6(text) {
  const found = text.length < 2 || text.length > 45 ? null : readGroups(text);
  if (found === null) return null;
  const { gap, count } = found;
  if (gap < 0 ? count !== 8 : count > 7) return null;
  words.fill(0);
  for (let i = 0; i < count; i++) {
    // From the end.
    const at = 7 - (gap >= 0 && i >= gap ? i + 8 - count : i);
    words[at >> 1] |= groups[i] << (16 * (at & 1));
  }
  return words;
}

/** The number that has so many low bits. @type {(count: number) => number} */
const ones = (count) => 2 ** Math.max(0, Math.min(32, count)) - 1;

/**
 * A network such as `10.0.0.0/8` or `2001:db8::/32`, or an address, which is one alone; null for other texts. Its words
 * hold until the next is read.
 *
 * @type {(text: string) => Network | null}
 */
function readNetwork(text) {
  const slash = text.indexOf('/');
  const [address, length] = slash < 0 ? [text, null] : [text.slice(0, slash), text.slice(slash + 1)];
  const v4 = parseV4(address);
  if ((v4 < 0 && readV6(address) === null) || (length !== null && !/^(0|[1-9]\d{0,2})$/u.test(length))) return null;
  const most = v4 < 0 ? 128 : 32;
  const free = length === null ? 0 : most - Number(length);
  if (free < 0) return null;
  if (v4 >= 0) words.fill(0)[0] = v4;
  for (let i = 0; i < 4; i++) words[i] &= ~ones(free - 32 * i);
  return { version: v4 < 0 ? 6 : 4, words, free };
}

/**
 * The addresses of a network, [low, high): numbers of IPv4, bigints of IPv6.
 *
 * @param {string} text
 * @returns {[number, number] | [bigint, bigint]}
 */
function cidrRange(text) {
  const network = typeof text === 'string' ? readNetwork(text) : null;
  if (network === null) return expected('cidrRange', 'a network such as "10.0.0.0/8" or "2001:db8::/32"', 'text', text);
  if (network.version === 4) return [network.words[0], network.words[0] + 2 ** network.free];
  const low = network.words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return [low, low + (1n << BigInt(network.free))];
}

module.exports = { cidrRange, ones, parseV4, readNetwork, readV6 };
