'use strict';
module.exports = { partOf: () => undefined, truncated: () => undefined };
