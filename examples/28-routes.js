// Compiles tables that a server looks into for each request: routes by their longest prefix, networks by the narrowest,
// sessions by key, sizes of responses by range. Then it changes one while it runs.
'use strict';

const { compileMap, compileRanges, compileTrie } = require('graphjit');

const routes = compileTrie(
  {
    '/': 'pages',
    '/api': 'gateway',
    '/api/users': 'users',
    '/api/users/search': 'search',
    '/static/': 'files',
  },
  { separator: '/' },
);
for (const path of ['/api/users/7/orders', '/api/usersettings', '/static/logo.svg', '/about']) {
  console.log(`${path.padEnd(20)} ${routes.get(path).padEnd(8)} by ${routes.match(path)[0]}`);
}

const networks = compileTrie({ '10.0.0.0/8': 'office', '10.7.0.0/16': 'lab', '2001:db8::/32': 'office', '0.0.0.0/0': 'world' });
console.log(['10.7.1.2', '10.8.1.2', '8.8.8.8', '2001:db8::1'].map((address) => networks.get(address)).join(' '));

const sizes = compileRanges([[0, 1e3, 'small'], [1e3, 1e6, 'medium'], [1e6, Infinity, 'large']]);
console.log(sizes.getMany(Float64Array.of(512, 40_000, 2e9)).join(' '));

const keys = Array.from({ length: 100_000 }, (_, i) => `session-${(i * 2654435761) % 2 ** 32}`);
const sessions = compileMap({ keys, values: Uint32Array.from(keys, (_, i) => i) });
console.log(sessions.get(keys[4711]), sessions.has('session-0x'), sessions.rank('session-5'));

sessions.update([['session-new', 5]], { remove: [keys[4711]] });
console.log(sessions.get('session-new'), sessions.get(keys[4711]), sessions.size);

const { layout, reason } = sessions.explain();
console.log(`${layout}: ${reason}`);
