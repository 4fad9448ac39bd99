/** Clients that go while their request waits to be recorded: nothing is done for them any more, and they take no place from others. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client } from '../../harness/client.ts';
import { connect } from '../../harness/raw.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('clients that have gone');
const MAPS = '/api/v1/namespaces/default/configmaps';

/** Takes events of audit, and holds its answers back while it is to. */
class EventService {
  readonly #server = createServer(async (request, response) => {
    await request.resume().toArray();
    this.asked++;
    await this.held;
    response.end('{}');
  });
  asked = 0;
  held: Promise<void> = Promise.resolve();

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

let folder: string;
let service: EventService;
let server: TestServer;
let client: Client;

function file(name: string, content: object): string {
  const written = path.join(folder, name);
  writeFileSync(written, JSON.stringify(content), { mode: 0o600 });
  return written;
}

test.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gone-clients-'));
  service = new EventService();
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    rules: [
      { level: 'Metadata', omitStages: ['ResponseStarted', 'ResponseComplete'], resources: [{ group: '', resources: ['configmaps'] }] },
    ],
  };
  const backend = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'x', cluster: { server: await service.start() } }],
    contexts: [{ name: 'x', context: { cluster: 'x', user: '' } }],
    'current-context': 'x',
  };
  server = await startServer({
    dialect: 'kubernetes',
    flags: [
      `--audit-policy-file=${file('policy.json', policy)}`,
      `--audit-webhook-config-file=${file('webhook.json', backend)}`,
      '--audit-webhook-mode=blocking-strict',
      '--controllers=-*',
    ],
  });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  assert.is(await server.stop(), 0, server.log());
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Those of requests that are under way. */
async function places(): Promise<string[]> {
  const { text } = await client.get('/metrics');
  return text
    .split('\n')
    .filter((line) => /^apiserver_(?:flowcontrol_current_executing_(?:seats|requests)|longrunning_requests)\b/.test(line))
    .filter((line) => !/ 0$/.test(line));
}

const request = (method: string, target: string, ...rest: readonly string[]): string =>
  [`${method} ${target} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${server.tokens.admin}`, ...rest, '', ''].join('\r\n');
const SWITCH = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
] as const;
const short = JSON.stringify({ metadata: { name: 'made' } });

/** Each sends a request, and resolves to what ends its connection. */
const leaving: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  'a delete of HTTP/1.1': () => overHttp1(request('DELETE', `${MAPS}/first`)),
  'a delete of HTTP/2': async () => {
    const session = connectHttp2(server.url, { ca: authority(server) });
    session.on('error', () => {});
    await once(session, 'connect');
    const stream = session.request({ ':method': 'DELETE', ':path': `${MAPS}/second`, authorization: `Bearer ${server.tokens.admin}` });
    stream.on('error', () => {});
    stream.end();
    return () => {
      session.destroy();
      return once(session, 'close');
    };
  },
  'a create with a short body': () =>
    overHttp1(request('POST', MAPS, 'Content-Type: application/json', `Content-Length: ${short.length}`) + short),
  'a create whose body has not come': () => overHttp1(request('POST', MAPS, 'Content-Type: application/json', 'Content-Length: 1000')),
  'a watch over a WebSocket': () => overHttp1(request('GET', `${MAPS}?watch=1`, ...SWITCH)),
  'a watch': () => overHttp1(request('GET', `${MAPS}?watch=1`)),
};

async function overHttp1(text: string): Promise<() => Promise<unknown>> {
  const socket = await connect(server);
  socket.write(text);
  return () => {
    const closed = once(socket, 'close');
    socket.destroy();
    return closed;
  };
}

for (const [what, send] of Object.entries(leaving))
  test(`get nothing done, and no place, with ${what}`, async () => {
    for (const name of ['first', 'second']) await client.post(MAPS, { metadata: { name } });
    const before = await places();
    const release = Promise.withResolvers<void>();
    service.held = release.promise;
    const asked = service.asked;
    const leave = await send();
    for (let i = 0; i < 2_000 && service.asked === asked; i++) await sleep(5);
    assert.is(service.asked, asked + 1);
    await leave();
    // the server has heard of it by then
    for (let i = 0; i < 3; i++) await client.get('/livez');
    release.resolve();
    let after = await places();
    for (let i = 0; i < 1_000 && after.join() !== before.join(); i++) {
      await sleep(5);
      after = await places();
    }
    assert.equal(after, before);
    const { body } = await client.get(MAPS);
    assert.equal(
      body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      ['first', 'second'],
    );
    assert.equal(server.faults(), []);
  });

test.run();
