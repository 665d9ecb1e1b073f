/**
 * The language of expressions over columns: text, trees and the builder. It knows nothing of types or of columns: names
 * and functions are looked up by whoever gets the tree.
 */
'use strict';

const { astOf, call, col, isBuilder, lit, param, when } = require('./builder.js');
const { adviceOnName, complain } = require('./complaint.js');
const { parseList } = require('./list.js');
const { parse, parseTypeName } = require('./parser.js');
const { print, printFunctionName, printTypeName } = require('./print.js');
const { validate } = require('./validate.js');
const { children, fold, rewrite, same, standingIn, walk, withChildren } = require('./walk.js');
const nodes = require('./ast.js');

module.exports = {
  adviceOnName, astOf, call, children, col, complain, fold, isBuilder, lit, nodes, param, parse, parseList,
  parseTypeName, print, printFunctionName, printTypeName, rewrite, same, standingIn, validate, walk, when, withChildren,
};
