/** The memory that long bodies take has a bound, and is given back. */
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { CAN_GIVE_BACK } from '../../harness/freed-memory.ts';
import { attacks } from '../../harness/long-bodies.ts';
import { residentMemory } from '../../harness/process-usage.ts';
import { NODE_FLAGS, startServer } from '../../harness/server.ts';
import { CONFIGMAPS } from '../../harness/unheld.ts';

/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;
const JSON_TYPE = { 'content-type': 'application/json' };

const memory = suite('memory of long bodies');
/** In the log. */
const GONE_BACK = 'memory that was freed has gone back to the system';

memory('is given back within a minute', async () => {
  const server = await startServer({ dialect: 'kubernetes', nodeFlags: NODE_FLAGS });
  const client = new Client(server);
  await client.get('/readyz');
  const idle = residentMemory(server.pid);
  const attack = attacks[0] as (typeof attacks)[0];
  await client.request('POST', attack.path, { body: attack.text(), headers: JSON_TYPE, timeout: PATIENCE });
  const end = performance.now() + 60_000;
  while (performance.now() < end && residentMemory(server.pid) > 2 * idle) await sleep(250);
  const left = residentMemory(server.pid);
  client.close();
  await server.stop();
  assert.ok(left <= 2 * idle, `${left} of ${idle}`);
});

memory('goes back to the system once nothing is much work any more', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: ['--v=3'] });
  const client = new Client(server);
  const attack = attacks[0] as (typeof attacks)[0];
  await client.request('POST', attack.path, { body: attack.text(), headers: JSON_TYPE, timeout: PATIENCE });
  const end = performance.now() + 60_000;
  while (performance.now() < end && !server.log().includes(GONE_BACK)) await sleep(250);
  client.close();
  await server.stop();
  assert.is(server.log().includes(GONE_BACK), CAN_GIVE_BACK);
});

memory('has a bound for bodies that are not finished', async () => {
  const server = await startServer({ dialect: 'kubernetes' });
  const client = new Client(server);
  await client.get('/readyz');
  const idle = residentMemory(server.pid);
  const part = Buffer.alloc(2_500_000, ' ');
  let refused = 0;
  const unfinished = Array.from({ length: 200 }, () => {
    const headers = { authorization: `Bearer ${server.tokens.alice}`, 'content-type': 'application/json', 'content-length': 2_600_000 };
    const url = `${server.url}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
    const sent = request(url, { agent: false, method: 'POST', headers, rejectUnauthorized: false });
    sent.on('close', () => refused++).on('error', () => {});
    sent.write(part);
    return sent;
  });
  // there is room for some, others wait for it, and these are told to come again
  while (refused < 50) await sleep(50);
  const held = residentMemory(server.pid);
  // another user has room meanwhile, on a thread whose memory is none of the bodies'
  const answer = await client.post(CONFIGMAPS, { metadata: { name: 'long' }, data: { a: 'x'.repeat(900_000) } });
  for (const sent of unfinished) sent.destroy();
  client.close();
  await server.stop();
  assert.is(answer.status, 201, answer.text.slice(0, 500));
  assert.ok(held - idle < 250_000_000, `${held} of ${idle}`);
});

memory.run();
