/** Whatever a body of 3 MiB says, nobody else waits for it. `long-objects.test.ts` goes on where it is stored. */
import { once } from 'node:events';
import http2 from 'node:http2';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client } from '../../harness/client.ts';
import { assertNoTrace } from '../../harness/hostile.ts';
import { attacks, type LongBody } from '../../harness/long-bodies.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';
import { assertUnheld, CONFIGMAPS } from '../../harness/unheld.ts';

const AT_ONCE = 8;
/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;
/** Bytes that an answer may have besides an object that was sent: what is told of errors, twice, escaped. */
const LONGEST_ERROR = 4_000_000;

/** The one that is answered soonest. */
const shortest = () => attacks.find(({ name }) => name === 'an access review of many requirements') as (typeof attacks)[0];

const MODES = [
  { name: 'one process', flags: [], sent: attacks },
  { name: 'two workers', flags: ['--workers=2'], sent: attacks.slice(0, 1) },
];

for (const { name, flags, sent } of MODES) {
  const test = suite(`long bodies, ${name}`);
  const server = await startServer({
    dialect: 'kubernetes',
    flags: ['--disable-admission-plugins=ServiceAccount', '--authorization-mode=Node,RBAC', ...flags],
    preload: TURN_MONITOR,
  });
  const client = new Client(server);
  const other = new Client(server);
  test.after(async () => {
    client.close();
    other.close();
    await server.stop();
  });

  const post = ({ path: to, text, contentType = 'application/json' }: LongBody, by = client) =>
    by.request('POST', to, { body: text(), headers: { 'content-type': contentType }, timeout: PATIENCE });
  const unheld = (action: () => Promise<void>) => assertUnheld(server, other, action);

  test.before(async () => {
    // kinds and verbs are loaded with the first request that needs them, in each process, and what takes long bodies with the first of these;
    // connections go to the processes in turn
    for (const each of [client, other]) {
      for (const { path: to } of attacks) await each.post(to, {});
      await post(shortest(), each);
    }
    assert.is((await client.post(CONFIGMAPS, { metadata: { name: 'seen' } })).status, 201);
    await untilQuiet(server);
  });

  for (const attack of sent)
    test(`nobody waits for ${attack.name}`, () =>
      unheld(async () => {
        const answer = await post(attack);
        assert.is(answer.status, attack.status, answer.text.slice(0, 500));
        if (attack.status !== 201) assert.ok(answer.text.length < LONGEST_ERROR, `${answer.text.length}`);
        assertNoTrace(answer);
      }));

  test(`nobody waits for ${AT_ONCE} at once`, () =>
    unheld(async () => {
      const attack = shortest();
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post(attack)));
      assert.equal(new Set(answers.map(({ status }) => status)), new Set([attack.status]));
    }));

  test('long bodies over HTTP/2 are answered as others are', async () => {
    const { status, text } = await overHttp2(server, CONFIGMAPS, { metadata: { name: 'http2' }, data: { a: 'x'.repeat(100_000) } });
    assert.is(status, 201, text.slice(0, 500));
  });

  // each worker has a thread of its own
  if (flags.length === 0)
    test('users take turns', async () => {
      const ended: string[] = [];
      const many = Array.from({ length: 6 }, () => post(shortest()).then(() => ended.push('many')));
      await Promise.race(many);
      const headers = { 'impersonate-user': 'one', 'impersonate-group': 'system:masters' };
      const data = { a: 'x'.repeat(100_000) };
      const { status, text } = await client.post(CONFIGMAPS, { metadata: { generateName: 'a-' }, data }, headers);
      ended.push('one');
      assert.is(status, 201, text.slice(0, 500));
      await Promise.all(many);
      assert.not.equal(ended.at(-1), 'one');
    });

  test.run();
}

async function overHttp2(server: TestServer, to: string, body: object): Promise<{ status: number; text: string }> {
  const session = http2.connect(server.url, { ca: authority(server) });
  const stream = session.request({
    ':method': 'POST',
    ':path': to,
    authorization: `Bearer ${server.tokens.admin}`,
    'content-type': 'application/json',
  });
  stream.end(JSON.stringify(body));
  const [head] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  const answer = await text(stream);
  session.close();
  return { status: head[':status'] as unknown as number, text: answer };
}
