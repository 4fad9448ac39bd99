/** What a trace says of writes to the store, by what the store answers. */

import { setImmediate as round, setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Span } from '../../../generated/node-interfaces/trace-collector.ts';
import { CREATION, tracedEncoding, tracedWrite, UPDATE, type WriteEvents } from '../../../runtime/registry/resource-store/traced-write.ts';
import { decodeWireMessage } from '../../../runtime/schema/protobuf/wire-messages.ts';
import { Conflict, KeyExists, StorageFull, ValueUnencryptable } from '../../../runtime/storage/errors.ts';
import { partUnderWay } from '../../../runtime/storage/traced-part.ts';
import { RequestTrace } from '../../../runtime/tracing/request-trace.ts';
import { valuesOf } from '../../harness/trace-collector.ts';

const test = suite('what a trace says of a write');

/** Events of a part in which the work is done, each with its attributes; and what the work has thrown. */
async function told(
  work: (span: RequestTrace['root']) => Promise<unknown>,
): Promise<{ events: object[]; thrown: unknown; times: bigint[] }> {
  const spans: Span[] = [];
  const sink = { add: (bytes: Uint8Array) => void spans.push(decodeWireMessage(Span, bytes)) };
  const trace = new RequestTrace({ traceId: Buffer.alloc(16, 1), sink, auditId: 'id', name: 'root', attributes: {}, start: 0 });
  const thrown = await work(trace.root).then(
    () => undefined,
    (error) => error,
  );
  trace.end();
  const events = spans[0]?.events ?? [];
  return {
    events: events.map(({ name, attributes }) => ({ name, ...valuesOf(attributes) })),
    thrown,
    times: events.map(({ timeUnixNano }) => timeUnixNano),
  };
}

const sealed = { name: 'TransformToStorage succeeded' };
const prepared = { name: 'Transaction prepared' };
const committed = [{ name: 'Txn call completed' }, { name: 'Transaction committed' }];
const full = new StorageFull('no room');
const unencryptable = new ValueUnencryptable(new Error('expired'));
const exists = new KeyExists('a', 1);
const conflict = new Conflict('a', 1, 2);

const cases: readonly [title: string, events: WriteEvents, fails: Error | undefined, expected: readonly object[]][] = [
  ['a creation', CREATION, undefined, [sealed, { name: 'Txn call succeeded' }]],
  ['a creation of what is there', CREATION, exists, [sealed, { name: 'Txn call succeeded' }]],
  ['a creation without room', CREATION, full, [sealed, { name: 'Txn call failed', err: 'no room' }]],
  ['a creation of what cannot be encrypted', CREATION, unencryptable, [{ name: 'TransformToStorage failed', err: 'expired' }]],
  ['an update', UPDATE, undefined, [sealed, prepared, ...committed]],
  ['an update of what has changed', UPDATE, conflict, [sealed, prepared, ...committed]],
  ['an update without room', UPDATE, full, [sealed, prepared, { name: 'Txn call failed', err: 'no room' }]],
  ['an update of what cannot be encrypted', UPDATE, unencryptable, [{ name: 'TransformToStorage failed', err: 'expired' }]],
];
for (const [title, which, fails, expected] of cases)
  test(title, async () => {
    const { events, thrown } = await told((span) =>
      tracedWrite(span, which, async () => {
        assert.is(partUnderWay(), span);
        if (fails !== undefined) throw fails;
        return 7;
      }),
    );
    assert.equal(events, expected);
    assert.is(thrown, fails);
    assert.is(partUnderWay(), undefined);
  });

test('a value is encrypted when the call returns, however long the store takes', async () => {
  // the clock of timers may be that of the beginning of a round: the next one begins behind the return
  const store = async (): Promise<number> => {
    await round();
    return sleep(50, 7);
  };
  const { times } = await told((span) => tracedWrite(span, CREATION, store));
  const [transformed = 0n, stored = 0n] = times;
  assert.ok(stored - transformed > 30_000_000n, `${stored - transformed} ns`);
});

test('an encoding', async () => {
  const bytes = Buffer.from('four');
  for (const encode of [() => ({ bytes, revisionOffset: -1 }), async () => ({ bytes, revisionOffset: -1 })]) {
    const { events } = await told((span) => tracedEncoding(span, encode));
    assert.equal(events, [{ name: 'About to Encode' }, { name: 'Encode succeeded', len: 4 }]);
  }
  const { events, thrown } = await told((span) =>
    tracedEncoding(span, () => {
      throw full;
    }),
  );
  assert.equal(events, [{ name: 'About to Encode' }, { name: 'Encode failed', len: 0, err: 'no room' }]);
  assert.is(thrown, full);
});

test.run();
