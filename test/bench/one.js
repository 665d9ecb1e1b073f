// Times one case in a process of its own and prints what it found as JSON: { name: nanoseconds or bytes }.
'use strict';

const cases = require('./list.js');
const { endServices } = require('./support/service.js');
const { timeAll } = require('./support/timing.js');

async function main([name, mode]) {
  const found = cases.find((one) => one.name === name);
  const quick = mode === 'quick';
  const figures = found.values
    ? await found.values({ quick })
    : await timeAll(await found.contestants(), { quick, awaited: found.awaited === true });
  console.log(JSON.stringify(figures));
  endServices();
}

main(process.argv.slice(2));
