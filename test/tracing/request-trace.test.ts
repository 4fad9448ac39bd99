/** Spans of one request: what is within what, and how much of it there may be. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Span, StatusCode } from '../../generated/node-interfaces/trace-collector.ts';
import { decodeWireMessage } from '../../runtime/schema/protobuf/wire-messages.ts';
import { ContinuedTrace } from '../../runtime/tracing/continued-trace.ts';
import { RequestTrace } from '../../runtime/tracing/request-trace.ts';
import { valuesOf } from '../harness/trace-collector.ts';

const TRACE_ID = Buffer.from('0af7651916cd43dd8448eb211c80319c', 'hex');

class Sink {
  readonly spans: Span[] = [];
  add(bytes: Uint8Array): void {
    this.spans.push(decodeWireMessage(Span, bytes));
  }
  named(name: string): Span {
    return this.spans.find((span) => span.name === name) as Span;
  }
}

function traceInto(sink: Sink, others: object = {}): RequestTrace {
  return new RequestTrace({ traceId: TRACE_ID, sink, auditId: 'id', name: 'root', attributes: { first: 'one' }, start: 5, ...others });
}

const parentOf = ({ parentSpanId }: Span): string => Buffer.from(parentSpanId).toString('hex');
const idOf = ({ spanId }: Span): string => Buffer.from(spanId).toString('hex');

const test = suite('the trace of a request');
test('parts are within each other, or beside each other', () => {
  const sink = new Sink();
  const trace = traceInto(sink);
  const outer = trace.enter('outer');
  const inner = trace.enter('inner', { n: 0, yes: false, text: '' });
  const [one, two] = [trace.current.begin('one'), trace.current.begin('two')];
  two.end();
  one.end();
  assert.is(trace.current, inner);
  inner.end();
  assert.is(trace.current, outer);
  outer.end();
  outer.end();
  trace.end();
  assert.equal(
    sink.spans.map(({ name }) => name),
    ['two', 'one', 'inner', 'outer', 'root'],
  );
  const root = sink.named('root');
  assert.is(parentOf(root), '');
  assert.is(parentOf(sink.named('outer')), idOf(root));
  assert.is(parentOf(sink.named('inner')), idOf(sink.named('outer')));
  for (const name of ['one', 'two']) assert.is(parentOf(sink.named(name)), idOf(sink.named('inner')));
  assert.equal(valuesOf(sink.named('inner').attributes), { n: 0, yes: false, text: '' });
  for (const span of sink.spans) assert.equal(Buffer.from(span.traceId), TRACE_ID);
  assert.is(root.startTimeUnixNano, BigInt(Math.round((performance.timeOrigin + 5) * 1_000)) * 1_000n);
});
test('what happened before, and what happens at the end, is said of a part as well', () => {
  const sink = new Sink();
  const trace = traceInto(sink);
  const span = trace.enter('part');
  span.event('before', undefined, 5);
  span.atEnd('at the end');
  span.event('now');
  trace.end();
  const { events } = sink.named('part');
  assert.equal(
    events.map(({ name }) => name),
    ['before', 'now', 'at the end'],
  );
  assert.is(events[0]?.timeUnixNano, BigInt(Math.round((performance.timeOrigin + 5) * 1_000)) * 1_000n);
});
test('what another thread has begun has parts here', () => {
  const sink = new Sink();
  const trace = traceInto(sink);
  const outer = trace.enter('outer');
  const elsewhere = trace.at('00f067aa0ba902b7');
  assert.is(elsewhere.id, '00f067aa0ba902b7');
  const here = elsewhere.begin('here', { n: 1 });
  assert.is(trace.current, outer);
  here.begin('below').end();
  here.end();
  trace.end();
  assert.is(parentOf(sink.named('here')), '00f067aa0ba902b7');
  assert.is(parentOf(sink.named('below')), here.id);
  assert.is(here.id, idOf(sink.named('here')));
});
test('a call of a service is a part, of which the service alone is told', () => {
  const sink = new Sink();
  const trace = traceInto(sink, { baggage: 'tenant=blue' });
  const outer = trace.enter('outer');
  const failed = outer.beginServiceCall('/v2.Service/Method', { 'transformer.provider.name': 'p' });
  failed.end('DeadlineExceeded', 'rpc error: code = DeadlineExceeded desc = too late');
  outer.beginServiceCall('/v2.Service/Method', {}).end('of no such kind');
  trace.end();
  const [first, second] = sink.spans;
  assert.ok(first);
  assert.is(first.name, 'v2.Service/Method');
  assert.is(parentOf(first), idOf(sink.named('outer')));
  assert.equal(failed.headers, { traceparent: `00-${TRACE_ID.toString('hex')}-${idOf(first)}-01` });
  assert.equal(valuesOf(first.attributes), {
    'rpc.system': 'grpc',
    'rpc.service': 'v2.Service',
    'rpc.method': 'Method',
    'transformer.provider.name': 'p',
    'rpc.grpc.status_code': 4,
  });
  assert.is(first.status?.code, StatusCode.STATUS_CODE_ERROR);
  assert.is(first.status?.message, 'too late');
  assert.is(valuesOf(second?.attributes ?? [])['rpc.grpc.status_code'], 2);
  assert.is.not(second?.status?.code, StatusCode.STATUS_CODE_ERROR);
});
test('the end of a request ends what is under way, once', () => {
  const sink = new Sink();
  const trace = traceInto(sink);
  const open = trace.enter('outer');
  trace.enter('inner');
  trace.end();
  open.event('too late');
  open.set({ late: true });
  open.end();
  assert.equal(
    sink.spans.map(({ name }) => name),
    ['inner', 'outer', 'root'],
  );
  assert.equal(sink.named('outer').events, []);
});
test('one part that ends before those within it is no longer the current one', async () => {
  const sink = new Sink();
  const trace = traceInto(sink);
  await trace.during('work', undefined, async () => assert.is.not(trace.current, trace.root));
  assert.is(trace.current, trace.root);
  await trace
    .during('failing work', { a: 1 }, () => Promise.reject(new Error('no')))
    .then(
      () => assert.unreachable(),
      () => {},
    );
  assert.is(trace.current, trace.root);
  assert.is(sink.spans.length, 2);
});
test('attributes, events and texts have bounds, and what is left out is counted', () => {
  const sink = new Sink();
  const trace = traceInto(sink);
  trace.current.set(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, i])));
  for (let i = 0; i < 150; i++) trace.current.event(`e${i}`, { text: 'x'.repeat(5_000) });
  trace.end();
  const [root] = sink.spans as [Span];
  assert.is(root.attributes.length, 128);
  assert.is(root.droppedAttributesCount, 73);
  assert.is(root.events.length, 128);
  assert.is(root.droppedEventsCount, 22);
  assert.is((valuesOf(root.events[0]?.attributes ?? []).text as string).length, 4_096);
});
test('a call to another server says who asks, and how it ended', () => {
  const sink = new Sink();
  const trace = traceInto(sink, { baggage: 'a=b' });
  const url = new URL('https://user:secret@hook.example/path?timeout=5s');
  const elsewhere = new URL('https://hook.example:8443/path');
  const calls = [
    trace.current.beginCall('POST', url, 'größe'),
    trace.current.beginCall('POST', elsewhere, 0),
    trace.current.beginCall('GET', url, 5),
  ];
  calls[0]?.end(200, 12);
  calls[1]?.end(404);
  calls[2]?.end(new Error('gone'));
  const [well, refused, failed] = sink.spans as [Span, Span, Span];
  assert.equal(calls[0]?.headers, { traceparent: `00-${TRACE_ID.toString('hex')}-${idOf(well)}-01`, baggage: 'a=b' });
  assert.equal(valuesOf(well.attributes), {
    'http.method': 'POST',
    'http.url': 'https://hook.example/path?timeout=5s',
    'net.peer.name': 'hook.example',
    'http.request_content_length': 7,
    'http.status_code': 200,
    'http.response_content_length': 12,
  });
  assert.equal(valuesOf(refused.attributes), {
    'http.method': 'POST',
    'http.url': 'https://hook.example:8443/path',
    'net.peer.name': 'hook.example',
    'net.peer.port': 8443,
    'http.status_code': 404,
  });
  assert.is(valuesOf(failed.attributes)['http.request_content_length'], 5);
  assert.is(well.status, undefined);
  assert.equal(refused.status, { code: StatusCode.STATUS_CODE_ERROR, message: '' });
  assert.equal(failed.status, { code: StatusCode.STATUS_CODE_ERROR, message: 'gone' });
});
test('another thread goes on with it', () => {
  const sink = new Sink();
  const trace = traceInto(sink);
  const outer = trace.enter('outer');
  const there = new ContinuedTrace(structuredClone(trace.place));
  there.begin({ id: 'x'.repeat(100), received: performance.now() }).enter('far');
  trace.adopt(structuredClone(there.end()));
  outer.end();
  trace.end();
  const far = sink.named('far');
  assert.equal(Buffer.from(far.traceId), TRACE_ID);
  const entry = sink.named('Answer on another thread');
  assert.is(parentOf(far), idOf(entry));
  assert.is(parentOf(entry), idOf(sink.named('outer')));
});
test.run();
