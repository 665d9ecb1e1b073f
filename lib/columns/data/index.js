/**
 * Data of columns: tables from what programs have, results back to them, files and streams of Arrow.
 */
'use strict';

module.exports = {
  ...require('./column.js'),
  ...require('./ipc.js'),
  ...require('./parts.js'),
  ...require('./read.js'),
  ...require('./table.js'),
  ...require('./write.js'),
};
