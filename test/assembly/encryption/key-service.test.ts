/** Calls of a key management service where they are traced: what is recorded of them, and what the service is told. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { status } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Span, SpanKind, StatusCode } from '../../../generated/node-interfaces/trace-collector.ts';
import { EncryptionFigures } from '../../../runtime/assembly/encryption/encryption-figures.ts';
import { KeyService } from '../../../runtime/assembly/encryption/key-service.ts';
import type { CallTracing } from '../../../runtime/assembly/encryption/key-service-client.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { decodeWireMessage } from '../../../runtime/schema/protobuf/wire-messages.ts';
import { withinPart } from '../../../runtime/storage/traced-part.ts';
import { RequestTrace } from '../../../runtime/tracing/request-trace.ts';
import { ServiceCalls } from '../../../runtime/tracing/service-calls.ts';
import { TraceIds } from '../../../runtime/tracing/trace-ids.ts';
import { HOUR, withMachineClock } from '../../harness/machine-clock.ts';
import { valuesOf } from '../../harness/trace-collector.ts';
import type { ServiceData, Told } from './service-thread.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'key-service-calls-'));
const socket = path.join(folder, 'kms.sock');

const failing = new Int32Array(new SharedArrayBuffer(4));
/** What callers have sent with their calls. */
const told: Told[] = [];
const thread = new Worker(new URL('./service-thread.ts', import.meta.url), { workerData: { socket, failing } satisfies ServiceData });
await once(thread, 'message');
thread.on('message', (each: Told | null) => {
  if (each !== null) told.push(each);
});

const spans: Span[] = [];
const calls = (perMillion: number): CallTracing => ({
  tracer: new ServiceCalls(new TraceIds(perMillion), { add: (span) => void spans.push(decodeWireMessage(Span, span)) }),
});

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const services: KeyService[] = [];
const serviceWith = (tracing: CallTracing): KeyService => {
  const configuration = { apiVersion: 'v2', name: 'tested', endpoint: `unix://${socket}`, timeout: '5s' };
  const service = new KeyService(configuration, { log: quiet, figures: new EncryptionFigures(), tracing });
  services.push(service);
  return service;
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const parentTold = (method: string): string | undefined => told.find((each) => each.path === method)?.traceparent;
const attributes = (method: string, code: number) => ({
  'rpc.system': 'grpc',
  'rpc.service': 'v2.KeyManagementService',
  'rpc.method': method,
  'transformer.provider.name': 'tested',
  'rpc.grpc.status_code': code,
});

const test = suite('calls of a key management service');
test.before.each(async () => {
  Atomics.store(failing, 0, 0);
  await allTold();
  told.length = 0;
  spans.length = 0;
});
// one whose look has failed looks again by itself, which is no matter of the next test
test.after.each(() => {
  for (const each of services.splice(0)) each.close();
});
test.after(async () => {
  await thread.terminate();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits for what the service tells of calls of the test before, of which nobody may have waited for all. */
async function allTold(): Promise<void> {
  thread.postMessage('');
  while ((await once(thread, 'message'))[0] !== null);
}

/** Waits until the service has told of all calls of a test, for what it tells comes behind its answers. */
async function toldOf(count: number): Promise<void> {
  while (told.length < count) await once(thread, 'message');
  assert.is(told.length, count);
}

/** A value, and whoever has not seen its seed. */
async function asksAll(tracing: CallTracing): Promise<void> {
  const writer = serviceWith(tracing);
  assert.is(await writer.look(), undefined);
  const encrypted = Buffer.concat(writer.encrypt(Buffer.from('plain'), 'key'));
  assert.is(serviceWith(tracing).decrypt(encrypted, 'key').text.toString(), 'plain');
  await toldOf(3);
}

test('each is a trace of its own, of which the service is told', async () => {
  await asksAll(calls(1_000_000));
  assert.equal(
    spans.map(({ name }) => name),
    ['Status', 'Encrypt', 'Decrypt'].map((method) => `v2.KeyManagementService/${method}`),
  );
  for (const [index, method] of ['Status', 'Encrypt', 'Decrypt'].entries()) {
    const span = spans[index] as Span;
    assert.is(span.kind, SpanKind.SPAN_KIND_CLIENT);
    assert.is(span.parentSpanId.length, 0);
    assert.equal(valuesOf(span.attributes), attributes(method, status.OK));
    assert.is.not(span.status?.code, StatusCode.STATUS_CODE_ERROR);
    assert.ok(span.endTimeUnixNano >= span.startTimeUnixNano);
    assert.is(parentTold(`/${span.name}`), `00-${hex(span.traceId)}-${hex(span.spanId)}-01`);
  }
  assert.is(new Set(spans.map(({ traceId }) => hex(traceId))).size, 3);
});

test('one that fails says why, with the code of gRPC', async () => {
  const tracing = calls(1_000_000);
  const writer = serviceWith(tracing);
  await writer.look();
  const encrypted = Buffer.concat(writer.encrypt(Buffer.from('plain'), 'key'));
  spans.length = 0;
  Atomics.store(failing, 0, status.FAILED_PRECONDITION);
  const other = serviceWith(tracing);
  assert.match(String(await other.look()), 'not open');
  assert.throws(() => other.decrypt(encrypted, 'key'), /^failed to decrypt DEK, error: rpc error: code = FailedPrecondition/);
  // not asked again so soon
  assert.throws(() => other.decrypt(encrypted, 'key'), /FailedPrecondition/);
  await toldOf(4);
  assert.is(spans.length, 2);
  for (const [index, method] of ['Status', 'Decrypt'].entries()) {
    const span = spans[index] as Span;
    assert.equal(valuesOf(span.attributes), attributes(method, status.FAILED_PRECONDITION));
    assert.is(span.status?.code, StatusCode.STATUS_CODE_ERROR);
    assert.is(span.status?.message, 'not open');
  }
});

test('a service that has failed is asked again after its second where the clock is set back meanwhile', () =>
  withMachineClock(async (clock) => {
    const writer = serviceWith({});
    await writer.look();
    const encrypted = Buffer.concat(writer.encrypt(Buffer.from('plain'), 'key'));
    Atomics.store(failing, 0, status.FAILED_PRECONDITION);
    const reader = serviceWith({});
    assert.throws(() => reader.decrypt(encrypted, 'key'), /FailedPrecondition/);
    Atomics.store(failing, 0, 0);
    clock.set(-6 * HOUR);
    clock.pass(1_000);
    assert.is(reader.decrypt(encrypted, 'key').text.toString(), 'plain');
    await toldOf(4);
  }));

test('of those that are not recorded the service is told so', async () => {
  await asksAll(calls(0));
  assert.equal(spans, []);
  for (const method of ['Status', 'Encrypt', 'Decrypt'])
    assert.match(String(parentTold(`/v2.KeyManagementService/${method}`)), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
});

test('where nothing is traced it is told nothing', async () => {
  await asksAll({});
  for (const { traceparent } of told) assert.is(traceparent, undefined);
});

const TO_STORAGE = 'TransformToStorage with envelopeTransformer';
const FROM_STORAGE = 'TransformFromStorage with envelopeTransformer';
const ENCRYPTED = [
  'About to encrypt data using DEK',
  'Data encryption succeeded',
  'About to encode encrypted object',
  'Encoded encrypted object',
];
const DECODED = ['About to decode encrypted object', 'Decoded encrypted object'];
const DECRYPTED = ['About to decrypt data using DEK', 'Data decryption succeeded'];

/** What a request's trace has of the work, in the order in which it ends. */
function tracedWork(work: () => unknown): readonly Span[] {
  const own: Span[] = [];
  const sink = { add: (span: Buffer) => void own.push(decodeWireMessage(Span, span)) };
  const trace = new RequestTrace({ traceId: Buffer.alloc(16, 1), sink, auditId: 'id', name: 'root', attributes: {}, start: 0 });
  try {
    withinPart(trace.root, work);
  } catch {
    // the trace says it
  }
  trace.end();
  return own;
}
const eventsOf = (span: Span | undefined): string[] => (span?.events ?? []).map(({ name }) => name);

test('what a traced request encrypts and decrypts is a part of its trace, and so is what the service is asked for that', async () => {
  const writer = serviceWith({});
  await writer.look();
  let encrypted = Buffer.alloc(0);
  const [sealing, root, ...none] = tracedWork(() => {
    encrypted = Buffer.concat(writer.encrypt(Buffer.from('plain'), 'key'));
  });
  assert.equal(none, []);
  assert.is(sealing?.name, TO_STORAGE);
  assert.equal(hex(sealing?.parentSpanId ?? Buffer.alloc(0)), hex(root?.spanId ?? Buffer.alloc(1)));
  assert.equal(valuesOf(sealing?.attributes ?? []), { 'transformer.provider.name': 'tested' });
  assert.equal(eventsOf(sealing), ENCRYPTED);

  const reader = serviceWith(calls(0));
  const missed = tracedWork(() => reader.decrypt(encrypted, 'key'));
  assert.equal(
    missed.map(({ name }) => name),
    ['v2.KeyManagementService/Decrypt', FROM_STORAGE, 'root'],
  );
  const [call, opening] = missed as [Span, Span];
  assert.equal(eventsOf(opening), [...DECODED, 'About to decrypt DEK using remote service', 'DEK decryption succeeded', ...DECRYPTED]);
  assert.is(hex(call.parentSpanId), hex(opening.spanId));
  assert.equal(valuesOf(call.attributes), attributes('Decrypt', status.OK));
  await toldOf(3);
  assert.is(parentTold('/v2.KeyManagementService/Decrypt'), `00-${hex(call.traceId)}-${hex(call.spanId)}-01`);

  const known = tracedWork(() => reader.decrypt(encrypted, 'key'));
  assert.equal(
    known.map((span) => [span.name, eventsOf(span)]),
    [
      [FROM_STORAGE, [...DECODED, ...DECRYPTED]],
      ['root', []],
    ],
  );
  assert.equal(spans, []);
});

test('what cannot be encrypted or decrypted is an event that says why', async () => {
  const writer = serviceWith({});
  assert.equal(
    tracedWork(() => writer.encrypt(Buffer.from('plain'), 'key')).map((span) => [span.name, eventsOf(span)]),
    [
      [TO_STORAGE, []],
      ['root', []],
    ],
  );
  await writer.look();
  const encrypted = Buffer.concat(writer.encrypt(Buffer.from('plain'), 'key'));
  const [forAnother] = tracedWork(() => writer.decrypt(encrypted, 'another'));
  assert.equal(eventsOf(forAnother), [...DECODED, 'About to decrypt data using DEK', 'Data decryption failed', 'exception']);
  const [nothing] = tracedWork(() => writer.decrypt(Buffer.from([1]), 'key'));
  assert.equal(eventsOf(nothing), ['About to decode encrypted object', 'Decoding encrypted object failed', 'exception']);

  Atomics.store(failing, 0, status.FAILED_PRECONDITION);
  const reader = serviceWith({});
  const [call, refused] = tracedWork(() => reader.decrypt(encrypted, 'key'));
  assert.is(call?.status?.message, 'not open');
  assert.equal(eventsOf(refused), [...DECODED, 'About to decrypt DEK using remote service', 'DEK decryption failed', 'exception']);
  assert.match(
    valuesOf(refused?.events.at(-1)?.attributes ?? [])['exception.message'] as string,
    /^failed to decrypt DEK, error: rpc error: code = FailedPrecondition/,
  );
  const [again] = tracedWork(() => reader.decrypt(encrypted, 'key'));
  assert.equal(eventsOf(again), [...DECODED, 'DEK decryption failed', 'exception'], 'it is not asked again so soon');
  await toldOf(3);
});

test('what is traced from now on is not what was asked before', async () => {
  const tracing: CallTracing = {};
  const service = serviceWith(tracing);
  await service.look();
  assert.equal(spans, []);
  Object.assign(tracing, calls(1_000_000));
  await service.look();
  assert.equal(
    spans.map(({ name }) => name),
    ['v2.KeyManagementService/Status'],
  );
  await toldOf(3);
});

test.run();
