/**
 * IP addresses and networks as text: IPv4 as numbers, IPv6 as bigints.
 *
 * Forms are those of RFC 4291 and RFC 4632: four decimal numbers without leading zeros; eight hexadecimal groups, of
 * which `::` stands for some that are 0, and the last two may be an IPv4 address; a slash and the length of the prefix,
 * behind which bits may be set and do not count. There are no zones (`%eth0`).
 */
'use strict';

const { expected } = require('../base/check.js');

/** @typedef {{ version: 4, low: number, bits: number } | { version: 6, low: bigint, bits: number }} Network `bits`: of the prefix */

const DOT = 46;
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

/** Groups of 16 bits between colons, of which the last may be an IPv4 address. @type {(text: string) => number[] | null} */
function groupsOf(text) {
  if (text === '') return [];
  /** @type {number[]} */
  const groups = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/iu.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const address = i === parts.length - 1 ? parseV4(part) : -1;
    if (address < 0) return null;
    groups.push(Math.floor(address / 65536), address % 65536);
  }
  return groups;
}

/**
 * An IPv6 address as a bigint from 0 to 2^128 - 1, or -1n if it is none.
 *
 * @type {(text: string) => bigint}
 */
function parseV6(text) {
  if (text.length < 2 || text.length > 45) return -1n;
  const halves = text.split('::');
  if (halves.length > 2) return -1n;
  const [front, back] = halves.map(groupsOf);
  if (front === null || back === null) return -1n;
  const given = front.length + (back?.length ?? 0);
  if (back === undefined ? given !== 8 : given > 7) return -1n;
  // An IPv4 address is at the end of all.
  if (back !== undefined && halves[0].includes('.')) return -1n;
  const groups = back === undefined ? front : [...front, ...new Array(8 - given).fill(0), ...back];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(group), 0n);
}

/**
 * A network such as `10.0.0.0/8` or `2001:db8::/32`, or an address, which is one alone; null for other texts.
 *
 * @type {(text: string) => Network | null}
 */
function parseNetwork(text) {
  const slash = text.indexOf('/');
  const [address, length] = slash < 0 ? [text, null] : [text.slice(0, slash), text.slice(slash + 1)];
  const v4 = parseV4(address);
  const v6 = v4 < 0 ? parseV6(address) : -1n;
  if ((v4 < 0 && v6 < 0n) || (length !== null && !/^(0|[1-9]\d{0,2})$/u.test(length))) return null;
  const most = v4 < 0 ? 128 : 32;
  const bits = length === null ? most : Number(length);
  if (bits > most) return null;
  if (v4 < 0) return { version: 6, low: (v6 >> BigInt(128 - bits)) << BigInt(128 - bits), bits };
  return { version: 4, low: v4 - (v4 % 2 ** (32 - bits)), bits };
}

/**
 * The addresses of a network, [low, high): numbers of IPv4, bigints of IPv6.
 *
 * @param {string} text
 * @returns {[number, number] | [bigint, bigint]}
 */
function cidrRange(text) {
  const network = typeof text === 'string' ? parseNetwork(text) : null;
  if (network === null) return expected('cidrRange', 'a network such as "10.0.0.0/8" or "2001:db8::/32"', 'text', text);
  if (network.version === 4) return [network.low, network.low + 2 ** (32 - network.bits)];
  return [network.low, network.low + (1n << BigInt(128 - network.bits))];
}

module.exports = { cidrRange, parseNetwork, parseV4, parseV6 };
