import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerOf } from '../../runtime/connections/client-answer.ts';
import { exchange } from '../../runtime/relay/exchange.ts';
import { explanation, type RelayOptions, relayAnswer } from '../../runtime/relay/relay-answer.ts';
import { Backend, front, options, outgoing, say } from './backend.ts';

const backend = await new Backend().start();
const ASK = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

const test = suite('answers of backends');

test.after(() => backend.stop());

async function relayed(how: RelayOptions = { crossOrigin: false }): Promise<{ text: string; length: number }> {
  let length = -1;
  const served = await front(async (context) => {
    const answer = answerOf(context);
    answer.whenOver(() => {
      length = answer.length;
    });
    relayAnswer(context, await exchange(outgoing(backend.target), options()), how);
  });
  const text = await say(served.port, ASK);
  await served.stop();
  return { text, length };
}
test('reach the client with their status, headers and body', async () => {
  backend.answer = (_, response) => response.writeHead(203, { 'X-One': '1', 'Set-Cookie': ['a=1', 'b=2'] }).end('body');
  const { text, length } = await relayed();
  assert.match(text, /^HTTP\/1\.1 203 /);
  assert.match(text, /\r\nX-One: 1\r\n/);
  assert.match(text, /a=1[\s\S]*b=2[\s\S]*body/);
  assert.is(length, 4);
});
test('say nothing to other origins but where that is wanted', async () => {
  backend.answer = (_, response) => response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end();
  assert.not.match((await relayed()).text, /access-control/i);
  assert.match((await relayed({ crossOrigin: true })).text, /access-control/i);
});
test('have headers rewritten', async () => {
  backend.answer = (_, response) => response.writeHead(302, { Location: '/there' }).end();
  const { text } = await relayed({ crossOrigin: false, rewrite: (name, value) => (name === 'location' ? `/proxy${value}` : value) });
  assert.match(text, /\r\nLocation: \/proxy\/there\r\n/);
});
test('that break off break the connection of the client', async () => {
  backend.answer = (_, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('begun', () => response.destroy());
  };
  const { text } = await relayed();
  assert.match(text, /begun$/);
});
test('are explained up to a bound', async () => {
  backend.answer = (_, response) => response.writeHead(500).end('x'.repeat(200_000));
  const { head } = await exchange(outgoing(backend.target), options());
  assert.is((await explanation(head)).length, 50_000);
});

test.run();
