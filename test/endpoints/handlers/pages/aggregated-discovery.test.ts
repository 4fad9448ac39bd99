import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { AskedServer } from '../asked-server.ts';

const test = suite('aggregated discovery');
const server = await AskedServer.start();
test.after(() => server.stop());

const as = (encoding: string, version = 'v2'): string =>
  `application/${encoding};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const AGGREGATED = as('json');

test('tells it all at once to who asks, and nothing to who has it', async () => {
  const first = await server.get('/apis', { accept: AGGREGATED });
  assert.equal([first.status, first.body.kind], [200, 'APIGroupDiscoveryList']);
  assert.equal([first.headers.get('vary'), first.headers.get('cache-control')], ['Accept', 'public']);
  const again = await server.get('/apis', { accept: AGGREGATED, 'if-none-match': first.headers.get('etag') ?? '' });
  assert.equal([again.status, again.body], [304, '']);
});

for (const path of ['/api', '/apis'])
  test(`${path} is the same in every form`, async () => {
    const { body, headers } = await server.get(path, { accept: AGGREGATED });
    assert.is(headers.get('content-type'), AGGREGATED);
    const pretty = await server.ask('GET', `${path}?pretty=true`, { headers: { accept: AGGREGATED } });
    assert.equal(pretty.body, body);
    const yaml = await server.ask('GET', path, { headers: { accept: as('yaml') } });
    assert.equal(parse(yaml.body), body);
    assert.is(yaml.headers.get('content-type'), as('yaml'));
    const binary = await server.ask('GET', path, { headers: { accept: as('vnd.kubernetes.protobuf') } });
    assert.is(binary.status, 200);
    assert.match(binary.body, /^k8s\0/);
    assert.match(binary.body, path === '/api' ? 'pods' : 'deployments');
  });

test('has the version that is asked for', async () => {
  const { body, headers } = await server.get('/apis', { accept: as('json', 'v2beta1') });
  assert.is(body.apiVersion, 'apidiscovery.k8s.io/v2beta1');
  assert.is(headers.get('content-type'), as('json', 'v2beta1'));
});

test.run();
