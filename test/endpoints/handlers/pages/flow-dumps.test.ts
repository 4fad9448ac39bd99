import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { flowDumpsHandler } from '../../../../runtime/endpoints/handlers/pages/flow-dumps.ts';
import { Query } from '../../../../runtime/endpoints/request/request-info.ts';
import { AskedServer } from '../asked-server.ts';

const test = suite('dumps of flow control');

async function dump(name: string, query = ''): Promise<[status: number, type: string, text: string]> {
  const answers: [number, string, string][] = [];
  const answer = { send: (...sent: [number, string, string]) => answers.push(sent) };
  const state = { info: { path: `/debug/api_priority_and_fairness/${name}`, query: new Query(query) }, answer };
  await flowDumpsHandler({ all: [] })({ state, res: { setHeader: () => {} } } as unknown as Context);
  return answers[0] as [number, string, string];
}

const names: [name: string, query: string, column: string][] = [
  ['dump_priority_levels', '', 'IsQuiescing'],
  ['dump_queues', '', 'NextDispatchR'],
  ['dump_requests', '', 'FlowDistingsher'],
  ['dump_requests', 'includeRequestDetails=1', 'APIPath'],
];
for (const [name, query, column] of names)
  test(`${name}?${query} is a table`, async () => {
    const [status, type, text] = await dump(name, query);
    assert.equal([status, type], [200, 'text/plain; charset=utf-8']);
    assert.ok(text.startsWith('PriorityLevelName, ') && text.includes(column) && text.endsWith('\n'));
  });
for (const name of ['dump_others', 'constructor', ''])
  test(`there is none named ${name || 'nothing'}`, async () => assert.is((await dump(name))[0], 404));
test('are those of the server', async () => {
  const server = await AskedServer.start();
  try {
    const { status, body } = await server.get('/debug/api_priority_and_fairness/dump_priority_levels');
    assert.is(status, 200);
    assert.match(body as string, /\ncatch-all, .*\nexempt, /);
    assert.is((await server.get('/debug/api_priority_and_fairness/dump_others')).status, 404);
    assert.is((await server.post('/debug/api_priority_and_fairness/dump_queues', {})).status, 200);
  } finally {
    await server.stop();
  }
});
test.run();
