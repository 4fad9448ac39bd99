import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('the version');
const server = await AskedServer.start();
test.after(() => server.stop());

test('is the release whose behaviour the server has, for people and programs', async () => {
  const answer = await server.embedded.client.fetch('/version');
  const text = await answer.text();
  assert.equal([answer.status, answer.headers.get('content-type')], [200, 'application/json']);
  assert.match(text, /^{\n {2}"major": "1",\n {2}"minor": "32",\n/);
  assert.match(text, /"\n}$/);
  assert.is(JSON.parse(text).gitVersion, 'v1.32.0');
});
const rows: readonly [method: string, accept: string, status: number][] = [
  ['GET', '*', 406],
  ['GET', '*/*', 200],
  ['GET', 'text/html, application/json;q=0.1', 200],
  ['GET', 'text/html', 406],
  ['POST', '*/*', 405],
];
for (const [method, accept, status] of rows)
  test(`${method} with ${accept} is ${status}`, async () =>
    assert.is((await server.ask(method, '/version', { headers: { accept } })).status, status));
test('stands at the path with a slash as well', async () => assert.is((await server.get('/version/')).status, 200));

test.run();
