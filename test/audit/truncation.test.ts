import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuditEvent, EventHead } from '../../runtime/audit/audit-event.ts';
import { ClientOrigin } from '../../runtime/audit/client-origin.ts';
import { TruncatingBackend } from '../../runtime/audit/truncation.ts';

const test = suite('events that are too large');
const KEY = 'audit.cluster.io/truncated';
const event = (body: number, uri = 1) =>
  new AuditEvent(
    new EventHead({
      apiVersion: 'v1',
      level: 'Request',
      auditID: 'a',
      requestURI: 'u'.repeat(uri),
      verb: 'get',
      user: undefined,
      origin: new ClientOrigin([], ''),
      received: 0,
    }),
    { stage: 'ResponseComplete', reached: 0, requestObject: JSON.stringify('ü'.repeat(body)), annotations: new Map() },
  );
const withoutBody = Buffer.byteLength(event(0).withoutBodies(KEY).json());

async function delivered(events: readonly AuditEvent[], maxEventSize: number, maxBatchSize = 1_000_000) {
  const batches: AuditEvent[][] = [];
  let lost = 0;
  const backend = new TruncatingBackend(
    { name: 'x', deliver: async (batch) => void batches.push([...batch]), close: async () => {} },
    { maxEventSize, maxBatchSize, annotation: KEY },
    (count) => (lost += count),
  );
  await backend.deliver(events);
  return { bodies: batches.map((batch) => batch.map(({ hasBodies }) => hasBodies)), lost };
}

test('lose their bodies', async () => {
  assert.equal(await delivered([event(1), event(500)], 900), { bodies: [[true, false]], lost: 0 });
});
test('are measured in bytes', async () => {
  // as in 1.32, with the end of the line
  const size = Buffer.byteLength(event(400).json()) + 1;
  assert.equal((await delivered([event(400)], size)).bodies, [[true]]);
  assert.equal((await delivered([event(400)], size - 1)).bodies, [[false]]);
});
test('without their bodies are lost', async () => {
  assert.equal(await delivered([event(1, 2_000), event(0)], withoutBody + 100), { bodies: [[true]], lost: 1 });
});
test('together go in several batches', async () => {
  const size = Buffer.byteLength(event(1).json()) + 1;
  assert.equal((await delivered([event(1), event(1), event(1)], size, 2 * size)).bodies, [[true, true], [true]]);
});
test('all of them leave nothing to deliver', async () => {
  assert.equal(await delivered([event(0, 5_000)], 100), { bodies: [], lost: 1 });
});
test.run();
