/** Rules of reads that need a server of their own: its history, its flags, its restart. */

import { mkdtemp, rm } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, authority, Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data: Record<string, string> = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

async function createAll(client: Client, names: readonly string[]): Promise<string[]> {
  const versions: string[] = [];
  for (const name of names) versions.push((await client.post(CONFIGMAPS, configMap(name))).body.metadata.resourceVersion);
  return versions;
}

const namesOf = ({ body }: Answer): string[] => body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

/** The bytes as they are sent: `fetch` and the test client would unpack them. */
function raw(
  server: TestServer,
  target: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: object,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    https
      .request(
        server.url + target,
        { method, headers: { authorization: `Bearer ${server.tokens.admin}`, ...headers }, ca: authority(server) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }));
        },
      )
      .on('error', reject)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const history = suite('what is compacted');
let server: TestServer;
let client: Client;
history.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags: ['--history-window=1s', '--controllers=-*'] });
  client = new Client(server);
});
history.after(async () => {
  client.close();
  await server.stop();
});

history('a page whose snapshot is gone offers a token that goes on in the present', async () => {
  const [first] = await createAll(client, ['a', 'b', 'c', 'd']);
  const page = await client.get(`${CONFIGMAPS}?limit=2`);
  assert.equal(namesOf(page), ['a', 'b']);
  await client.post(CONFIGMAPS, configMap('c2'));
  const next = `${CONFIGMAPS}?limit=2&continue=${encodeURIComponent(page.body.metadata.continue)}`;
  let gone = await client.get(next);
  for (let waited = 0; gone.status === 200 && waited < 15_000; waited += 200) {
    await sleep(200);
    gone = await client.get(next);
  }
  assert.equal([gone.status, gone.body.reason], [410, 'Expired']);
  assert.match(
    gone.body.message,
    /^The provided continue parameter is too old to display a consistent list result\. .*now may show up in the list\.$/,
  );
  const rest = await client.get(`${CONFIGMAPS}?limit=2&continue=${encodeURIComponent(gone.body.metadata.continue)}`);
  assert.equal([namesOf(rest), rest.body.metadata.remainingItemCount], [['c', 'c2'], 1]);
  const last = await client.get(`${CONFIGMAPS}?limit=2&continue=${encodeURIComponent(rest.body.metadata.continue)}`);
  assert.equal(namesOf(last).slice(0, 1), ['d']);

  const exact = await client.get(`${CONFIGMAPS}?resourceVersion=${first}&resourceVersionMatch=Exact`);
  assert.equal([exact.status, exact.body.message], [410, 'The resourceVersion for the provided list is too old.']);
  const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${first}`);
  const event = await watch.next();
  assert.equal([event.type, event.object.code, event.object.reason], ['ERROR', 410, 'Expired']);
  assert.match(event.object.message, /^too old resource version: \d+ \(\d+\)$/);
});
history('a get and a list not older than that are served', async () => {
  assert.is((await client.get(`${CONFIGMAPS}/a?resourceVersion=1`)).status, 200);
  assert.is((await client.get(`${CONFIGMAPS}?resourceVersion=1&resourceVersionMatch=NotOlderThan`)).status, 200);
});
history.run();

const forms = suite('forms');
forms.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
  await client.post(CONFIGMAPS, configMap('small'));
  await client.post(CONFIGMAPS, configMap('large', { text: 'x'.repeat(140_000) }));
});
forms.after(async () => {
  client.close();
  await server.stop();
});

const GZIP_ROWS: [name: string, target: string, encoding: string, compressed: boolean][] = [
  ['a large object', `${CONFIGMAPS}/large`, 'gzip', true],
  ['a large object among others', `${CONFIGMAPS}/large`, 'deflate, gzip;q=0.5', true],
  ['a large object that is refused', `${CONFIGMAPS}/large`, 'gzip;q=0', false],
  ['a large object for nobody', `${CONFIGMAPS}/large`, 'identity', false],
  ['a small object', `${CONFIGMAPS}/small`, 'gzip', false],
  ['a large list', CONFIGMAPS, 'gzip', true],
];
for (const [name, target, encoding, compressed] of GZIP_ROWS)
  forms(`compression of ${name}`, async () => {
    const answer = await raw(server, target, { 'accept-encoding': encoding });
    assert.equal(
      [answer.headers['content-encoding'], answer.headers.vary],
      compressed ? ['gzip', 'Accept-Encoding'] : [undefined, undefined],
    );
    const text = (compressed ? gunzipSync(answer.bytes) : answer.bytes).toString();
    assert.is(JSON.parse(text).apiVersion, 'v1');
  });

forms('a document that depends on what is accepted as well says both', async () => {
  const answer = await raw(server, '/openapi/v2', { 'accept-encoding': 'gzip' });
  assert.equal([answer.headers['content-encoding'], answer.headers.vary], ['gzip', 'Accept-Encoding, Accept']);
});

const large = 'x'.repeat(140_000);
const WRITE_ROWS: [name: string, method: string, target: string, body: object | undefined, status: number][] = [
  ['a create', 'POST', CONFIGMAPS, configMap('gzip', { large }), 201],
  ['an update', 'PUT', `${CONFIGMAPS}/gzip`, configMap('gzip', { large, more: 'x' }), 200],
  ['a patch', 'PATCH', `${CONFIGMAPS}/gzip`, { metadata: { finalizers: ['example.com/keep'] } }, 200],
  ['a deletion that shows what goes', 'DELETE', `${CONFIGMAPS}/gzip`, undefined, 200],
  [
    'a review',
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { spec: { nonResourceAttributes: { path: `/${large}` } } },
    201,
  ],
  ['a refusal', 'POST', CONFIGMAPS, configMap(`${large}_`), 422],
];
for (const [name, method, target, body, status] of WRITE_ROWS)
  forms(`compression of ${name}`, async () => {
    const headers = { 'accept-encoding': 'gzip', 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    const answer = await raw(server, target, headers, method, body);
    assert.equal([answer.status, answer.headers['content-encoding']], [status, 'gzip']);
    assert.ok(JSON.parse(gunzipSync(answer.bytes).toString()).kind);
  });

forms('a review that is wrong is refused without its kind', async () => {
  const answer = await raw(server, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {}, 'POST', { spec: {} });
  const { message, details } = JSON.parse(answer.bytes.toString());
  const none = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  assert.is(message, `.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: "null": ${none}`);
  assert.equal([answer.status, details.group, details.kind], [422, 'authorization.k8s.io', undefined]);
});

const CLOSING_BRACE = 0x7d;
const LINE_FEED = 0x0a;
const PRETTY_ROWS: [query: string, agent: string, accept: string, pretty: boolean][] = [
  ['', 'curl/8.0', '*/*', true],
  ['', 'Mozilla/5.0 (X11)', '*/*', true],
  ['', 'kubectl', '*/*', false],
  ['?pretty=false', 'curl/8.0', '*/*', false],
  ['?pretty=T', 'kubectl', 'application/json', true],
  ['', 'kubectl', 'application/json;pretty=1', true],
];
for (const [query, agent, accept, pretty] of PRETTY_ROWS)
  forms(`indented for ${agent} with ${accept} and ${query}`, async () => {
    for (const target of [`${CONFIGMAPS}/small`, CONFIGMAPS, `${CONFIGMAPS}/missing`]) {
      const { bytes } = await raw(server, target + query, { 'user-agent': agent, accept });
      assert.is(bytes.toString().startsWith('{\n  "kind"'), pretty, target);
      assert.is(bytes.at(-1), pretty ? CLOSING_BRACE : LINE_FEED, `how ${target} ends`);
    }
  });

const TOKEN_ROWS: [name: string, token: string, message: string][] = [
  ['no base64', 'a+b', 'illegal base64 data at input byte 1'],
  ['another version', encoded({ v: 'meta.k8s.io/v9', rv: 1, start: 'a' }), 'server does not recognize this encoded version meta.k8s.io/v9'],
  ['no revision', encoded({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  ['no key', encoded({ v: 'meta.k8s.io/v1', rv: 1 }), 'encoded start key empty (version meta.k8s.io/v1)'],
  ['a way out', encoded({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/../../secrets' }), 'a/../../secrets'],
];
function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
for (const [name, token, message] of TOKEN_ROWS)
  forms(`a token with ${name} is refused`, async () => {
    const { status, body } = await client.get(`${CONFIGMAPS}?limit=1&continue=${encodeURIComponent(token)}`);
    assert.equal([status, body.message], [400, `invalid continue token: continue key is not valid: ${message}`]);
  });

forms('names that nothing can have select nothing', async () => {
  const long = 'x'.repeat(2_000);
  const rows = [`${CONFIGMAPS}?fieldSelector=metadata.name%3D${long}`, `/api/v1/namespaces/${long}/configmaps`];
  for (const target of rows) {
    const { status, body } = await client.get(target);
    assert.equal([status, body.items], [200, []]);
  }
  assert.is((await client.get(`${CONFIGMAPS}/${long}`)).status, 404);
});

forms('a watch ends with a bookmark at what it has seen', async () => {
  const watch = await client.watch(
    `${CONFIGMAPS}?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=3&fieldSelector=metadata.name%3Dnone`,
  );
  const { body } = await client.post(CONFIGMAPS, configMap('later'));
  const event = await watch.next();
  assert.equal(event.type, 'BOOKMARK');
  assert.ok(Number(event.object.metadata.resourceVersion) >= Number(body.metadata.resourceVersion));
  assert.equal(await Array.fromAsync(watch), []);
  assert.ok(watch.complete);
});
forms.run();

const others = suite('other starts');
others('a gate switches compression off', async () => {
  const plain = await startServer({ dialect: 'cluster', flags: ['--feature-gates=APIResponseCompression=false'] });
  const creator = new Client(plain);
  await creator.post(CONFIGMAPS, configMap('large', { text: 'x'.repeat(140_000) }));
  const { headers } = await raw(plain, CONFIGMAPS, { 'accept-encoding': 'gzip' });
  assert.is(headers['content-encoding'], undefined);
  for (const path of ['/metrics', '/openapi/v2']) {
    const document = await raw(plain, path, { 'accept-encoding': 'gzip' });
    assert.is(document.headers['content-encoding'], 'gzip', path);
  }
  creator.close();
  await plain.stop();
});

others('pages go on after a restart, in the same snapshot', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'cluster-apiserver-pages-'));
  const first = await startServer({ dialect: 'cluster', directory });
  const before = new Client(first);
  await createAll(before, ['a', 'b', 'c']);
  const page = await before.get(`${CONFIGMAPS}?limit=1`);
  await before.delete(`${CONFIGMAPS}/b`);
  before.close();
  await first.stop();
  const second = await startServer({ dialect: 'cluster', directory });
  const after = new Client(second);
  const rest = await after.get(`${CONFIGMAPS}?limit=2&continue=${encodeURIComponent(page.body.metadata.continue)}`);
  assert.equal(namesOf(rest), ['b', 'c']);
  assert.is(rest.body.metadata.resourceVersion, page.body.metadata.resourceVersion);
  after.close();
  await second.stop();
  await rm(directory, { recursive: true });
});
others.run();
