import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isLongRunning, resolveRequestInfo, UnclearPath } from '../../../runtime/endpoints/request/request-info.ts';

const test = suite('request info');

interface Row {
  name: string;
  request: [method: string, url: string];
  want: Record<string, unknown>;
}

const rows: Row[] = [
  {
    name: 'list of a namespace',
    request: ['GET', '/api/v1/namespaces/a/pods'],
    want: { verb: 'list', version: 'v1', namespace: 'a', resource: 'pods' },
  },
  {
    name: 'list across namespaces',
    request: ['GET', '/apis/apps/v1/deployments'],
    want: { verb: 'list', group: 'apps', namespace: '', resource: 'deployments' },
  },
  {
    name: 'one object',
    request: ['GET', '/api/v1/namespaces/a/pods/b'],
    want: { verb: 'get', namespace: 'a', resource: 'pods', name: 'b' },
  },
  {
    name: 'a subresource',
    request: ['PUT', '/api/v1/namespaces/a/pods/b/status'],
    want: { verb: 'update', name: 'b', subresource: 'status' },
  },
  {
    name: 'what follows a subresource',
    request: ['GET', '/api/v1/namespaces/a/pods/b/proxy/x/y'],
    want: { subresource: 'proxy', rest: 'x/y' },
  },
  { name: 'namespaces', request: ['GET', '/api/v1/namespaces'], want: { verb: 'list', resource: 'namespaces', namespace: '' } },
  {
    name: 'a namespace is in itself',
    request: ['GET', '/api/v1/namespaces/a'],
    want: { resource: 'namespaces', name: 'a', namespace: 'a' },
  },
  {
    name: 'status of a namespace',
    request: ['PATCH', '/api/v1/namespaces/a/status'],
    want: { verb: 'patch', resource: 'namespaces', name: 'a', subresource: 'status' },
  },
  {
    name: 'finalize of a namespace',
    request: ['PUT', '/api/v1/namespaces/a/finalize'],
    want: { resource: 'namespaces', subresource: 'finalize' },
  },
  {
    name: 'nothing is a resource below the status of a namespace',
    request: ['GET', '/api/v1/namespaces/a/status/b'],
    want: { resource: 'namespaces', name: 'a', subresource: 'status', rest: 'b' },
  },
  {
    name: 'slashes before the prefix do not count',
    request: ['GET', '//api/v1/pods'],
    want: { isResource: true, verb: 'list', resource: 'pods', path: '//api/v1/pods' },
  },
  { name: 'an escaped prefix', request: ['GET', '/%61pi/v1/p%6Fds'], want: { isResource: true, path: '/api/v1/pods', resource: 'pods' } },
  {
    name: 'legacy watch by another method',
    request: ['DELETE', '/api/v1/watch/pods'],
    want: { verb: 'watch', resource: 'pods', legacyWatch: true },
  },
  { name: 'watch by query', request: ['GET', '/api/v1/pods?watch=1'], want: { verb: 'watch' } },
  { name: 'watch without a value', request: ['GET', '/api/v1/pods?watch'], want: { verb: 'watch' } },
  { name: 'watch=false lists', request: ['GET', '/api/v1/pods?watch=false'], want: { verb: 'list' } },
  { name: 'the first of repeated parameters counts', request: ['GET', '/api/v1/pods?watch=0&watch=1'], want: { verb: 'list' } },
  {
    name: 'legacy watch',
    request: ['GET', '/api/v1/watch/namespaces/a/pods/b'],
    want: { verb: 'watch', namespace: 'a', name: 'b', legacyWatch: true },
  },
  { name: 'deletecollection', request: ['DELETE', '/api/v1/namespaces/a/pods'], want: { verb: 'deletecollection' } },
  { name: 'delete', request: ['DELETE', '/api/v1/namespaces/a/pods/b'], want: { verb: 'delete' } },
  { name: 'HEAD is judged as get', request: ['HEAD', '/api/v1/namespaces/a/pods/b'], want: { verb: 'get' } },
  { name: 'an escaped name', request: ['GET', '/api/v1/namespaces/a/pods/x%20y'], want: { name: 'x y' } },
  { name: 'an escaped slash separates', request: ['GET', '/api/v1/namespaces/a/pods/x%2Flog'], want: { name: 'x', subresource: 'log' } },
  { name: 'one before the resource too', request: ['GET', '/api/v1%2fnamespaces%2fa/pods'], want: { namespace: 'a', resource: 'pods' } },
  { name: 'an escape is read once', request: ['GET', '/api/v1/namespaces/a/pods/x%252Fy'], want: { name: 'x%2Fy', subresource: '' } },
  {
    name: 'what follows a subresource stays as it is',
    request: ['GET', '/api/v1/namespaces/a%2fpods/x/proxy/y%2Fz%20//'],
    want: { name: 'x', subresource: 'proxy', rest: 'y%2Fz%20//' },
  },
  {
    name: 'the older path of proxies',
    request: ['GET', '/api/v1/proxy/namespaces/a/services/x'],
    want: { verb: 'proxy', legacyProxy: true, namespace: 'a', resource: 'services', name: 'x', subresource: '', rest: '' },
  },
  {
    name: 'what stands behind the name in it',
    request: ['POST', '/api/v1/proxy/nodes/n:80/x/y'],
    want: { verb: 'proxy', legacyProxy: true, namespace: '', resource: 'nodes', name: 'n:80', subresource: '', rest: '' },
  },
  { name: 'a path outside of the resources', request: ['POST', '/healthz'], want: { isResource: false, verb: 'post', path: '/healthz' } },
  { name: 'a group version alone', request: ['GET', '/apis/apps/v1'], want: { isResource: false } },
  { name: 'slashes at the end mean nothing', request: ['GET', '/api/v1/pods//'], want: { verb: 'list', resource: 'pods', name: '' } },
  { name: 'nor after a name', request: ['DELETE', '/api/v1/namespaces/a/pods/b/'], want: { verb: 'delete', name: 'b', subresource: '' } },
  { name: 'a namespace itself', request: ['GET', '/api/v1/namespaces/a'], want: { namespace: 'a', inNamespace: false } },
  { name: 'namespaces of a namespace', request: ['GET', '/api/v1/namespaces/a/namespaces'], want: { namespace: 'a', inNamespace: true } },
  { name: 'a group version with a slash', request: ['GET', '/api/v1/'], want: { isResource: false } },
];

for (const { name, request, want } of rows) {
  test(name, () => {
    const info = resolveRequestInfo(...request) as unknown as Record<string, unknown>;
    for (const [key, value] of Object.entries(want)) assert.is(info[key], value, key);
  });
}

const queries: [query: string, a: string | undefined, b: string | undefined][] = [
  ['a=1&b=2', '1', '2'],
  ['a=1&a=2', '1', undefined],
  ['a&b=', '', ''],
  ['a=%31+2&b=%e4%b8%96', '1 2', '世'],
  ['a=1;b=2', undefined, undefined],
  ['a=1;x&b=2', undefined, '2'],
  ['a=%zz&b=2', undefined, '2'],
  ['a=5%&b=2', undefined, '2'],
  ['a=%3b&b=%25zz', ';', '%zz'],
];
for (const [text, a, b] of queries)
  test(`the query ${text}`, () => {
    const { query } = resolveRequestInfo('GET', `/api/v1/pods?${text}`);
    assert.equal([query.get('a'), query.get('b')], [a, b]);
  });

test('a broken escape is an error', () => {
  assert.throws(
    () => resolveRequestInfo('GET', '/api/v1/namespaces/%zz/pods'),
    (error: unknown) => error instanceof URIError,
  );
});

const lengths: [url: string, isLong: boolean][] = [
  ['/api/v1/pods?watch=1', true],
  ['/api/v1/watch/pods', true],
  ['/api/v1/namespaces/a/pods/b/log', true],
  ['/api/v1/namespaces/a/pods/b/exec', true],
  ['/api/v1/proxy/namespaces/a/pods/b', true],
  ['/api/v1/namespaces/a/pods/b', false],
  ['/api/v1/pods', false],
  ['/debug/pprof/profile', true],
  ['/debug/store/snapshot', true],
  ['/debug/pprof', false],
  ['/debug/api_priority_and_fairness/dump_queues', false],
  ['/debug/flags/v', false],
  ['/metrics', false],
];
for (const [url, isLong] of lengths)
  test(`${url} may ${isLong ? '' : 'not '}last as long as its client likes`, () =>
    assert.is(isLongRunning(resolveRequestInfo('GET', url)), isLong));

for (const url of ['/api/v1/watch', '/api/v1/proxy/', '/apis/apps/v1/watch//?watch=1'])
  test(`${url} names nothing`, () => {
    assert.throws(
      () => resolveRequestInfo('GET', url),
      (error: unknown) => error instanceof UnclearPath && error.message === `unable to determine kind and namespace from url, ${url}`,
    );
  });

test.run();
