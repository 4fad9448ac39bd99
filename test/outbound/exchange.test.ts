/** Which way requests to other servers go. */
import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { ExchangeError, ExchangeTimeout, type Peer, PeerConnection } from '../../runtime/outbound/exchange.ts';
import { RequestFigures } from '../../runtime/outbound/request-figures.ts';

/** Targets of the requests that came, as the first line says them. */
const asked: string[] = [];
const listener = createServer((request, response) => {
  asked.push(request.url ?? '');
  if (request.url?.endsWith('/silent')) return;
  if (request.url?.endsWith('/broken')) {
    response.writeHead(200, { 'content-length': 100 }).write('y');
    setTimeout(() => response.destroy(), 10);
    return;
  }
  response.end('y'.repeat(1_000));
}).listen(0, '127.0.0.1');
await once(listener, 'listening');
const { port } = listener.address() as AddressInfo;

async function ask(peer: Peer, limits: { timeout?: number; maxBytes?: number; signal?: AbortSignal } = {}): Promise<number> {
  const connection = new PeerConnection(peer);
  try {
    const { body } = await connection.exchange({ method: 'GET', timeout: 5_000, maxBytes: 10_000, ...limits });
    return body.length;
  } finally {
    connection.close();
  }
}

const test = suite('requests to other servers');
test.before.each(() => {
  asked.length = 0;
  process.env.HTTP_PROXY = `http://127.0.0.1:${port}`;
});
test.after(() => {
  delete process.env.HTTP_PROXY;
  listener.close();
});
test('go by the proxy of the environment', async () => {
  assert.is(await ask({ server: 'http://issuer.example/keys' }), 1_000);
  assert.equal(asked, ['http://issuer.example/keys']);
});
test('go by themselves to this machine, and where no proxy is wanted', async () => {
  await ask({ server: `http://127.0.0.1:${port}/keys` });
  const lookup: NonNullable<Peer['lookup']> = (_host, { all }, found) =>
    all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4);
  await ask({ server: `http://hook.example:${port}/x`, proxy: '', lookup });
  assert.equal(asked, ['/keys', '/x']);
});
test('end in time, and take no more than they may', async () => {
  const outcome = (path: string, limits: object) =>
    ask({ server: `http://127.0.0.1:${port}${path}` }, limits).catch((error: unknown) => error);
  assert.instance(await outcome('/silent', { timeout: 100 }), ExchangeTimeout);
  const large = await outcome('/', { maxBytes: 999 });
  assert.instance(large, ExchangeError);
  assert.match((large as Error).message, /the answer is larger than 999 bytes/);
});
test('end with the signal, and say why', async () => {
  const server = `http://127.0.0.1:${port}/silent`;
  const reason = new Error('nobody waits');
  const ending = new AbortController();
  setTimeout(() => ending.abort(reason), 20);
  const outcome = (signal: AbortSignal) => ask({ server }, { signal }).catch((error: unknown) => error);
  assert.is(await outcome(ending.signal), reason);
  assert.is(await outcome(AbortSignal.abort(reason)), reason);
});
test('leave nothing on a signal that many share', async () => {
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 20 }, () => ask({ server: `http://127.0.0.1:${port}/` }, { signal })));
  assert.is(getEventListeners(signal, 'abort').length, 0);
});
for (const [name, mayAsk, tokens, status] of [
  ['a new one', true, ['Bearer 1', 'Bearer 2'], 200],
  ['no other one', false, ['Bearer 1'], 401],
] as const)
  test(`that are refused with 401 are repeated once, where there is ${name}`, async () => {
    const seen: (string | undefined)[] = [];
    const guarded = createServer(({ headers }, response) => {
      seen.push(headers.authorization);
      response.writeHead(headers.authorization === 'Bearer 2' ? 200 : 401).end('{}');
    }).listen(0, '127.0.0.1');
    await once(guarded, 'listening');
    let given = 1;
    const credentials = {
      get: async () => ({ authorization: `Bearer ${given}` }),
      refused: () => {
        given++;
        return mayAsk;
      },
    };
    const server = `http://127.0.0.1:${(guarded.address() as AddressInfo).port}/`;
    const connection = new PeerConnection({ server, credentials });
    try {
      assert.is((await connection.exchange({ method: 'POST', body: {}, timeout: 5_000, maxBytes: 100 })).status, status);
      assert.equal(seen, [...tokens]);
    } finally {
      connection.close();
      guarded.close();
    }
  });
test('are asked again where the same server wants them', async () => {
  const seen: string[] = [];
  const leading = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    seen.push(`${request.method} ${request.url} ${body}`);
    const [, status, location] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
    if (location === undefined) response.end('{}');
    else response.writeHead(Number(status), { location: location === '/loop' ? (request.url as string) : location }).end();
  }).listen(0, '127.0.0.1');
  await once(leading, 'listening');
  const server = `http://127.0.0.1:${(leading.address() as AddressInfo).port}`;
  const connection = new PeerConnection({ server, proxy: '' });
  const post = (path: string) =>
    connection.exchange({ method: 'POST', url: new URL(path, server), body: 1, timeout: 5_000, maxBytes: 100 });
  const get = (path: string) => connection.exchange({ method: 'GET', url: new URL(path, server), timeout: 5_000, maxBytes: 100 });
  try {
    assert.is((await post('/307/308/end')).status, 200);
    assert.equal(seen.splice(0), ['POST /307/308/end 1', 'POST /308/end 1', 'POST /end 1']);
    // GET is none of the answers to what is posted, and nobody else is told what this server is asked
    for (const path of ['/301/end', '/302/end', '/303/end', `/307//127.0.0.1:${port}/end`])
      assert.is((await post(path)).status, Number(path.slice(1, 4)));
    assert.is(seen.splice(0).length, 4);
    // who reads decides whether to read elsewhere, and where a location without a host leads from
    assert.is((await get('/307/end')).status, 307);
    assert.is(seen.splice(0).length, 1);
    const error = await post('/308/loop').catch((thrown: unknown) => thrown);
    assert.instance(error, ExchangeError);
    assert.is((error as Error).message, 'stopped after 10 redirects');
    assert.is(seen.length, 10);
    assert.equal(asked, []);
  } finally {
    connection.close();
    leading.close();
  }
});
test('fail where the answer ends too early', async () => {
  const broken = await ask({ server: `http://127.0.0.1:${port}/broken` }).catch((error: unknown) => error);
  assert.instance(broken, ExchangeError);
  assert.match((broken as Error).message, /aborted/);
});
test('are counted by the host as it is written, with what was sent and answered', async () => {
  const metrics = new Metrics(metricsData);
  const server = `http://127.0.0.1:${port}`;
  await ask({ server: `${server}/keys?a=b`, metrics });
  assert.instance(await ask({ server: `${server}/silent`, metrics }, { timeout: 50 }).catch((error) => error), ExchangeTimeout);
  const { values, histograms } = metrics.figures();
  const host = `127.0.0.1:${port}`;
  assert.equal(values.rest_client_requests_total, [
    { labels: { code: '200', host, method: 'GET' }, value: 1 },
    { labels: { code: '<error>', host, method: 'GET' }, value: 1 },
  ]);
  const of = (name: string) => histograms[name]?.map(({ labels, counts, sum }) => [labels, counts.reduce((a, b) => a + b), sum]);
  assert.equal(of('rest_client_request_size_bytes'), [[{ host, verb: 'GET' }, 2, 0]]);
  assert.equal(of('rest_client_response_size_bytes'), [[{ host, verb: 'GET' }, 1, 1_000]]);
  assert.equal(of('rest_client_request_duration_seconds')?.[0]?.[1], 2);
});
for (const [server, host] of [
  ['https://hook.default.svc:443/a', 'hook.default.svc:443'],
  ['https://user:password@example.com?x', 'example.com'],
  ['https://[::1]:8443', '[::1]:8443'],
] as const)
  test(`to ${server} count under ${host}`, () => {
    const metrics = new Metrics(metricsData);
    new RequestFigures(metrics, server).begin('POST', 3).failed();
    assert.equal(metrics.figures().values.rest_client_requests_total?.[0]?.labels.host, host);
  });

test.run();
