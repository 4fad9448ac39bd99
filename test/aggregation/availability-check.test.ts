/** Whether another server answers, as it is asked. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { availabilityProblem } from '../../runtime/aggregation/availability-check.ts';
import { RemoteServers } from '../../runtime/aggregation/remote-servers.ts';
import { type RemoteVersion, readRemoteVersion } from '../../runtime/aggregation/remote-version.ts';
import { RemoteVersions } from '../../runtime/aggregation/remote-versions.ts';
import { type Address, ServiceError } from '../../runtime/aggregation/service-address.ts';
import { object } from '../kinds/context.ts';
import { AggregatedServer, Authorities } from './aggregated-server.ts';

const authorities = new Authorities();
const lamps = await new AggregatedServer(authorities, 'lamps.default.svc').start();
// of nobody: the check believes any certificate
const spec = { group: 'lamps', version: 'v1', service: { namespace: 'default', name: 'lamps' }, caBundle: '' };
const remote = readRemoteVersion(object('apiregistration.k8s.io/v1', 'APIService', { spec })) as RemoteVersion;

async function problem(
  resolve: () => Address = () => ({ host: '127.0.0.1', port: lamps.port }),
  of = remote,
  signal = new AbortController().signal,
): Promise<string | undefined> {
  const servers = new RemoteServers({ versions: new RemoteVersions([]), resolve, clientCertificate: () => undefined, withUid: false });
  try {
    return await availabilityProblem(servers, of, signal);
  } finally {
    servers.close();
  }
}

const test = suite('the check whether another server answers');
test.before.each(() => {
  lamps.asked.length = 0;
});
test.after(() => lamps.stop());
const url = `https://127.0.0.1:${lamps.port}/apis/lamps/v1`;

test('asks once where that has an answer', async () => {
  lamps.answer = (_, response) => response.end('{}');
  assert.is(await problem(), undefined);
  assert.equal(
    lamps.asked.map(({ method, url: path, headers }) => [method, path, headers['x-remote-user'], headers['x-remote-group']]),
    [['GET', '/apis/lamps/v1', 'system:kube-aggregator', 'system:masters']],
  );
});

test('asks five times in all before it says that there is none, and one answer suffices', async () => {
  lamps.answer = (_, response) => response.writeHead(500).end();
  assert.is(await problem(), `failing or missing response from ${url}: bad status from ${url}: 500`);
  assert.is(lamps.asked.length, 5);
  lamps.answer = (_, response) => response.writeHead(lamps.asked.length % 5 === 4 ? 200 : 503).end();
  assert.is(await problem(), undefined);
});

test('takes a redirect for no answer', async () => {
  lamps.answer = (_, response) => response.writeHead(302, { location: '/elsewhere' }).end();
  assert.is(await problem(), `failing or missing response from ${url}: bad status from ${url}: 302`);
});

test('does not wait for the end of a body', async () => {
  lamps.answer = (_, response) => {
    response.writeHead(200);
    response.write(Buffer.alloc(200_000));
  };
  assert.is(await problem(), undefined);
});

test('says what happened to the connection, and where a service leads nowhere', async () => {
  lamps.answer = (request) => request.socket.destroy();
  assert.is(await problem(), `failing or missing response from ${url}: Get "${url}": EOF`);
  const nowhere = () => {
    throw new ServiceError('no endpoints available for service "lamps"');
  };
  assert.is(await problem(nowhere), 'no endpoints available for service "lamps"');
});

test('ends when it is given up', async () => {
  const controller = new AbortController();
  lamps.answer = () => controller.abort();
  const given = await problem(undefined, remote, controller.signal);
  assert.match(String(given), /context canceled|EOF/);
});

test('says so of a server that does not speak TLS', async () => {
  const plain = http.createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const { port } = plain.address() as AddressInfo;
  const at = `https://127.0.0.1:${port}/apis/lamps/v1`;
  const given = await problem(() => ({ host: '127.0.0.1', port }));
  assert.is(given, `failing or missing response from ${at}: Get "${at}": http: server gave HTTP response to HTTPS client`);
  plain.closeAllConnections();
  plain.close();
});

test('asks the core group at its own path', async () => {
  lamps.answer = (_, response) => response.end('{}');
  await problem(undefined, { ...remote, name: 'v1.', group: '' });
  assert.is(lamps.asked[0]?.url, '/api/v1');
});

test.run();
