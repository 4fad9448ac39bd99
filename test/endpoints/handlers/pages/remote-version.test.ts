/** What a client gets of a group version that another server answers; `test/e2e/aggregation/aggregated-descriptions.test.ts` has the same through a whole server. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../../generated/metrics.ts';
import { Aggregation } from '../../../../runtime/aggregation/aggregation.ts';
import { type RemoteVersion, readRemoteVersion } from '../../../../runtime/aggregation/remote-version.ts';
import { type Address, ServiceError } from '../../../../runtime/aggregation/service-address.ts';
import { ClientAnswer } from '../../../../runtime/connections/client-answer.ts';
import type { User } from '../../../../runtime/contract/request-context.ts';
import type { TraceParent } from '../../../../runtime/contract/trace.ts';
import { remoteVersionHandler } from '../../../../runtime/endpoints/handlers/pages/remote-version.ts';
import { resolveRequestInfo } from '../../../../runtime/endpoints/request/request-info.ts';
import { Metrics } from '../../../../runtime/observability/metrics.ts';
import { AggregatedServer, type Asked, Authorities } from '../../../aggregation/aggregated-server.ts';
import { WITHOUT_THREAD } from '../../../aggregation/without-thread.ts';
import { identity, object } from '../../../kinds/context.ts';
import { front } from '../../../relay/backend.ts';

const authorities = new Authorities();
const lamps = await new AggregatedServer(authorities, 'lamps.default.svc').start();

const remote = (changes: Partial<RemoteVersion> = {}): RemoteVersion => {
  const spec = { group: 'lamps', version: 'v1', service: { namespace: 'default', name: 'lamps' }, caBundle: authorities.caBundle };
  return {
    ...(readRemoteVersion(object('apiregistration.k8s.io/v1', 'APIService', { spec })) as RemoteVersion),
    available: true,
    ...changes,
  };
};

interface Given {
  readonly remote?: RemoteVersion;
  readonly user?: Partial<User>;
  readonly refusesRedirects?: boolean;
  readonly resolve?: () => Address;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly traceParent?: TraceParent;
  readonly metrics?: Metrics;
  readonly annotate?: (key: string, value: string) => void;
}

const BOB: User = { name: 'bob', uid: '7', groups: [], extra: {} };

async function asked({
  remote: to = remote(),
  user,
  refusesRedirects = true,
  resolve,
  path = '/apis/lamps/v1/lamps',
  headers = {},
  traceParent,
  metrics = new Metrics(metricsData),
  annotate = () => {},
}: Given): Promise<Response> {
  const aggregation = new Aggregation({
    identity,
    prefix: undefined,
    local: () => {
      throw new Error('nobody asks what is served here');
    },
    resolve: resolve ?? (() => ({ host: '127.0.0.1', port: lamps.port })),
    clientCertificate: () => ({ cert: authorities.proxy.certificate, key: authorities.proxy.key }),
    withUid: true,
    documentThread: WITHOUT_THREAD,
  });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const handle = remoteVersionHandler({ aggregation, refusesRedirects, log, metrics, identity });
  const gate = await front((context) => {
    const info = resolveRequestInfo(context.req.method ?? '', context.req.url ?? '');
    context.state = { answer: new ClientAnswer(context.res), info, id: 'the-id', user: { ...BOB, ...user }, traceParent, annotate };
    return handle(context, to);
  });
  try {
    const response = await fetch(`http://127.0.0.1:${gate.port}${path}`, { redirect: 'manual', headers });
    return new Response(await response.arrayBuffer(), response);
  } finally {
    await gate.stop();
    await aggregation.close();
  }
}

const test = suite('requests for group versions of other servers');
test.before.each(() => {
  lamps.asked.length = 0;
  lamps.answer = (_, response) => response.end('on');
});
test.after(() => lamps.stop());

test('go to where the service leads, as who asks', async () => {
  const response = await asked({});
  assert.equal([response.status, await response.text()], [200, 'on']);
  const { headers, client } = lamps.asked[0] as Asked;
  assert.equal(
    [headers['x-remote-user'], headers['x-remote-uid'], headers['audit-id'], client],
    ['bob', '7', 'the-id', 'front-proxy-client'],
  );
});

const OF_CLIENT = { traceparent: 'the-clients', tracestate: 'a=1', baggage: 'b=2' };
test('are parts of a trace where there is one; else what the client says of its own goes on as it is', async () => {
  const calls: string[] = [];
  const ended: unknown[] = [];
  const traceParent: TraceParent = {
    beginCall(method, { href }) {
      calls.push(`${method} ${href}`);
      return { headers: { traceparent: 'ours' }, end: (outcome) => void ended.push(outcome) };
    },
  };
  const told = () => {
    const { traceparent, tracestate, baggage } = (lamps.asked.at(-1) as Asked).headers;
    return { traceparent, tracestate, baggage };
  };
  await asked({ headers: OF_CLIENT, traceParent, path: '/apis/lamps/v1/lamps?limit=5' });
  assert.equal(told(), { traceparent: 'ours', tracestate: undefined, baggage: undefined });
  assert.equal(calls, [`GET https://127.0.0.1:${lamps.port}/apis/lamps/v1/lamps?limit=5`]);
  lamps.answer = (_, response) => void response.socket?.destroy();
  await asked({ traceParent });
  assert.is(ended[0], 200);
  assert.instance(ended[1], Error);
  lamps.answer = (_, response) => response.end('on');
  await asked({ headers: OF_CLIENT, traceParent: { passedOn: OF_CLIENT } });
  assert.equal(told(), OF_CLIENT);
});

const lost = (): never => {
  throw new ServiceError('service "lamps" not found');
};
const REFUSED: readonly [name: string, given: Given, status: number, text: string][] = [
  ['that is not available', { remote: remote({ available: false }) }, 503, 'service unavailable\n'],
  ['whose service leads nowhere', { resolve: lost }, 503, 'service unavailable\n'],
  [
    'whose authorities are none',
    { remote: remote({ trust: { caBundle: 'x', insecure: false } }) },
    500,
    'unable to load root certificates: unable to parse bytes as PEM block\n',
  ],
];
for (const [name, given, status, text] of REFUSED)
  test(`of one ${name} are refused in plain text`, async () => {
    const response = await asked(given);
    assert.equal([response.status, await response.text()], [status, text]);
    assert.equal(
      [response.headers.get('content-type'), response.headers.get('x-content-type-options')],
      ['text/plain; charset=utf-8', 'nosniff'],
    );
    assert.equal(lamps.asked, []);
  });

test('end where servers lead to each other', async () => {
  const hops = (count: number) => ({ 'x-forwarded-for': Array.from({ length: count }, () => '10.0.0.1').join(', ') });
  assert.is((await asked({ headers: hops(32) })).status, 200);
  const response = await asked({ headers: hops(33) });
  assert.equal([response.status, await response.text()], [508, 'API servers lead to each other\n']);
  assert.is(lamps.asked.length, 1);
});

test('of a user whose name no header may hold reach nobody', async () => {
  const response = await asked({ user: { name: 'bob\r\nx-remote-group: system:masters' } });
  assert.is(response.status, 503);
  assert.match(await response.text(), /^error trying to reach service: Invalid character in header content/);
  assert.equal(lamps.asked, []);
});

test('keep redirects from clients unless a flag lets them pass', async () => {
  lamps.answer = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end();
  const kept = await asked({});
  assert.equal([kept.status, kept.headers.get('location'), kept.headers.get('x-content-type-options')], [502, null, null]);
  const passed = await asked({ refusesRedirects: false });
  assert.equal([passed.status, passed.headers.get('location')], [307, `https://127.0.0.1:${lamps.port}/elsewhere`]);
});

const PATHS: readonly [asked: string, passed: string][] = [
  ['/apis/lamps/v1/a%2Fb', '/apis/lamps/v1/a/b'],
  ['/apis/lamps/v1/a%25b%3Fc', '/apis/lamps/v1/a%25b%3Fc'],
  ['/apis/lamps/v1/%E2%82%AC', '/apis/lamps/v1/%E2%82%AC'],
  ['/apis/lamps/v1/%ff%2e', '/apis/lamps/v1/%FF.'],
  ['/apis/lamps/v1/x?b=2&a=1&a=0&b=%2B+%2520', '/apis/lamps/v1/x?a=1&a=0&b=2&b=%2B+%2520'],
  ['/apis/lamps/v1/x?watch', '/apis/lamps/v1/x?watch='],
];
for (const [from, to] of PATHS)
  test(`of ${from} are for ${to}`, async () => {
    await asked({ path: from });
    assert.is(lamps.asked[0]?.url, to);
  });

test('tell the path without steps and empty segments, which the request itself keeps', async () => {
  for (const path of ['/apis/lamps/v1//x/', '/apis/lamps/v1/%2E/x/', '/apis/lamps/v1/y/..%2Fx/']) await asked({ path });
  assert.equal(
    lamps.asked.map(({ headers }) => headers['x-forwarded-uri']),
    Array.from({ length: 3 }, () => '/apis/lamps/v1/x/'),
  );
  assert.is(lamps.asked[0]?.url, '/apis/lamps/v1//x/');
});

test('is told that it is not to be had where the certificate of the server has no name but its Common Name', async () => {
  const metrics = new Metrics(metricsData);
  const notes: string[] = [];
  const { certificate: cert, key } = authorities.ssl.leaf({
    subject: '/CN=lamps.default.svc',
    issuer: authorities.servers,
    usage: 'serverAuth',
  });
  const server = createServer({ cert, key }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const resolve = (): Address => ({ host: '127.0.0.1', port });
    const response = await asked({ resolve, metrics, annotate: (...note) => notes.push(note.join(': ')) });
    assert.is(response.status, 503);
    assert.match(await response.text(), /x509: certificate relies on legacy Common Name field, use SANs instead\n$/);
    assert.equal(notes, [
      'missing-san.invalid-cert.kubernetes.io/127.0.0.1: relies on a legacy Common Name field instead of the SAN extension for subject validation',
    ]);
    assert.match((await metrics.text()).body, /^apiserver_kube_aggregator_x509_missing_san_total 1$/m);
  } finally {
    server.close();
  }
});

test.run();
