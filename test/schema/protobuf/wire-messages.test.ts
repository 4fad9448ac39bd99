/** Messages of gRPC interfaces, held against protobufjs, which reads the same .proto files. */
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Container,
  ContainerStatusResponse,
  ListPodSandboxResponse,
  VersionRequest,
} from '../../../generated/node-interfaces/container-runtime.ts';
import { Compare, TxnRequest, WatchResponse } from '../../../generated/node-interfaces/etcd.ts';
import { AnyValue, ExportTraceServiceRequest, Span } from '../../../generated/node-interfaces/trace-collector.ts';
import type { Sparse, WireField, WireMessage } from '../../../runtime/contract/node-interface.ts';
import { decodeWireMessage, encodeWireMessage } from '../../../runtime/schema/protobuf/wire-messages.ts';

const files = ['container-runtime', 'trace-collector', 'etcd'].map((name) => `schemas/node-interfaces/${name}.proto`);
const root = await new protobuf.Root().load(files, { keepCase: false });

/** Any message of a layout, with any of its members left out; of members of which there is one at a time, which are all that are optional here, at most one is there. */
function arbitrary(layout: WireMessage): fc.Arbitrary<Record<string, unknown>> {
  if (layout.fields.some(({ optional }) => optional))
    return fc.oneof(...layout.fields.map((field) => fc.record({ [field.name]: arbitraryValue(field) })), fc.constant({}));
  return fc.record(Object.fromEntries(layout.fields.map((field) => [field.name, arbitraryValue(field)])), { requiredKeys: [] });
}

const entries = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.string({ maxLength: 5 }), { maxKeys: 3 });

function arbitraryValue({ rule, type }: WireField): fc.Arbitrary<unknown> {
  if (rule === 'map') return entries.map((values) => new Map(Object.entries(values)));
  const one =
    typeof type === 'function'
      ? arbitrary(type())
      : {
          string: fc.string({ unit: 'grapheme', maxLength: 40 }),
          bytes: fc.uint8Array({ maxLength: 40 }).map((each) => Buffer.from(each)),
          bool: fc.boolean(),
          int32: fc.integer(),
          enum: fc.integer({ min: 0, max: 5 }),
          uint32: fc.nat({ max: 2 ** 32 - 1 }),
          fixed32: fc.nat({ max: 2 ** 32 - 1 }),
          int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
          uint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
          safeInt64: fc.maxSafeInteger(),
          fixed64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        }[type];
  return rule === 'repeated' ? fc.array(one as fc.Arbitrary<unknown>, { maxLength: 3 }) : (one as fc.Arbitrary<unknown>);
}

/** As the other implementation has it, in the form that ours gives. */
function fromOther(layout: WireMessage, message: Record<string, unknown>): Record<string, unknown> {
  // it has zero of its own of what is absent
  const given = (name: string): unknown => (Object.hasOwn(message, name) ? message[name] : undefined);
  return Object.fromEntries(
    layout.fields.map((field) => [field.name, ofOther(field, field.optional ? given(field.name) : message[field.name])]),
  );
}

function ofOther({ rule, optional, type }: WireField, value: unknown): unknown {
  if (optional === true && value === undefined) return undefined;
  if (rule === 'map') return new Map(Object.entries((value ?? {}) as object));
  const one = (each: unknown): unknown => {
    if (typeof type === 'function')
      return each === null || each === undefined ? undefined : fromOther(type(), each as Record<string, unknown>);
    if (type === 'bytes') return Buffer.from(each as Uint8Array);
    if (type === 'safeInt64') return Number(String(each ?? 0));
    return type === 'int64' || type === 'uint64' || type === 'fixed64' ? BigInt(String(each ?? 0)) : each;
  };
  return rule === 'repeated' ? ((value ?? []) as unknown[]).map(one) : one(value);
}

const messages = suite('messages of interfaces');
const layouts = [
  ...[Container, ContainerStatusResponse, ListPodSandboxResponse].map((layout) => [layout, 'runtime.v1'] as const),
  ...[WatchResponse, TxnRequest].map((layout) => [layout, 'etcdserverpb'] as const),
  ...[Span, ExportTraceServiceRequest].map((layout) => [layout, 'opentelemetry.proto.collector.trace.v1'] as const),
] as [WireMessage, string][];
for (const [layout, packageName] of layouts) {
  const other = root.lookupType(`${packageName}.${layout.name}`);
  messages(`${layout.name}: another implementation reads what ours writes, and ours what that writes`, () => {
    fc.assert(
      fc.property(arbitrary(layout), (message) => {
        const bytes = encodeWireMessage(layout, message as Sparse<unknown>);
        const read = decodeWireMessage(layout, bytes) as Record<string, unknown>;
        const decoded = other.decode(bytes);
        assert.equal(fromOther(layout, decoded as never), read);
        assert.equal(decodeWireMessage(layout, other.encode(decoded).finish()), read);
      }),
      { numRuns: 60 },
    );
  });
}
messages('what is absent has its zero value', () => {
  assert.equal(decodeWireMessage(Container, Buffer.alloc(0)), {
    id: '',
    podSandboxId: '',
    metadata: undefined,
    image: undefined,
    imageRef: '',
    state: 0,
    createdAt: 0n,
    labels: new Map(),
  });
});
messages('what is optional is sent where it is zero, and undefined where it is absent', () => {
  const zero = encodeWireMessage(AnyValue, { intValue: 0n });
  assert.equal([...zero], [0x18, 0]);
  assert.equal(decodeWireMessage(AnyValue, zero), { stringValue: undefined, boolValue: undefined, intValue: 0n });
});
messages('an integer that a number does not hold is an error where a number is wanted', () => {
  const largest = encodeWireMessage(Compare, { modRevision: Number.MAX_SAFE_INTEGER });
  assert.is(decodeWireMessage(Compare, largest).modRevision, Number.MAX_SAFE_INTEGER);
  for (const beyond of [2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n]) {
    const bytes = encodeWireMessage(Compare, { modRevision: beyond as unknown as number });
    assert.throws(() => decodeWireMessage(Compare, bytes), /is beyond 2\^53-1/);
  }
});
messages('fields that nobody knows are skipped, numbers may be packed, and the last of two counts', () => {
  const unknown = Buffer.from([0xfa, 0x01, 0x02, 0x08, 0x01]);
  const [first, second] = ['1', '2'].map((version) => encodeWireMessage(VersionRequest, { version })) as [Buffer, Buffer];
  assert.equal(decodeWireMessage(VersionRequest, Buffer.concat([first, unknown, second])), { version: '2' });
  const numbers: WireMessage<{ readonly all: readonly bigint[] }> = {
    name: 'Numbers',
    fields: [{ name: 'all', number: 1, rule: 'repeated', type: 'int64' }],
  };
  assert.equal(decodeWireMessage(numbers, Buffer.from([0x0a, 2, 5, 6, 0x08, 7])), { all: [5n, 6n, 7n] });
  const fixed: WireMessage<{ readonly all: readonly number[] }> = {
    name: 'Fixed',
    fields: [{ name: 'all', number: 1, rule: 'repeated', type: 'fixed32' }],
  };
  assert.equal(decodeWireMessage(fixed, Buffer.from([0x0a, 8, 5, 0, 0, 0, 6, 0, 0, 0, 0x0d, 7, 0, 0, 1])), { all: [5, 6, 0x1000007] });
});
const broken: [name: string, bytes: number[], message: RegExp][] = [
  ['a length beyond the end', [0x0a, 0x05, 0x61], /unexpected EOF/],
  ['an integer where a text is', [0x08, 0x01], /wrong wireType = 0 for field version/],
  ['the field number 0', [0x02, 0x00], /illegal tag 0/],
  ['a varint without an end', Array(12).fill(0xff), /integer overflow/],
];
for (const [name, bytes, message] of broken)
  messages(`${name} is an error`, () => assert.throws(() => decodeWireMessage(VersionRequest, Buffer.from(bytes)), message));
messages('an entry of a map whose value is no text is an error', () => {
  assert.throws(() => decodeWireMessage(Container, Buffer.from([0x42, 0x02, 0x10, 0x01])), /wrong wireType = 0 for field labels/);
});
messages('a label may have any name', () => {
  const bytes = encodeWireMessage(Container, { labels: new Map([['__proto__', 'x']]) });
  assert.is(decodeWireMessage(Container, bytes).labels.get('__proto__'), 'x');
});
messages.run();
