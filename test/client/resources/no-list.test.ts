/** An answer that is no list, such as one of a proxy, is never taken for a list of nothing: whoever asks may delete what is not in it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodes } from '../../../generated/client/core/v1/index.ts';
import { ConnectionError, informer } from '../../../generated/client/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { answeringServer } from '../answering-server.ts';

const test = suite('an answer that is no list');
const NODE = { metadata: { name: 'x', resourceVersion: '1', uid: 'u' } };

for (const body of ['{}', '[]', '{"kind":"Status","status":"Failure","code":500}', '{"items":{}}', '{"items":5}']) {
  test(`is told: ${body}`, async () => {
    await using server = await answeringServer((response) => response.end(body));
    const list = server.client.resource(nodes);
    for (const asked of [list.list(), list.listMetadata(), list.pages().next()]) {
      const error = await asked.catch((thrown: unknown) => thrown);
      assert.instance(error, ConnectionError);
      assert.match((error as Error).message, /\/api\/v1\/nodes: the answer is no (?:list|object)/);
    }
  });

  test(`leaves an informer what it knows: ${body}`, async () => {
    let lists = 0;
    await using server = await answeringServer((response, _count, { url = '' }) => {
      // each watch ends, and has the informer list again
      if (url.includes('watch=true')) response.writeHead(url.includes('sendInitialEvents') ? 400 : 410).end('{}');
      else response.end(lists++ === 0 ? JSON.stringify({ metadata: { resourceVersion: '1' }, items: [NODE] }) : body);
    });
    const told: string[] = [];
    const errors: unknown[] = [];
    const informed = informer(server.client.resource(nodes));
    informed.on(({ type }) => told.push(type));
    informed.onError((error) => errors.push(error));
    informed.start();
    await eventually('it has listed again', () => lists > 2);
    assert.equal([told, informed.size], [['ADDED'], 1]);
    assert.ok(errors.some((error) => error instanceof ConnectionError && /the answer is no (?:list|object)/.test(error.message)));
    await informed.stop();
  });
}

test('is told where its items are no objects', async () => {
  for (const items of ['[null]', '[1]']) {
    await using server = await answeringServer((response) => response.end(`{"items":${items}}`));
    const error = await server.client
      .resource(nodes)
      .list()
      .catch((thrown: unknown) => thrown);
    assert.instance(error, ConnectionError);
  }
});

test('is no array where an object was asked for', async () => {
  await using server = await answeringServer((response) => response.end('[]'));
  const error = await server.client
    .resource(nodes)
    .get('x')
    .catch((thrown: unknown) => thrown);
  assert.match((error as Error).message, /the answer is no object/);
});

test.run();
