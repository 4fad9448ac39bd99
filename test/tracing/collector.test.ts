/** What is sent to collectors, and what happens where they do not take it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InterfaceError } from '../../runtime/node-agent/grpc/interface-error.ts';
import { Collector } from '../../runtime/tracing/collector.ts';
import { RequestTrace } from '../../runtime/tracing/request-trace.ts';
import { eventually } from '../harness/eventually.ts';
import { TraceCollector, valuesOf } from '../harness/trace-collector.ts';

const { signal } = new AbortController();
const collector = await new TraceCollector().listen();
const client = new Collector({
  endpoint: collector.endpoint,
  resource: ['service.name', 'apiserver'],
  scope: { name: 'test', version: '1' },
  headers: { 'x-tenant': 'blue' },
  firstWait: 10,
});

function spans(): Buffer[] {
  const made: Buffer[] = [];
  const options = { traceId: Buffer.alloc(16, 1), auditId: '', name: 'a request', attributes: {}, start: 0 };
  const trace = new RequestTrace({ ...options, sink: { add: (span) => void made.push(span) } });
  trace.enter('a part');
  trace.end();
  return made;
}

const test = suite('sending to a collector');
test.before.each(() => {
  collector.behaviour = 'take';
  collector.calls = 0;
  collector.spans.length = 0;
});
test.after(() => {
  client.close();
  collector.stop();
});
test('spans arrive, with whose they are', async () => {
  await client.send(spans(), signal);
  assert.equal(
    collector.spans.map(({ name }) => name),
    ['a part', 'a request'],
  );
  assert.equal(valuesOf(collector.resources.at(-1)?.attributes ?? []), { 'service.name': 'apiserver' });
  assert.equal(collector.metadata.at(-1)?.get('x-tenant'), ['blue']);
});
test('a batch is sent again where that may help', async () => {
  collector.behaviour = 'unavailable';
  const sending = client.send(spans(), signal);
  await eventually('it is called twice', () => collector.calls >= 2);
  collector.behaviour = 'take';
  await sending;
  assert.is(collector.spans.length, 2);
});
test('and not where it does not', async () => {
  collector.behaviour = 'refuse';
  await client.send(spans(), signal).then(
    () => assert.unreachable(),
    (error: unknown) => assert.is((error as InterfaceError).code, 'INVALID_ARGUMENT'),
  );
  assert.is(collector.calls, 1);
});
test('is given up when nobody waits any longer', async () => {
  for (const behaviour of ['hang', 'unavailable'] as const) {
    collector.behaviour = behaviour;
    collector.calls = 0;
    const ending = new AbortController();
    const sending = client.send(spans(), ending.signal);
    await eventually('it is called', () => collector.calls >= 1);
    ending.abort();
    await sending.then(
      () => assert.unreachable(),
      (error: unknown) => assert.instance(error, InterfaceError),
    );
  }
});
test.run();
