/** Traces of requests to real servers, which send them to a collector that is a part of the test. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SpanKind } from '../../../generated/node-interfaces/trace-collector.ts';
import { type ReceivedSpan, valuesOf } from '../../harness/trace-collector.ts';
import { type Asked, CLIENT_SPAN, CLIENT_TRACE, MAPS, map, OF_CLIENT, TracedServers } from '../../harness/traced-servers.ts';

const traced = await TracedServers.start();
const test = suite('tracing');
test.after(() => traced.stop());

const FILTERS = ['authentication', 'impersonation', 'priorityandfairness', 'authorization'];

interface VerbCase {
  readonly name: string;
  readonly act: () => Promise<Asked>;
  /** of the request's span */
  readonly root: string;
  readonly verb: string;
  /** below the handler's span */
  readonly below: readonly string[];
  readonly events: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
}
const WRITTEN = [
  'limitedReadBody succeeded',
  'About to convert to expected version',
  'Conversion done',
  'About to store object in database',
  'Write to database call succeeded',
];
const PATCHED = [
  'limitedReadBody succeeded',
  'Recorded the audit event',
  'About to apply patch',
  'About to check admission control',
  'Object stored in database',
];
const PODS = '/api/v1/namespaces/default/pods';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SCALE = '/apis/apps/v1/namespaces/default/deployments/web/scale';
const POD_TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
const SELF_REVIEW = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const ANSWERED = ['About to write a response', 'Writing http response done'];
const cases: VerbCase[] = [
  {
    name: 'create',
    act: () => traced.ask('POST', MAPS, { body: map('traced') }),
    root: 'POST /api/v1/namespaces/{:namespace}/configmaps',
    verb: 'Create',
    below: ['Create etcd3', 'SerializeObject'],
    events: [...WRITTEN, ...ANSWERED],
    attributes: { verb: 'POST', scope: 'resource', name: '' },
  },
  {
    name: 'get',
    act: () => traced.ask('GET', `${MAPS}/traced`, { headers: { accept: 'application/json' } }),
    root: 'GET /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Get',
    below: ['SerializeObject'],
    events: ['About to Get from storage', ...ANSWERED],
    attributes: { verb: 'GET', scope: 'resource', name: 'traced', accept: 'application/json' },
  },
  {
    name: 'list',
    act: () => traced.ask('GET', '/api/v1/configmaps?limit=5'),
    root: 'GET /api/v1/configmaps',
    verb: 'List',
    below: ['List(recursive=true) etcd3', 'SerializeObject'],
    events: ['About to List from storage', 'Listing from storage done', 'Writing http response done'],
    attributes: { verb: 'LIST', scope: 'cluster', namespace: '' },
  },
  {
    name: 'update',
    act: () => traced.ask('PUT', `${MAPS}/traced`, { body: map('traced', { a: '2' }) }),
    root: 'PUT /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Update',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...WRITTEN, ...ANSWERED],
    attributes: { verb: 'PUT', scope: 'resource' },
  },
  {
    name: 'patch',
    act: () => traced.ask('PATCH', `${MAPS}/traced`, { body: { data: { a: '3' } }, type: 'application/merge-patch+json' }),
    root: 'PATCH /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Patch',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...PATCHED, ...ANSWERED],
    attributes: { verb: 'PATCH', scope: 'resource' },
  },
  {
    name: 'apply',
    act: () =>
      traced.ask('PATCH', `${MAPS}/traced?fieldManager=me&force=true`, { body: map('traced'), type: 'application/apply-patch+yaml' }),
    root: 'PATCH /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Patch',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...PATCHED, ...ANSWERED],
    attributes: { verb: 'APPLY', scope: 'resource' },
  },
  {
    name: 'delete',
    act: () => traced.ask('DELETE', `${MAPS}/traced`, { body: { kind: 'DeleteOptions', apiVersion: 'v1' } }),
    root: 'DELETE /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Delete',
    below: ['SerializeObject'],
    events: [
      'limitedReadBody succeeded',
      'Decoded delete options',
      'Recorded the audit event',
      'About to delete object from database',
      'Object deleted from database',
      ...ANSWERED,
    ],
    attributes: { verb: 'DELETE', scope: 'resource' },
  },
  {
    name: 'apply that creates',
    act: () => traced.ask('PATCH', `${MAPS}/applied?fieldManager=me`, { body: map('applied'), type: 'application/apply-patch+yaml' }),
    root: 'PATCH /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Patch',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...PATCHED, ...ANSWERED],
    attributes: { verb: 'APPLY' },
  },
  {
    name: 'delete of a collection',
    act: () => traced.ask('DELETE', `${MAPS}?labelSelector=none`, { body: { kind: 'DeleteOptions', apiVersion: 'v1' } }),
    root: 'DELETE /api/v1/namespaces/{:namespace}/configmaps',
    verb: 'Delete',
    below: ['cacher list', 'SerializeObject'],
    events: ['limitedReadBody succeeded', ...ANSWERED],
    attributes: { verb: 'DELETECOLLECTION', scope: 'namespace' },
  },
  {
    name: 'delete that waits for a finalizer',
    async act() {
      const metadata = { name: 'held', finalizers: ['example.com/held'] };
      await traced.ask('POST', MAPS, { body: { ...map('held'), metadata } });
      return traced.ask('DELETE', `${MAPS}/held`);
    },
    root: 'DELETE /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Delete',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: ['limitedReadBody succeeded', 'About to delete object from database', 'Object deleted from database', ...ANSWERED],
    attributes: { verb: 'DELETE' },
  },
  {
    name: 'review',
    act: () => traced.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: SELF_REVIEW }),
    root: 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews',
    verb: 'Create',
    below: ['SerializeObject'],
    events: [...WRITTEN, ...ANSWERED],
    attributes: { verb: 'POST' },
  },
  {
    name: 'update of a scale',
    async act() {
      const spec = { selector: { matchLabels: { app: 'web' } }, template: POD_TEMPLATE };
      const metadata = { name: 'web', namespace: 'default' };
      await traced.ask('POST', '/apis/apps/v1/namespaces/default/deployments', { body: { metadata, spec } });
      return traced.ask('PUT', SCALE, { body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: 2 } } });
    },
    root: 'PUT /apis/apps/v1/namespaces/{:namespace}/deployments/{:name}/scale',
    verb: 'Update',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...WRITTEN, ...ANSWERED],
    attributes: { subresource: 'scale' },
  },
  {
    name: 'patch of a scale',
    act: () => traced.ask('PATCH', SCALE, { body: { spec: { replicas: 3 } }, type: 'application/merge-patch+json' }),
    root: 'PATCH /apis/apps/v1/namespaces/{:namespace}/deployments/{:name}/scale',
    verb: 'Patch',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...PATCHED, ...ANSWERED],
    attributes: { subresource: 'scale' },
  },
  {
    name: 'binding',
    async act() {
      await traced.ask('POST', ACCOUNTS, { body: { metadata: { name: 'default' } } });
      await traced.ask('POST', PODS, { body: { metadata: { name: 'bound' }, spec: POD_TEMPLATE.spec } });
      return traced.ask('POST', `${PODS}/bound/binding`, { body: { metadata: { name: 'bound' }, target: { kind: 'Node', name: 'near' } } });
    },
    root: 'POST /api/v1/namespaces/{:namespace}/pods/{:name}/binding',
    verb: 'Create',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...WRITTEN, ...ANSWERED],
    attributes: { subresource: 'binding' },
  },
  {
    name: 'eviction',
    act: () =>
      traced.ask('POST', `${PODS}/bound/eviction`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'bound' }, deleteOptions: { gracePeriodSeconds: 0 } },
      }),
    root: 'POST /api/v1/namespaces/{:namespace}/pods/{:name}/eviction',
    verb: 'Create',
    // the condition, and then the marks of a deletion
    below: ['GuaranteedUpdate etcd3', 'GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [...WRITTEN, ...ANSWERED],
    attributes: { subresource: 'eviction' },
  },
  {
    name: 'request for a token',
    async act() {
      await traced.ask('POST', ACCOUNTS, { body: { metadata: { name: 'robot' } } });
      return traced.ask('POST', `${ACCOUNTS}/robot/token`, { body: { spec: {} } });
    },
    root: 'POST /api/v1/namespaces/{:namespace}/serviceaccounts/{:name}/token',
    verb: 'Create',
    below: ['SerializeObject'],
    events: [...WRITTEN, ...ANSWERED],
    attributes: { subresource: 'token' },
  },
  {
    name: 'get of a subresource in a group',
    act: () => traced.ask('GET', '/apis/apps/v1/namespaces/default/deployments/none/status'),
    root: 'GET /apis/apps/v1/namespaces/{:namespace}/deployments/{:name}/status',
    verb: 'Get',
    below: [],
    events: ['About to Get from storage'],
    attributes: { 'api-group': 'apps', 'api-version': 'v1', resource: 'deployments', subresource: 'status' },
  },
];
for (const each of cases)
  test(`parts of a trace: ${each.name}`, async () => {
    const done = await each.act();
    const { root, spans, named } = await traced.traceOf(done);
    assert.is(root.name, each.root);
    assert.is(root.parentId, '');
    assert.is(root.attributes['http.status_code'], done.status);
    const verb = named(each.verb);
    const parts = (of: ReceivedSpan): string[] => spans.filter(({ parentId }) => parentId === of.spanId).map(({ name }) => name);
    const answer = done.status < 400 ? [] : ['SerializeObject'];
    assert.equal(parts(root), [...FILTERS, each.verb, ...answer]);
    assert.equal(parts(verb), each.below);
    assert.equal(verb.events, each.events);
    assert.equal(named('SerializeObject').events, ['About to start writing response', 'Write call succeeded']);
    for (const [name, value] of Object.entries(each.attributes)) assert.is(verb.attributes[name], value, name);
    assert.is(verb.attributes['audit-id'], done.id);
    for (const span of spans) {
      assert.ok(span.raw.endTimeUnixNano >= span.raw.startTimeUnixNano, span.name);
      assert.ok(span.raw.startTimeUnixNano >= root.raw.startTimeUnixNano, span.name);
      assert.ok(Math.abs(Number(span.raw.startTimeUnixNano / 1_000_000n) - Date.now()) < 60_000, 'the time is that of clocks');
    }
  });

test('a span of a request has the attributes of OpenTelemetry, and the program those of 1.32', async () => {
  const done = await traced.ask('POST', `${MAPS}?dryRun=All`, { body: map('dry'), headers: { 'x-forwarded-for': '192.0.2.7, 10.0.0.1' } });
  const { root, named } = await traced.traceOf(done);
  const {
    'net.sock.peer.port': peer,
    'net.host.port': port,
    'http.response_content_length': wrote,
    'http.request_content_length': read,
    ...attributes
  } = root.attributes;
  assert.equal(attributes, {
    'http.method': 'POST',
    'http.scheme': 'https',
    'net.host.name': '127.0.0.1',
    'net.sock.peer.addr': '127.0.0.1',
    'user_agent.original': 'a-client/1',
    'http.client_ip': '192.0.2.7',
    'net.protocol.version': '1.1',
    'http.target': `${MAPS}?dryRun=All`,
    'audit-id': done.id,
    'http.status_code': 201,
  });
  assert.is(port, Number(new URL(traced.server.url).port));
  assert.type(peer, 'number');
  assert.is(wrote, Buffer.byteLength(done.text));
  assert.is(read, JSON.stringify(map('dry')).length);
  assert.is(root.kind, SpanKind.SPAN_KIND_SERVER);
  assert.is(named('Create').attributes.client, '192.0.2.7');
  const { encoder, ...serialized } = named('SerializeObject').attributes;
  assert.equal(JSON.parse(encoder as string), {
    encodeGV: 'v1',
    encoder: '{"name":"json","pretty":"false","strict":"false","yaml":"false"}',
    name: 'versioning',
  });
  assert.equal(serialized, { 'audit-id': done.id, method: 'POST', url: MAPS, protocol: 'HTTP/1.1', mediaType: 'application/json' });
  const resource = valuesOf(traced.collector.resources[0]?.attributes ?? []);
  assert.is(resource['service.name'], 'apiserver');
  assert.match(resource['service.instance.id'] as string, /^apiserver-[a-z2-7]+$/);
  assert.is(resource['k8s.cluster.name'], 'test cluster');
  assert.equal(traced.collector.metadata[0]?.get('authorization'), ['Bearer of-the-collector']);
});

test('writes name the object that they are of', async () => {
  const { named } = await traced.traceOf(await traced.ask('POST', MAPS, { body: map('keyed') }));
  const { attributes, events } = named('Create etcd3');
  assert.is(attributes.type, '*core.ConfigMap');
  assert.is(attributes.resource, 'configmaps');
  assert.is(attributes.key, '/configmaps/default/keyed');
  assert.equal(events, ['About to Encode', 'Encode succeeded', 'TransformToStorage succeeded', 'Txn call succeeded', 'decode succeeded']);
  const updated = (await traced.traceOf(await traced.ask('PUT', `${MAPS}/keyed`, { body: map('keyed', { a: '2' }) }))).named(
    'GuaranteedUpdate etcd3',
  );
  assert.equal(updated.attributes, { ...attributes, 'audit-id': updated.attributes['audit-id'] });
  assert.equal(updated.events, [
    'initial value restored',
    'About to Encode',
    'Encode succeeded',
    'TransformToStorage succeeded',
    'Transaction prepared',
    'Txn call completed',
    'Transaction committed',
    'decode succeeded',
  ]);
});

test('what is refused has the parts until then, and its answer has one', async () => {
  const missing = await traced.traceOf(await traced.ask('PATCH', `${MAPS}/none`, { body: {}, type: 'application/merge-patch+json' }));
  assert.equal(missing.named('GuaranteedUpdate etcd3').events, ['initial value restored']);
  assert.equal(missing.named('Patch').events, ['limitedReadBody succeeded', 'Recorded the audit event']);
  assert.equal(missing.root.events, []);
  const taken = await traced.traceOf(await traced.ask('POST', MAPS, { body: map('keyed') }));
  assert.is(taken.root.attributes['http.status_code'], 409);
  assert.equal(taken.named('Create etcd3').events, [
    'About to Encode',
    'Encode succeeded',
    'TransformToStorage succeeded',
    'Txn call succeeded',
  ]);
  assert.is(taken.named('Create').events.at(-1), 'Write to database call failed');
  const long = await traced.traceOf(await traced.ask('POST', MAPS, { body: map('long', { a: 'x'.repeat(3 * 1024 * 1024) }) }));
  assert.is(long.root.attributes['http.status_code'], 413);
  assert.equal(long.named('Create').events, ['limitedReadBody failed']);
});

test('a list says how many items it has, and where they are', async () => {
  const answer = await traced.ask('GET', `${MAPS}?fieldSelector=metadata.name!=keyed`);
  const count = JSON.parse(answer.text).items.length;
  const { named } = await traced.traceOf(answer);
  assert.equal(valuesOf(named('List').raw.events.at(-1)?.attributes ?? []), { count });
  const read = named('cacher list');
  assert.equal(read.attributes, { 'audit-id': answer.id, type: 'configmaps' });
  assert.equal(
    read.raw.events.map(({ name, attributes }) => [name, valuesOf(attributes).count]),
    [
      ['Ready', undefined],
      ['Listed items from cache', count + 1],
      ['Resized result', undefined],
      ['Filtered items', count],
    ],
  );
  const page = (await traced.traceOf(await traced.ask('GET', `${MAPS}?limit=1`))).named('List(recursive=true) etcd3');
  assert.equal([page.attributes.key, page.attributes.limit], ['/configmaps/default', 1]);
  const one = await traced.traceOf(await traced.ask('GET', `${MAPS}?limit=1&fieldSelector=metadata.name=keyed`));
  assert.is(one.named('List(recursive=false) etcd3').attributes.key, '/configmaps/default/keyed');
  const bad = await traced.traceOf(await traced.ask('GET', `${MAPS}?continue=x`));
  assert.is(bad.root.attributes['http.status_code'], 400);
  assert.is(bad.named('List(recursive=true) etcd3').attributes.continue, 'x');
});

test('other paths are named by their method, and faults of the server alone are faults of the span', async () => {
  const health = await traced.traceOf(await traced.ask('GET', '/livez'));
  assert.is(health.root.name, 'GET');
  assert.is(health.root.raw.status, undefined);
  const missing = await traced.ask('GET', `${MAPS}/none`);
  const { root } = await traced.traceOf(missing);
  assert.is(root.attributes['http.status_code'], 404);
  assert.is(root.raw.status, undefined);
});

test('the trace of a client is linked and never gone on with, whatever it says of being recorded', async () => {
  const { root } = await traced.traceOf(await traced.ask('GET', `${MAPS}/none`, { headers: OF_CLIENT }));
  assert.is.not(root.traceId, CLIENT_TRACE);
  const [link] = root.raw.links;
  assert.is(Buffer.from(link?.traceId ?? []).toString('hex'), CLIENT_TRACE);
  assert.is(Buffer.from(link?.spanId ?? []).toString('hex'), CLIENT_SPAN);
  assert.is(link?.traceState, 'vendor=opaque');
  const without = await traced.traceOf(await traced.ask('GET', `${MAPS}/none`, { headers: { traceparent: '00-nonsense' } }));
  assert.equal(without.root.raw.links, []);
});

test('a watch is a span until it ends', async () => {
  const id = traced.newId();
  const ending = new AbortController();
  const answer = await traced.server.client.fetch(`${MAPS}?watch=true`, { headers: { 'audit-id': id }, signal: ending.signal });
  assert.is(answer.status, 200);
  const before = await traced.traceOf(await traced.ask('GET', '/livez'));
  assert.ok(before.root);
  assert.not(traced.collector.spans.some(({ attributes }) => attributes['audit-id'] === id && attributes['http.method'] !== undefined));
  ending.abort();
  await answer.text().catch(() => {});
  const { root, spans } = await traced.traceOf({ id });
  assert.is(root.attributes['http.status_code'], 200);
  assert.equal(
    spans.map(({ name }) => name),
    [root.name, ...FILTERS],
  );
});

test.run();
