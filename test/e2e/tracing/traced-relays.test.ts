/** Traces of requests that are passed on to the agent of a node: until the connection ends, and with what the client says of its own trace, as in 1.32. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { startAgentCluster } from '../../harness/agent-cluster.ts';
import { authority } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { connect } from '../../harness/raw.ts';
import { TraceCollector } from '../../harness/trace-collector.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'traced-relays-'));
const collector = await new TraceCollector().listen();
const file = path.join(folder, 'tracing.json');
writeFileSync(
  file,
  JSON.stringify({
    kind: 'TracingConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    endpoint: collector.endpoint,
    samplingRatePerMillion: 1_000_000,
  }),
);
const { server, agent, client, pod, ...cluster } = await startAgentCluster({
  flags: [`--tracing-config-file=${file}`],
  // spans need not wait for others
  env: { OTEL_BSP_SCHEDULE_DELAY: '20' },
});
const test = suite('traces of relays');
test.before.each(() => {
  agent.asked.length = 0;
  agent.misbehaviour = undefined;
});
test.after(async () => {
  await cluster.stop();
  collector.stop();
  rmSync(folder, { recursive: true });
});

const CHAIN = ['authentication', 'impersonation', 'priorityandfairness', 'authorization'];
const OF_CLIENT = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=opaque',
  baggage: 'tenant=blue',
};
let asked = 0;
const newHeaders = () => ({ authorization: `Bearer ${server.tokens.admin}`, 'audit-id': `relay-${asked++}`, ...OF_CLIENT });
type Headers = ReturnType<typeof newHeaders>;

/** Begins a connection that has switched. @returns ends it */
type Open = (target: string, headers: Headers) => Promise<() => void>;

const overSpdy: Open = async (target, headers) => {
  const socket = await connect(server);
  const all = { host: 'x', connection: 'Upgrade', upgrade: 'SPDY/3.1', 'content-length': '0', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [head] = await once(socket, 'data');
  assert.match(String(head), /^HTTP\/1\.1 101 /);
  return () => socket.destroy();
};
const overWebSocket =
  (protocol: string): Open =>
  async (target, headers) => {
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}${target}`, [protocol], { headers, ca: authority(server) });
    await once(socket, 'open');
    return () => socket.terminate();
  };

const node = '/api/v1/nodes/near';
const ofPod = (subresource: string) => `/api/v1/namespaces/{:namespace}/pods/{:name}/${subresource}`;
const OF_NOBODY = { traceparent: undefined, tracestate: undefined, baggage: undefined };
/** Commands that are translated go to the agent in a request of this server's own, which has no headers of the client. */
const cases: readonly [title: string, target: string, open: Open, root: string, told?: object][] = [
  ['exec in SPDY', `${pod('one')}/exec?command=cat&stdin=1`, overSpdy, `POST ${ofPod('exec')}`],
  ['exec over WebSocket', `${pod('one')}/exec?command=cat&stdin=1`, overWebSocket('v4.channel.k8s.io'), `GET ${ofPod('exec')}`],
  [
    'exec that is translated',
    `${pod('one')}/exec?command=cat&stdin=1`,
    overWebSocket('v5.channel.k8s.io'),
    `GET ${ofPod('exec')}`,
    OF_NOBODY,
  ],
  ['attach', `${pod('one')}/attach?stdin=1`, overSpdy, `POST ${ofPod('attach')}`],
  ['portforward', `${pod('one')}/portforward`, overSpdy, `POST ${ofPod('portforward')}`],
  [
    'proxy of a protocol',
    `${node}/proxy/exec/default/one/main?command=cat&input=1`,
    overWebSocket('v4.channel.k8s.io'),
    'GET /api/v1/nodes/{:name}/proxy',
  ],
];
for (const [title, target, open, name, expected = OF_CLIENT] of cases)
  test(`${title} is one span until its connection ends, and the agent is told ${expected === OF_CLIENT ? 'what the client says' : 'nothing of it'}`, async () => {
    const headers = newHeaders();
    const end = await open(target, headers);
    await eventually('the agent is asked', () => agent.asked.length > 0);
    const [told] = agent.asked;
    const { traceparent, tracestate, baggage } = told?.headers ?? {};
    assert.equal({ traceparent, tracestate, baggage }, expected);
    const another = newHeaders();
    await client.get('/livez', another);
    await collector.request(another['audit-id']);
    assert.not(collector.spans.some(({ attributes }) => attributes['audit-id'] === headers['audit-id'] && 'http.method' in attributes));
    end();
    const root = await collector.request(headers['audit-id']);
    assert.is(root.name, name);
    assert.is(root.attributes['http.status_code'], 101);
    assert.is(root.attributes['http.target'], target);
    assert.is(root.raw.status, undefined);
    assert.equal(
      collector.trace(root.traceId).map((span) => span.name),
      [name, ...CHAIN],
    );
  });

test('a request that is passed on is one span until its answer has ended, and the agent is told what the client says', async () => {
  agent.answer = (_, response) => response.writeHead(418).end('short and stout');
  const headers = newHeaders();
  const { status, text } = await client.get(`${node}/proxy/teapot`, headers);
  assert.equal([status, text], [418, 'short and stout']);
  const root = await collector.request(headers['audit-id']);
  assert.equal(
    [root.name, root.attributes['http.status_code'], root.attributes['http.response_content_length']],
    ['GET /api/v1/nodes/{:name}/proxy', 418, 15],
  );
  assert.equal(
    collector.trace(root.traceId).map(({ name }) => name),
    [root.name, ...CHAIN],
  );
  const { traceparent, tracestate, baggage } = agent.asked[0]?.headers ?? {};
  assert.equal({ traceparent, tracestate, baggage }, OF_CLIENT);
});

test('an agent that breaks off is a fault of the request', async () => {
  const headers = newHeaders();
  agent.misbehaviour = (_, socket) => {
    socket.destroy();
    return true;
  };
  assert.is((await client.get(`${node}/proxy/x`, headers)).status, 503);
  const root = await collector.request(headers['audit-id']);
  assert.is(root.raw.status?.code, 2);
});

test('a log is got, until its last line is out', async () => {
  const headers = newHeaders();
  await client.get(`${pod('one')}/log`, headers);
  const root = await collector.request(headers['audit-id']);
  const [get] = collector.spans.filter(({ parentId, name }) => parentId === root.spanId && name === 'Get');
  assert.equal(get?.events, [
    'About to process Get options',
    'About to Get from storage',
    'About to write a response',
    'Writing http response done',
  ]);
  assert.is(get?.attributes.subresource, 'log');
  // the agent is told nothing, as in 1.32
  assert.is(agent.asked[0]?.headers.traceparent, undefined);
  const refused = newHeaders();
  await client.get(`${pod('one')}/log?tailLines=x`, refused);
  const { traceId } = await collector.request(refused['audit-id']);
  assert.equal(collector.trace(traceId).find(({ name }) => name === 'Get')?.events, [
    'About to process Get options',
    'About to Get from storage',
  ]);
});

test.run();
