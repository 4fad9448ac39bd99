import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { componentPage } from '../../../../runtime/endpoints/handlers/pages/component-page.ts';
import { Client } from '../../../harness/client.ts';
import { startServer } from '../../../harness/server.ts';

const test = suite('pages of text');

function answered(accept: string | undefined, method = 'GET'): [status: number, text: string] {
  let answer: [number, string] = [0, ''];
  const state = { answer: { send: (status: number, _type: string, text: string) => (answer = [status, text]) } };
  componentPage(() => 'page')({ method, req: { headers: { accept } }, res: { setHeader() {} }, state } as unknown as Context);
  return answer;
}
const NONE = 'media type not acceptable, must be: text/plain\n';
const rows: [accept: string | undefined, status: number][] = [
  ['text/plain', 200],
  ['*/*', 200],
  ['text/*;q=0.5', 200],
  ['application/json, text/plain; charset=UTF-8', 200],
  ['text/plain; charset=latin1', 406],
  ['text/plain; charset=utf-8; x=y', 406],
  ['application/json', 406],
  ['', 406],
  [undefined, 406],
];
for (const [accept, status] of rows)
  test(`are ${status === 200 ? '' : 'not '}for who accepts ${accept}`, () =>
    assert.equal(answered(accept), [status, status === 200 ? 'page' : NONE]));

test('are for any method, as other pages that 1.32 has besides its API', () => {
  for (const method of ['HEAD', 'POST', 'DELETE']) assert.equal(answered('*/*', method), [200, 'page']);
});

test('are there behind their gates, for who may read them', async () => {
  const server = await startServer({
    dialect: 'cluster',
    flags: ['--controllers=-*', '--feature-gates=ComponentFlagz=true', '--event-ttl=90m'],
  });
  const [admin, alice] = [new Client(server), new Client(server, server.tokens.alice)];
  try {
    const text = { accept: 'text/plain' };
    const { status, text: page } = await admin.get('/flagz', text);
    assert.is(status, 200);
    assert.match(page, /\ncluster-apiserver flags\n/);
    assert.match(page, /\nevent-ttl(?::|: |=| )1h30m0s\n/);
    assert.equal([(await alice.get('/flagz', text)).status, (await admin.get('/statusz', text)).status], [403, 404]);
    assert.ok((await admin.get('/')).body.paths.includes('/flagz'));
  } finally {
    for (const client of [admin, alice]) client.close();
    await server.stop();
  }
});

test.run();
