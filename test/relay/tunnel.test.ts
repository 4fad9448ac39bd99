import { duplexPair } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { join } from '../../runtime/relay/tunnel.ts';

const test = suite('connections that are joined');

test('pass each byte on, and end one after the other with all that came before', async () => {
  const [client, one] = duplexPair();
  const [agent, other] = duplexPair();
  const joined = join(one, other);
  const ends = Promise.all([client, agent].map(async (end) => Buffer.concat(await Array.fromAsync(end)).toString()));
  client.write('to the agent, ');
  agent.write('to the client, ');
  client.end('the end');
  agent.end('the end');
  assert.equal(await ends, ['to the client, the end', 'to the agent, the end']);
  await joined;
});
test('end when one of them breaks', async () => {
  const [client, one] = duplexPair();
  const [agent, other] = duplexPair();
  const joined = join(one, other);
  for (const each of [client, agent]) each.on('error', () => {}).resume();
  const ended = new Promise((resolve) => agent.once('end', resolve));
  one.destroy(new Error('reset'));
  await ended;
  assert.ok(other.writableEnded);
  other.destroy();
  await joined;
});

test.run();
