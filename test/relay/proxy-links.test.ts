import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { backendPath, clientLink, encodePath } from '../../runtime/relay/proxy-links.ts';
import { parsePlace } from '../../runtime/relay/proxy-place.ts';

const links = suite('links of a proxied backend');
const seen = { prefix: '/api/v1/namespaces/n/pods/p/proxy', backendHost: '10.0.0.1:80', clientHost: 'api.example:6443' };
const rows: [link: string, shown: string][] = [
  ['/x', `${seen.prefix}/x`],
  ['/x/', `${seen.prefix}/x/`],
  ['/', `${seen.prefix}/`],
  ['/x?a=/b#c', `${seen.prefix}/x?a=/b#c`],
  ['/a/../../b', '/api/v1/namespaces/n/pods/p/b'],
  [`${seen.prefix}/x`, `${seen.prefix}/x`],
  ['http://10.0.0.1:80/x', `${seen.prefix}/x`],
  ['//10.0.0.1:80/x', `${seen.prefix}/x`],
  ['https://api.example:6443/x', `https://api.example:6443${seen.prefix}/x`],
  ['http://10.0.0.1:81/x', 'http://10.0.0.1:81/x'],
  ['https://other.example/x', 'https://other.example/x'],
  ['x', 'x'],
  ['../x', '../x'],
  ['?a=b', '?a=b'],
  ['', ''],
];
for (const [link, shown] of rows) links(JSON.stringify(link), () => assert.is(clientLink(link, seen), shown));
links.run();

const paths = suite('paths for a backend');
const cleaned: [rest: string, path: string][] = [
  ['', ''],
  ['/', '/'],
  ['/a', '/a'],
  ['/a/', '/a/'],
  ['//a///b', '/a/b'],
  ['/a/./b/../c', '/a/c'],
  ['/../../a', '/a'],
  ['/a/..', '/'],
];
for (const [rest, path] of cleaned) paths(JSON.stringify(rest), () => assert.is(backendPath(rest), path));
paths('never lead above the root, hold no control characters and no space', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const path = encodePath(backendPath(`/${Buffer.from(text).toString('latin1')}`));
      assert.ok(path.startsWith('/') && !path.split('/').includes('..'), path);
      assert.match(path, /^[\x21-\x7e]*$/);
    }),
  ),
);
const encoded: [bytes: string, path: string][] = [
  ['/a b', '/a%20b'],
  ['/\xc3\xbc', '/%C3%BC'],
  ['/\xff\n', '/%FF%0A'],
  ['/a?b#c', '/a%3Fb%23c'],
  ["/!*'()", '/%21%2A%27%28%29'],
  ['/$&+,:;=@-_.~', '/$&+,:;=@-_.~'],
  ['/a%b', '/a%25b'],
  ['/a\r\nX: y', '/a%0D%0AX:%20y'],
];
for (const [bytes, path] of encoded) paths(`${JSON.stringify(bytes)} encoded`, () => assert.is(encodePath(bytes), path));
paths.run();

const places = suite('places to proxy to');
const names: [text: string, place: object | undefined][] = [
  ['web', { scheme: '', name: 'web', port: '' }],
  ['web:80', { scheme: '', name: 'web', port: '80' }],
  ['web:', { scheme: '', name: 'web', port: '' }],
  ['https:web:http', { scheme: 'https', name: 'web', port: 'http' }],
  [':web:80', { scheme: '', name: 'web', port: '80' }],
  ['https:web:', { scheme: 'https', name: 'web', port: '' }],
  ['', undefined],
  [':80', undefined],
  ['ftp:web:80', undefined],
  ['a:b:c:d', undefined],
];
for (const [text, place] of names) places(JSON.stringify(text), () => assert.equal(parsePlace(text), place));
places.run();
