import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AgentRoute, textAnswer } from '../../../runtime/node-agent/contract/part.ts';
import { Routing } from '../../../runtime/node-agent/server/routing.ts';

const route = (method: 'GET' | 'POST', path: string, more: Partial<AgentRoute> = {}): AgentRoute => ({
  method,
  path,
  ...more,
  subresource: 'proxy',
  handle: async () => textAnswer(''),
});
const routing = new Routing([
  route('GET', '/healthz', { isExact: true }),
  route('GET', '/pods'),
  route('POST', '/checkpoint/{namespace}/{pod}/{container}'),
  route('GET', '/logs/'),
  route('GET', '/exec/{namespace}'),
  route('POST', '/exec/{namespace}'),
]);

const test = suite('routes of a node agent');
const rows: [path: string, methods: string[], parameters: object][] = [
  ['/healthz', ['GET'], {}],
  ['/healthz/', [], {}],
  ['/Healthz', [], {}],
  ['/', [], {}],
  ['', [], {}],
  ['/checkpoint/a/b/c', ['POST'], { namespace: 'a', pod: 'b', container: 'c' }],
  ['/checkpoint/a/b/c/', ['POST'], { namespace: 'a', pod: 'b', container: 'c' }],
  ['/checkpoint/a/b//', [], {}],
  ['/checkpoint/a/b/', [], {}],
  ['/pods', ['GET'], {}],
  ['/pods/', ['GET'], {}],
  ['/pods/x', [], {}],
  ['/checkpoint/a%2Fb/b/c', ['POST'], { namespace: 'a/b', pod: 'b', container: 'c' }],
  ['/checkpoint/a//c', [], {}],
  ['/checkpoint/a/b', [], {}],
  ['/checkpoint/a/b/c/d', [], {}],
  ['/checkpoint/__proto__/b/c', ['POST'], { namespace: '__proto__', pod: 'b', container: 'c' }],
  ['/logs/', ['GET'], {}],
  ['/logs', [], {}],
  ['/exec/x', ['GET', 'POST'], { namespace: 'x' }],
];
for (const [path, methods, parameters] of rows)
  test(`${path === '' ? 'no path' : path} has ${methods.length === 0 ? 'none' : methods}`, () => {
    const found = routing.find(path);
    assert.equal(
      found.routes.map(({ method }) => method),
      methods,
    );
    assert.equal({ ...found.parameters }, parameters);
  });
test('paths that are not encoded well are told', () => assert.throws(() => routing.find('/exec/%zz'), URIError));
test.run();
