/** How traces leave a server, and that nobody waits for it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EmbeddedServer } from '../../../runtime/embedded/start-server.ts';
import { Client } from '../../harness/client.ts';
import { startServer as startProgram } from '../../harness/server.ts';
import { TraceCollector } from '../../harness/trace-collector.ts';
import { MAPS, TracedServers } from '../../harness/traced-servers.ts';

const traced = await TracedServers.start();
const test = suite('the export of traces');
test.after(() => traced.stop());

async function dropped(at: EmbeddedServer): Promise<Record<string, number>> {
  const { text } = await traced.ask('GET', '/metrics', { at });
  const rows = [...text.matchAll(/^apiserver_tracing_dropped_spans_total\{reason="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(rows.map(([, reason, count]) => [reason, Number(count)]));
}

test('nobody waits for a collector that refuses, is busy or hangs: spans are dropped and counted', async () => {
  process.env.OTEL_BSP_MAX_QUEUE_SIZE = '64';
  const outcomes = { refuse: 'not_taken', unavailable: 'queue_full', hang: 'queue_full' } as const;
  const tried = Object.entries(outcomes).map(async ([behaviour, reason]) => {
    const own = await new TraceCollector().listen();
    own.behaviour = behaviour as keyof typeof outcomes;
    const at = await traced.another({ 'tracing-config-file': traced.configuration({ endpoint: `dns:///${own.endpoint}` }) });
    // of each request there are eight spans
    for (let i = 0; i < 40; i++) assert.is((await traced.ask('GET', `${MAPS}/none`, { at })).status, 404);
    const counts = await dropped(at);
    assert.ok((counts[reason] ?? 0) > 0, `${behaviour}: ${JSON.stringify(counts)}`);
    assert.ok(own.calls > 0);
    await at.stop();
    own.stop();
  });
  try {
    await Promise.all(tried);
  } finally {
    delete process.env.OTEL_BSP_MAX_QUEUE_SIZE;
  }
});

test('a collector that comes later gets what ends from then on', async () => {
  const own = await new TraceCollector().listen();
  own.stop();
  const at = await traced.another({ 'tracing-config-file': traced.configuration({ endpoint: own.endpoint }) });
  await traced.ask('GET', '/livez', { at });
  await own.listen();
  const until = Date.now() + 30_000;
  while (own.spans.length === 0 && Date.now() < until)
    await traced.ask('GET', '/livez', { at }).then(() => new Promise((resolve) => setTimeout(resolve, 50)));
  assert.ok(own.spans.some(({ name }) => name === 'GET'));
  await at.stop();
  own.stop();
});

test('a server that ends sends what it has', () =>
  traced.delaying(600_000, async () => {
    const at = await traced.another({ 'tracing-config-file': traced.configuration() });
    const done = await traced.ask('GET', `${MAPS}/none`, { at });
    assert.not(traced.collector.spans.some(({ attributes }) => attributes['audit-id'] === done.id));
    await at.stop();
    assert.is((await traced.collector.request(done.id)).name, 'GET /api/v1/namespaces/{:namespace}/configmaps/{:name}');
  }));

test('each of several processes sends its own', async () => {
  const program = await startProgram({
    dialect: 'cluster',
    flags: ['--workers=2', `--tracing-config-file=${traced.configuration({ apiVersion: 'apiserver.config.cluster.io/v1beta1' })}`],
  });
  const clients = Array.from({ length: 8 }, () => new Client(program));
  try {
    const ids = await Promise.all(
      clients.map(async (client, index) => {
        const id = `worker-${index}`;
        assert.is((await client.get('/api/v1/namespaces/default', { 'audit-id': id })).status, 200);
        return id;
      }),
    );
    for (const id of ids) assert.is((await traced.collector.request(id)).name, 'GET /api/v1/namespaces/{:namespace}/namespaces/{:name}');
    const { text } = await (clients[0] as Client).get('/metrics');
    assert.match(text, /^apiserver_tracing_exported_spans_total [1-9]/m);
  } finally {
    for (const client of clients) client.close();
    assert.is(await program.stop(), 0);
  }
});

const wrong: [name: string, flags: () => object, message: RegExp][] = [
  ['a file that is not there', () => ({ 'tracing-config-file': '/none/tracing.yaml' }), /\/none\/tracing\.yaml/],
  [
    'wrong settings',
    () => ({ 'tracing-config-file': traced.configuration({ samplingRatePerMillion: 1_000_001 }) }),
    /\.json: samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million/,
  ],
  [
    'a closed gate',
    () => ({ 'tracing-config-file': traced.configuration(), 'feature-gates': { APIServerTracing: false } }),
    /--tracing-config-file.*APIServerTracing/,
  ],
];
for (const [name, flags, message] of wrong)
  test(`a start fails for ${name}`, async () => {
    let failure: Error | undefined;
    await traced.another(flags()).catch((error: Error) => {
      failure = error;
    });
    assert.match(failure?.message ?? 'it has started', message);
  });
test.run();
