/** Requests that are sent again, and answers that nobody would expect. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../../generated/client/core/v1/index.ts';
import { ApiError, ConnectionError, createClient } from '../../../generated/client/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { answeringServer } from '../answering-server.ts';

const NODE = JSON.stringify({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'x' } });
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const test = suite('a request that the server wants again later');
test('waits however long that is', async () => {
  const reason = new Error('enough');
  const ending = new AbortController();
  await using server = await answeringServer((response) => {
    response.writeHead(429, { 'retry-after': `${30 * 86_400}` }).end();
    setTimeout(() => ending.abort(reason), 100);
  });
  assert.is(await thrownBy(server.client.resource(nodes).get('x', { signal: ending.signal })), reason);
  assert.equal(server.asked, ['GET /api/v1/nodes/x']);
});
for (const code of [429, 500, 503])
  test(`is sent again after ${code}, at once where that is soon enough`, async () => {
    await using server = await answeringServer((response, count) =>
      count === 0 ? response.writeHead(code, { 'retry-after': '0' }).end() : response.end(NODE),
    );
    assert.is((await server.client.resource(nodes).get('x')).metadata.name, 'x');
    assert.is(server.asked.length, 2);
  });
for (const value of ['Infinity', '1e3', '0x10', '-1', '1.5', 'Wed, 21 Oct 2015 07:28:00 GMT', '9999999999', ''])
  test(`is one that fails where the server says ${JSON.stringify(value)}`, async () => {
    await using server = await answeringServer((response) => response.writeHead(503, { 'retry-after': value }).end());
    const error = await thrownBy(server.client.resource(nodes).get('x'));
    assert.instance(error, ApiError);
    assert.is((error as ApiError).retryAfter, undefined);
    assert.is(server.asked.length, 1);
  });
test.run();

const answered = suite('an answer that is none of the API');
answered('is told with the request', async () => {
  await using server = await answeringServer((response) => response.end('<html>log in</html>'));
  const error = await thrownBy(server.client.resource(nodes).get('x'));
  assert.instance(error, ConnectionError);
  assert.match((error as Error).message, /^GET \/api\/v1\/nodes\/x: the answer is no JSON: .*<html>/);
});
answered('that refuses is told by its beginning, where it is long', async () => {
  const page = `<html>${'x'.repeat(1_000_000)}`;
  await using server = await answeringServer((response) => response.writeHead(502).end(page));
  const error = (await thrownBy(server.client.resource(nodes).get('x'))) as ApiError;
  assert.is(error.message, `${page.slice(0, 2_048)}…`);
  assert.is(error.body, page);
});
for (const body of ['null', '"x"', '1', 'true', ''])
  answered(`is told where it is ${JSON.stringify(body)}`, async () => {
    await using server = await answeringServer((response) => response.end(body));
    assert.instance(await thrownBy(server.client.resource(nodes).list()), ConnectionError);
  });
answered('is told where it switches protocols, and its connection ends', async () => {
  let ended = false;
  await using server = await answeringServer((response) => {
    response.socket?.on('close', () => {
      ended = true;
    });
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  });
  const error = await thrownBy(server.client.resource(nodes).get('x'));
  assert.instance(error, ConnectionError);
  assert.match((error as Error).message, /^GET http:.*\/api\/v1\/nodes\/x: the server switched protocols, which nobody has asked for/);
  await eventually('the connection ends', () => ended);
});
answered.run();

const asking = suite('a client');
asking('says what it is, as far as it knows', async () => {
  const agents: (string | undefined)[] = [];
  await using server = await answeringServer((response, _count, { headers }) => {
    agents.push(headers['user-agent']);
    response.end(NODE);
  });
  await server.client.resource(nodes).get('x');
  const named = createClient({ server: `http://127.0.0.1:${server.port}`, userAgent: 'mine/1' });
  await named.resource(nodes).get('x');
  await named.close();
  assert.match(
    agents[0] ?? '',
    new RegExp(`^repeated-requests\\.test/node-${process.versions.node} \\(${process.platform}/${process.arch}\\)$`),
  );
  assert.is(agents[1], 'mine/1');
});
asking.run();

const read = suite('an answer');
for (const coding of ['gzip', 'GZIP', 'x-gzip'])
  read(`is unpacked: ${coding}`, async () => {
    await using server = await answeringServer((response) => response.setHeader('content-encoding', coding).end(gzipSync(NODE)));
    assert.is((await server.client.resource(nodes).get('x')).metadata.name, 'x');
  });
read('of a list without metadata has no version', async () => {
  await using server = await answeringServer((response) => response.end('{"kind":"NodeList","items":null}'));
  assert.equal(await server.client.resource(nodes).list(), { metadata: { resourceVersion: '' }, items: [] });
  for await (const page of server.client.resource(nodes).pages()) assert.equal(page.items, []);
});
/** Ends in the middle of its body. */
const cut = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': 500 }).write('{"kind"');
  setTimeout(() => response.socket?.destroy(), 10);
};
read('that ends too early is asked for again', async () => {
  await using server = await answeringServer((response, count) => (count < 2 ? cut(response) : response.end(NODE)));
  assert.is((await server.client.resource(nodes).get('x')).metadata.name, 'x');
  assert.is(server.asked.length, 3);
});
read('that ends too early each time is told', async () => {
  await using server = await answeringServer((response) => cut(response));
  assert.instance(await thrownBy(server.client.resource(nodes).get('x')), ConnectionError);
  assert.is(server.asked.length, 4);
});
read('to a write that ends too early is not asked for again', async () => {
  await using server = await answeringServer((response) => cut(response));
  assert.instance(await thrownBy(server.client.resource(nodes).create({ metadata: { name: 'x' } })), ConnectionError);
  assert.is(server.asked.length, 1);
});
read.run();
