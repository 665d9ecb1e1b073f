/**
 * Data of columns: tables from what programs have, results back to them, files and streams of Arrow.
 */
'use strict';

const { useArrow } = require('./arrow-module.js');

module.exports = {
  useArrow,
  ...require('./column.js'),
  ...require('./ipc.js'),
  ...require('./parts.js'),
  ...require('./read.js'),
  ...require('./table.js'),
  ...require('./write.js'),
};
