/** Requests that a server wants again later (`Retry-After`). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../../generated/client/core/v1/index.ts';
import { ApiError, ConnectionError } from '../../../generated/client/index.ts';
import { answeringServer } from '../answering-server.ts';

const NODE = JSON.stringify({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'x' } });
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const test = suite('a request that the server wants again later');
test('waits however long that is', async () => {
  await using server = await answeringServer((response) => response.writeHead(429, { 'retry-after': `${30 * 86_400}` }).end());
  const reason = new Error('enough');
  const ending = new AbortController();
  setTimeout(() => ending.abort(reason), 100);
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
answered.run();
