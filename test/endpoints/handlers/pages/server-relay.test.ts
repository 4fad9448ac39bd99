/** What another server of the same store gets of a request, and what the client gets of its answer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PeerServers } from '../../../../runtime/aggregation/peer-servers.ts';
import { ClientAnswer } from '../../../../runtime/connections/client-answer.ts';
import { serverRelay } from '../../../../runtime/endpoints/handlers/pages/server-relay.ts';
import { resolveRequestInfo } from '../../../../runtime/endpoints/request/request-info.ts';
import type { Resource } from '../../../../runtime/registry/resources/resource.ts';
import { AggregatedServer, type Asked, Authorities } from '../../../aggregation/aggregated-server.ts';
import { freePort } from '../../../harness/free-ports.ts';
import { front } from '../../../relay/backend.ts';

const authorities = new Authorities();
const peer = await new AggregatedServer(authorities, 'kubernetes.default.svc').start();
const peersOf = (serviceName: string): PeerServers =>
  new PeerServers({
    storage: { look: () => undefined },
    storageVersions: { data: { scope: 'Cluster', name: 'storageversions' } } as Resource,
    self: 'here',
    serviceName,
    authorities: authorities.servers.certificate,
    clientCertificate: () => ({ cert: authorities.proxy.certificate, key: authorities.proxy.key }),
  });

const JOBS = '/apis/batch/v1/namespaces/default/jobs?limit=5';
const ALICE = { name: 'alice', uid: '7', groups: ['dev', 'qa'], extra: { scope: ['a'] } };

interface Given {
  readonly port?: number;
  readonly headers?: Record<string, string>;
  readonly serviceName?: string;
}

async function passedOn({ port = peer.port, headers = {}, serviceName = 'kubernetes' }: Given): Promise<Response> {
  const relay = serverRelay({ refusesRedirects: false });
  const peers = peersOf(serviceName);
  const gate = await front((context) => {
    const info = resolveRequestInfo(context.req.method ?? '', context.req.url ?? '');
    context.state = { answer: new ClientAnswer(context.res), info, id: 'the-id', user: ALICE };
    return relay(context, { remote: peers.remote, address: { host: '127.0.0.1', port }, servers: peers });
  });
  try {
    const response = await fetch(`http://127.0.0.1:${gate.port}${JOBS}`, { redirect: 'manual', headers });
    return new Response(await response.arrayBuffer(), response);
  } finally {
    await gate.stop();
    peers.close();
  }
}

const test = suite('requests that are passed on to another server of the same store');
test.before.each(() => {
  peer.asked.length = 0;
  peer.answer = (_, response) => response.writeHead(201).end('on');
});
test.after(() => peer.stop());

test('tell who asks, and that they were passed on', async () => {
  const response = await passedOn({ headers: { authorization: 'Bearer secret' } });
  assert.equal([response.status, await response.text()], [201, 'on']);
  const { url, headers, client } = peer.asked[0] as Asked;
  assert.equal([url, client, headers.authorization], [JOBS, 'front-proxy-client', undefined]);
  assert.equal(
    ['user', 'uid', 'group', 'extra-scope'].map((name) => headers[`x-remote-${name}`]),
    ['alice', '7', 'dev, qa', 'a'],
  );
  assert.is(headers['x-kubernetes-peer-proxied'], 'true');
});

test('have nothing of what their client says of that', async () => {
  await passedOn({ headers: { 'x-remote-user': 'mallory', 'x-remote-group': 'system:masters', 'x-kubernetes-peer-proxied': 'no' } });
  const { headers } = peer.asked[0] as Asked;
  assert.equal([headers['x-remote-user'], headers['x-remote-group'], headers['x-kubernetes-peer-proxied']], ['alice', 'dev, qa', 'true']);
});

test('may be answered by a redirect', async () => {
  peer.answer = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end();
  const { status, headers } = await passedOn({});
  assert.equal([status, headers.get('location')], [307, `https://127.0.0.1:${peer.port}/elsewhere`]);
});

test('get 503 where the other server is not there, or is another one', async () => {
  const port = await freePort();
  const gone = await passedOn({ port });
  const reason = `error trying to reach service: dial tcp 127.0.0.1:${port}: connect: connection refused\n`;
  assert.equal([gone.status, await gone.text()], [503, reason]);
  const other = await passedOn({ serviceName: 'others' });
  assert.is(other.status, 503);
  assert.match(await other.text(), /^error trying to reach service: .*others\.default\.svc/);
  assert.equal(peer.asked, []);
});
test.run();
