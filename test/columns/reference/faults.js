/**
 * What happens where a value has no result: an error or a null, as the options say.
 */
'use strict';

/** Kinds are those of the options: divisionByZero, overflow, cast, value. */
class Fault extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** @type {(message: string) => never} a text or number that a function cannot take */
const invalid = (message) => {
  throw new Fault('value', message);
};

/** @type {(message: string) => never} */
const divisionByZero = (message = 'division by zero') => {
  throw new Fault('divisionByZero', message);
};

/** @type {(message: string) => never} */
const overflow = (message) => {
  throw new Fault('overflow', message);
};

/** @type {(message: string) => never} */
const castFault = (message) => {
  throw new Fault('cast', message);
};

module.exports = { Fault, castFault, divisionByZero, invalid, overflow };
