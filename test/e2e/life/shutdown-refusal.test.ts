/** A server that ends and tells its clients to try again (--shutdown-send-retry-after): what it has begun it finishes, what is new it refuses. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('a server that ends and says so');

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const BODY = JSON.stringify({ metadata: { name: 'a' } });

function begin(server: TestServer, path: string, options: RequestOptions = {}) {
  const headers = { authorization: `Bearer ${server.tokens.admin}`, ...(options.headers as object) };
  return request(`${server.url}${path}`, { rejectUnauthorized: false, agent: false, ...options, headers });
}

async function answer(sent: ReturnType<typeof begin>): Promise<{ response: IncomingMessage; text: string }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { response, text };
}
const get = (server: TestServer, path: string) => answer(begin(server, path).end());

/** A create whose handler waits for the end of its body. */
async function unfinished(server: TestServer): Promise<ReturnType<typeof begin>> {
  const headers = { 'content-type': 'application/json', 'content-length': String(BODY.length), expect: '100-continue' };
  const sent = begin(server, CONFIGMAPS, { method: 'POST', headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(BODY.slice(0, 5));
  return sent;
}

async function refusal(server: TestServer): Promise<{ response: IncomingMessage; text: string }> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    const got = await get(server, CONFIGMAPS);
    if (got.response.statusCode !== 200) return got;
  }
  throw new Error('nothing is refused');
}

for (const workers of [1, 2])
  test(`${workers} process(es): new requests are refused with a time to try again, one under way is finished`, async () => {
    const server = await startServer({ dialect: 'kubernetes', flags: ['--shutdown-send-retry-after', `--workers=${workers}`] });
    try {
      const session = connectHttp2(server.url, { rejectUnauthorized: false }).on('error', () => {});
      await once(session, 'connect');
      const begun = await unfinished(server);
      process.kill(server.pid, 'SIGTERM');
      const { response, text } = await refusal(server);
      assert.equal([response.statusCode, text], [429, 'The apiserver is shutting down, please try again later.\n']);
      const { headers } = response;
      assert.equal([headers['retry-after'], headers.connection, headers['cache-control']], ['5', 'close', undefined]);
      assert.match(headers['content-type'] as string, /^text\/plain/);
      assert.match(headers['audit-id'] as string, /./);
      assert.is((await get(server, '/readyz')).response.statusCode, 500);
      assert.is((await get(server, '/livez')).response.statusCode, 200);
      if (workers === 1) {
        const stream = session.request({ ':path': CONFIGMAPS });
        const [goaway, [refused]] = await Promise.all([once(session, 'goaway'), once(stream, 'response')]);
        assert.equal([goaway[0], refused[':status'], refused['retry-after']], [0, 429, '5']);
      }
      session.destroy();
      const finished = answer(begun);
      begun.end(BODY.slice(5));
      assert.is((await finished).response.statusCode, 201);
      // a second signal would end it at once
      for (const end = Date.now() + 20_000; server.running() && Date.now() < end; ) await sleep(20);
      assert.is(await server.stop(), 0);
    } finally {
      await server.kill();
    }
  });

test('workers take connections until --shutdown-delay-duration is over', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: ['--workers=2', '--shutdown-delay-duration=1m'] });
  try {
    process.kill(server.pid, 'SIGTERM');
    const isReady = async () => (await get(server, '/readyz')).response.statusCode === 200;
    for (const end = Date.now() + 20_000; (await isReady()) && Date.now() < end; );
    assert.is((await get(server, '/readyz')).response.statusCode, 500);
    assert.is((await get(server, CONFIGMAPS)).response.statusCode, 200);
  } finally {
    await server.kill();
  }
});

test.run();
