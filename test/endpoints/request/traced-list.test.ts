/** Which part a trace has of the reading of a list: where 1.32 would read it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Span } from '../../../generated/node-interfaces/trace-collector.ts';
import { beginReading, type TracedList } from '../../../runtime/endpoints/request/traced-list.ts';
import { decodeWireMessage } from '../../../runtime/schema/protobuf/wire-messages.ts';
import { RequestTrace } from '../../../runtime/tracing/request-trace.ts';
import { valuesOf } from '../../harness/trace-collector.ts';

const test = suite('the part of a trace in which a list is read');

const LIST: TracedList = {
  auditId: 'id',
  type: 'deployments.apps',
  key: '/deployments/default',
  recursive: true,
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continue: '',
  cached: true,
  consistentFromCache: true,
};

/** @param read the list is read to its end */
function partOf(list: Partial<TracedList>, read = true): Span {
  const spans: Span[] = [];
  const sink = { add: (bytes: Uint8Array) => void spans.push(decodeWireMessage(Span, bytes)) };
  const trace = new RequestTrace({ traceId: Buffer.alloc(16, 1), sink, auditId: 'id', name: 'root', attributes: {}, start: 0 });
  const reading = beginReading(trace.root, { ...LIST, ...list });
  if (read) reading.done(7, 3);
  reading.end();
  assert.is(spans.length, 1);
  assert.is(reading.part !== undefined, spans[0]?.name !== 'cacher list', 'what is read of the memory decrypts nothing');
  return spans[0] as Span;
}

const MEMORY = 'cacher list';
const STORE = 'List(recursive=true) etcd3';
const rows: readonly [title: string, list: Partial<TracedList>, name: string][] = [
  ['of the newest state', {}, MEMORY],
  ['of the newest state, where that is not in memory', { consistentFromCache: false }, STORE],
  ['of any state', { resourceVersion: '0' }, MEMORY],
  ['of any state, however many', { resourceVersion: '0', limit: 5 }, MEMORY],
  ['of any state, where the newest is not in memory', { resourceVersion: '0', consistentFromCache: false }, MEMORY],
  ['of a state not older than one', { resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' }, MEMORY],
  ['of a state alone', { resourceVersion: '5', resourceVersionMatch: 'Exact' }, STORE],
  ['of a page', { limit: 5 }, STORE],
  ['of a page of a state', { limit: 5, resourceVersion: '5' }, STORE],
  ['of another page', { continue: 'x' }, STORE],
  ['of what is not in memory', { cached: false }, STORE],
  ['of one object', { recursive: false, limit: 5 }, 'List(recursive=false) etcd3'],
];
for (const [title, list, name] of rows) test(title, () => assert.is(partOf(list).name, name));

test('attributes and events', () => {
  const memory = partOf({});
  assert.equal(valuesOf(memory.attributes), { 'audit-id': 'id', type: 'deployments.apps' });
  const events = memory.events.map(({ name, attributes }) => [name, valuesOf(attributes)]);
  assert.equal(events, [
    ['Ready', {}],
    ['Listed items from cache', { count: 7 }],
    ['Resized result', {}],
    ['Filtered items', { count: 3 }],
  ]);
  const page = partOf({ limit: 5, continue: 'x', resourceVersionMatch: 'Exact' });
  assert.equal(valuesOf(page.attributes), {
    'audit-id': 'id',
    key: '/deployments/default',
    resourceVersion: '',
    resourceVersionMatch: 'Exact',
    limit: 5,
    continue: 'x',
  });
  assert.equal(page.events, []);
});

test('a list that is not read to its end says only that it was begun', () =>
  assert.equal(
    partOf({}, false).events.map(({ name }) => name),
    ['Ready'],
  ));

test.run();
