/** Traces of requests to real servers, which send them to a collector that is a part of the test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SpanKind, StatusCode } from '../../generated/node-interfaces/trace-collector.ts';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { answering, hookTo } from '../admission/webhooked-server.ts';
import { ConversionWebhook, converting, send } from '../custom-resources/conversion/webhook.ts';
import { Client } from '../harness/client.ts';
import { startServer as startProgram } from '../harness/server.ts';
import { type ReceivedSpan, TraceCollector, valuesOf } from '../harness/trace-collector.ts';

// spans need not wait for others
process.env.OTEL_BSP_SCHEDULE_DELAY = '20';
process.env.OTEL_RESOURCE_ATTRIBUTES = 'k8s.cluster.name=test%20cluster';
process.env.OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20of-the-collector';

const folder = mkdtempSync(path.join(tmpdir(), 'tracing-'));
const collector = await new TraceCollector().listen();
const webhook = await new ConversionWebhook().start();
const servers: EmbeddedServer[] = [];

function configuration(members: object = {}): string {
  const file = path.join(folder, `${Math.random()}.json`);
  const object = {
    kind: 'TracingConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    endpoint: collector.endpoint,
    samplingRatePerMillion: 1_000_000,
    ...members,
  };
  writeFileSync(file, JSON.stringify(object));
  return file;
}

async function serverWith(flags: Parameters<typeof startServer>[0] & object = {}): Promise<EmbeddedServer> {
  const server = await startServer({ dialect: 'kubernetes', ...flags, flags: { controllers: ['-*'], ...flags.flags } });
  servers.push(server);
  return server;
}

const server = await serverWith({ flags: { 'tracing-config-file': configuration() } });

let asked = 0;
interface Asked {
  readonly id: string;
  readonly status: number;
  readonly text: string;
}

async function ask(
  method: string,
  target: string,
  {
    body,
    type = 'application/json',
    headers = {},
    at = server,
  }: { body?: object | string; type?: string; headers?: Record<string, string>; at?: EmbeddedServer } = {},
): Promise<Asked> {
  const id = `request-${asked++}`;
  const answer = await at.client.fetch(target, {
    method,
    headers: { 'audit-id': id, 'user-agent': 'a-client/1', ...(body && { 'content-type': type }), ...headers },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { id, status: answer.status, text: await answer.text() };
}

/** The span of a request, and those below it. */
async function traceOf({ id }: Asked): Promise<{ root: ReceivedSpan; spans: ReceivedSpan[]; named(name: string): ReceivedSpan }> {
  const root = await collector.request(id);
  const spans = collector.trace(root.traceId);
  const named = (name: string): ReceivedSpan => {
    const found = spans.find((each) => each.name === name);
    assert.ok(found, `${name} is none of ${spans.map((each) => each.name).join(', ')}`);
    return found as ReceivedSpan;
  };
  return { root, spans, named };
}

const test = suite('tracing');
test.before.each(() => {
  collector.behaviour = 'take';
  webhook.reply = answering({});
});
test.after(async () => {
  for (const each of servers) await each.stop();
  collector.stop();
  await webhook.stop();
  rmSync(folder, { recursive: true, force: true });
});

const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = { a: '1' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
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
const ANSWERED = ['About to write a response', 'Writing http response done'];
const cases: VerbCase[] = [
  {
    name: 'create',
    act: () => ask('POST', MAPS, { body: map('traced') }),
    root: 'POST /api/v1/namespaces/{:namespace}/configmaps',
    verb: 'Create',
    below: ['Create etcd3', 'SerializeObject'],
    events: [
      'limitedReadBody succeeded',
      'About to convert to expected version',
      'Conversion done',
      'About to store object in database',
      'Write to database call succeeded',
      ...ANSWERED,
    ],
    attributes: { verb: 'POST', scope: 'resource', name: '' },
  },
  {
    name: 'get',
    act: () => ask('GET', `${MAPS}/traced`, { headers: { accept: 'application/json' } }),
    root: 'GET /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Get',
    below: ['SerializeObject'],
    events: ['About to Get from storage', ...ANSWERED],
    attributes: { verb: 'GET', scope: 'resource', name: 'traced', accept: 'application/json' },
  },
  {
    name: 'list',
    act: () => ask('GET', '/api/v1/configmaps?limit=5'),
    root: 'GET /api/v1/configmaps',
    verb: 'List',
    below: ['SerializeObject'],
    events: ['About to List from storage', 'Listing from storage done', 'Writing http response done'],
    attributes: { verb: 'LIST', scope: 'cluster', namespace: '' },
  },
  {
    name: 'update',
    act: () => ask('PUT', `${MAPS}/traced`, { body: map('traced', { a: '2' }) }),
    root: 'PUT /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Update',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [
      'limitedReadBody succeeded',
      'About to convert to expected version',
      'Conversion done',
      'About to store object in database',
      'Write to database call succeeded',
      ...ANSWERED,
    ],
    attributes: { verb: 'PUT', scope: 'resource' },
  },
  {
    name: 'patch',
    act: () => ask('PATCH', `${MAPS}/traced`, { body: { data: { a: '3' } }, type: 'application/merge-patch+json' }),
    root: 'PATCH /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Patch',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [
      'limitedReadBody succeeded',
      'About to apply patch',
      'About to check admission control',
      'Object stored in database',
      ...ANSWERED,
    ],
    attributes: { verb: 'PATCH', scope: 'resource' },
  },
  {
    name: 'apply',
    act: () => ask('PATCH', `${MAPS}/traced?fieldManager=me&force=true`, { body: map('traced'), type: 'application/apply-patch+yaml' }),
    root: 'PATCH /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Patch',
    below: ['GuaranteedUpdate etcd3', 'SerializeObject'],
    events: [
      'limitedReadBody succeeded',
      'About to apply patch',
      'About to check admission control',
      'Object stored in database',
      ...ANSWERED,
    ],
    attributes: { verb: 'APPLY', scope: 'resource' },
  },
  {
    name: 'delete',
    act: () => ask('DELETE', `${MAPS}/traced`, { body: { kind: 'DeleteOptions', apiVersion: 'v1' } }),
    root: 'DELETE /api/v1/namespaces/{:namespace}/configmaps/{:name}',
    verb: 'Delete',
    below: ['SerializeObject'],
    events: [
      'limitedReadBody succeeded',
      'Decoded delete options',
      'About to delete object from database',
      'Object deleted from database',
      ...ANSWERED,
    ],
    attributes: { verb: 'DELETE', scope: 'resource' },
  },
  {
    name: 'get of a subresource in a group',
    act: () => ask('GET', '/apis/apps/v1/namespaces/default/deployments/none/status'),
    root: 'GET /apis/apps/v1/namespaces/{:namespace}/deployments/{:name}/status',
    verb: 'Get',
    below: [],
    events: ['About to Get from storage'],
    attributes: { 'api-group': 'apps', 'api-version': 'v1', resource: 'deployments', subresource: 'status' },
  },
];
for (const each of cases)
  test(`a trace has the parts of a ${each.name}`, async () => {
    const done = await each.act();
    const { root, spans, named } = await traceOf(done);
    assert.is(root.name, each.root);
    assert.is(root.parentId, '');
    assert.is(root.attributes['http.status_code'], done.status);
    const verb = named(each.verb);
    const parts = (of: ReceivedSpan): string[] => spans.filter(({ parentId }) => parentId === of.spanId).map(({ name }) => name);
    const answer = done.status < 400 ? [] : ['SerializeObject'];
    assert.equal(parts(root), [...FILTERS, each.verb, ...answer]);
    assert.equal(parts(verb), each.below);
    assert.equal(verb.events, each.events);
    for (const [name, value] of Object.entries(each.attributes)) assert.is(verb.attributes[name], value, name);
    assert.is(verb.attributes['audit-id'], done.id);
    for (const span of spans) {
      assert.ok(span.raw.endTimeUnixNano >= span.raw.startTimeUnixNano, span.name);
      assert.ok(span.raw.startTimeUnixNano >= root.raw.startTimeUnixNano, span.name);
      assert.ok(Math.abs(Number(span.raw.startTimeUnixNano / 1_000_000n) - Date.now()) < 60_000, 'the time is that of clocks');
    }
  });

test('a span of a request has the attributes of OpenTelemetry, and the program those of 1.32', async () => {
  const done = await ask('POST', `${MAPS}?dryRun=All`, { body: map('dry'), headers: { 'x-forwarded-for': '192.0.2.7, 10.0.0.1' } });
  const { root, named } = await traceOf(done);
  const {
    'net.sock.peer.port': peer,
    'net.host.port': port,
    'http.wrote_bytes': wrote,
    'http.read_bytes': read,
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
  assert.is(port, Number(new URL(server.url).port));
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
  const resource = valuesOf(collector.resources[0]?.attributes ?? []);
  assert.is(resource['service.name'], 'apiserver');
  assert.match(resource['service.instance.id'] as string, /^apiserver-[a-z2-7]+$/);
  assert.is(resource['k8s.cluster.name'], 'test cluster');
  assert.equal(collector.metadata[0]?.get('authorization'), ['Bearer of-the-collector']);
});

test('writes name the object that they are of', async () => {
  const { named } = await traceOf(await ask('POST', MAPS, { body: map('keyed') }));
  const { attributes, events } = named('Create etcd3');
  assert.is(attributes.type, '*core.ConfigMap');
  assert.is(attributes.resource, 'configmaps');
  assert.match(attributes.key as string, /configmaps\/default\/keyed$/);
  assert.equal(events, ['About to Encode', 'Encode succeeded', 'Txn call succeeded']);
});

test('other paths are named by their method, and faults of the server alone are faults of the span', async () => {
  const health = await traceOf(await ask('GET', '/livez'));
  assert.is(health.root.name, 'GET');
  assert.is(health.root.raw.status, undefined);
  const missing = await ask('GET', `${MAPS}/none`);
  const { root } = await traceOf(missing);
  assert.is(root.attributes['http.status_code'], 404);
  assert.is(root.raw.status, undefined);
});

const CLIENT_TRACE = '0af7651916cd43dd8448eb211c80319c';
const CLIENT_SPAN = 'b7ad6b7169203331';
const OF_CLIENT = {
  traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01`,
  tracestate: 'vendor=opaque',
  baggage: 'tenant=blue,secret=none;property',
};

test('the trace of a client is linked and never gone on with, whatever it says of being recorded', async () => {
  const { root } = await traceOf(await ask('GET', `${MAPS}/none`, { headers: OF_CLIENT }));
  assert.is.not(root.traceId, CLIENT_TRACE);
  const [link] = root.raw.links;
  assert.is(Buffer.from(link?.traceId ?? []).toString('hex'), CLIENT_TRACE);
  assert.is(Buffer.from(link?.spanId ?? []).toString('hex'), CLIENT_SPAN);
  assert.is(link?.traceState, 'vendor=opaque');
  const without = await traceOf(await ask('GET', `${MAPS}/none`, { headers: { traceparent: '00-nonsense' } }));
  assert.equal(without.root.raw.links, []);
});

/** What the webhook is told of the trace, when a config map is created. */
async function toldWebhook(
  at: EmbeddedServer,
  headers: Record<string, string> = {},
): Promise<{ done: Asked; told: IncomingHttpHeaders[] }> {
  const told: IncomingHttpHeaders[] = [];
  webhook.reply = (review, response, request) => {
    told.push(request.headers);
    answering({})(review, response, request);
  };
  for (const kind of ['Mutating', 'Validating']) {
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: `${kind}WebhookConfiguration`,
      metadata: { name: kind.toLowerCase() },
      webhooks: [hookTo(webhook, { name: `${kind.toLowerCase()}.example.com` })],
    };
    const registered = await ask('POST', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, { body, at });
    assert.ok([201, 409].includes(registered.status), registered.text);
  }
  const done = await ask('POST', MAPS, { body: map(`asked-${asked}`), headers, at });
  assert.is(done.status, 201, done.text);
  assert.is(told.length, 2);
  return { done, told };
}

test('webhooks of admission are told of the trace, and are parts of it', async () => {
  const { done, told } = await toldWebhook(server, OF_CLIENT);
  const { spans, named } = await traceOf(done);
  for (const [index, kind] of ['mutating', 'validating'].entries()) {
    const call = named(`Call ${kind} webhook`);
    const { UID, ...attributes } = call.attributes;
    assert.equal(attributes, {
      configuration: kind,
      webhook: `${kind}.example.com`,
      resource: '/v1, Resource=configmaps',
      subresource: '',
      operation: 'CREATE',
    });
    assert.match(UID as string, /^[0-9a-f-]{36}$/);
    assert.equal(call.events, ['Request completed']);
    const http = spans.find(({ parentId }) => parentId === call.spanId) as ReceivedSpan;
    assert.is(http.name, 'HTTP POST');
    assert.is(http.kind, SpanKind.SPAN_KIND_CLIENT);
    assert.is(http.attributes['http.status_code'], 200);
    assert.is(http.attributes['http.url'], `${webhook.url}?timeout=10s`);
    assert.is(told[index]?.traceparent, `00-${http.traceId}-${http.spanId}-01`);
    assert.is(told[index]?.tracestate, undefined);
    assert.is(told[index]?.baggage, OF_CLIENT.baggage);
  }
});

test('a webhook that converts is told of the trace, and is a part of it', async () => {
  const version = (name: string) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  });
  const { caBundle, url } = webhook;
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: ['v1'] } },
      versions: ['v1', 'v2'].map(version),
    },
  };
  const at = await serverWith({ flags: { controllers: ['*'], 'tracing-config-file': configuration() } });
  assert.is((await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition, at })).status, 201);
  const gadgets = (name: string) => `/apis/shop.example/${name}/namespaces/default/gadgets`;
  const body = { apiVersion: 'shop.example/v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { one: 'ab' } };
  let made: Asked;
  do made = await ask('POST', gadgets('v1'), { body, at });
  while (made.status === 404);
  assert.is(made.status, 201, made.text);
  const told: IncomingHttpHeaders[] = [];
  webhook.reply = (review, response, request) => {
    told.push(request.headers);
    converting(review, response, request);
  };
  for (const target of [`${gadgets('v2')}/g`, gadgets('v2')]) {
    told.length = 0;
    const done = await ask('GET', target, { at });
    assert.match(done.text, /"two":"ba"/);
    const { named, spans } = await traceOf(done);
    const call = named('Call conversion webhook');
    const { UID: _, ...attributes } = call.attributes;
    assert.equal(attributes, {
      'custom-resource-definition': 'gadgets.shop.example',
      'desired-api-version': 'shop.example/v2',
      'object-count': 1,
    });
    const http = spans.find(({ parentId }) => parentId === call.spanId) as ReceivedSpan;
    assert.equal(
      told.map(({ traceparent }) => traceparent),
      [`00-${http.traceId}-${http.spanId}-01`],
    );
  }
});

test('services that say who asks and who may are told of the trace, and are parts of it', async () => {
  const authority = path.join(folder, 'webhook.pem');
  writeFileSync(authority, Buffer.from(webhook.caBundle, 'base64'));
  const hooks = path.join(folder, 'hooks.json');
  const cluster = { server: webhook.url, 'certificate-authority': authority };
  writeFileSync(
    hooks,
    JSON.stringify({
      clusters: [{ name: 'h', cluster }],
      contexts: [{ name: 'c', context: { cluster: 'h', user: '' } }],
      'current-context': 'c',
    }),
  );
  const at = await serverWith({
    flags: {
      'tracing-config-file': configuration(),
      'authentication-token-webhook-config-file': hooks,
      'authentication-token-webhook-version': 'v1',
      'authorization-mode': ['RBAC', 'Webhook'],
      'authorization-webhook-config-file': hooks,
      'authorization-webhook-version': 'v1',
    },
  });
  const told: [kind: string, traceparent: unknown][] = [];
  webhook.reply = ({ apiVersion, kind }, response, request) => {
    told.push([kind, request.headers.traceparent]);
    const status = kind === 'TokenReview' ? { authenticated: true, user: { username: 'somebody' } } : { allowed: true };
    send(response, { apiVersion, kind, status });
  };
  const done = await ask('GET', '/api/v1/namespaces', { at, headers: { authorization: 'Bearer somebodys' } });
  assert.is(done.status, 200, done.text);
  const { spans, named } = await traceOf(done);
  const calls = ['authentication', 'authorization'].map((member) => {
    const { traceId, spanId } = spans.find(({ parentId }) => parentId === named(member).spanId) as ReceivedSpan;
    return `00-${traceId}-${spanId}-01`;
  });
  assert.equal(told, [
    ['TokenReview', calls[0]],
    ['SubjectAccessReview', calls[1]],
  ]);
});

test('a webhook that fails is a fault of its part', async () => {
  const { done } = await toldWebhook(server);
  assert.is(done.status, 201);
  webhook.reply = (_, response) => void response.writeHead(503).end('not now');
  const refused = await ask('POST', MAPS, { body: map('refused') });
  assert.is(refused.status, 500);
  const { root, named } = await traceOf(refused);
  assert.is(named('HTTP POST').raw.status?.code, StatusCode.STATUS_CODE_ERROR);
  assert.is(named('HTTP POST').attributes['http.status_code'], 503);
  assert.is(root.raw.status?.code, StatusCode.STATUS_CODE_ERROR);
});

test('of requests that are not recorded webhooks are told so', async () => {
  const at = await serverWith({ flags: { 'tracing-config-file': configuration({ samplingRatePerMillion: undefined }) } });
  const before = collector.spans.length;
  const { told } = await toldWebhook(at, OF_CLIENT);
  for (const { traceparent, tracestate, baggage } of told) {
    assert.match(traceparent as string, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    assert.is.not((traceparent as string).slice(3, 35), CLIENT_TRACE);
    assert.is(tracestate, undefined);
    assert.is(baggage, OF_CLIENT.baggage);
  }
  await at.stop();
  assert.is(collector.spans.length, before);
});

test('without tracing the trace of a client goes on, unless the gate is closed', async () => {
  const open = await serverWith();
  for (const { traceparent, tracestate, baggage } of (await toldWebhook(open, OF_CLIENT)).told)
    assert.equal({ traceparent, tracestate, baggage }, OF_CLIENT);
  for (const { traceparent } of (await toldWebhook(open)).told) assert.is(traceparent, undefined);
  const closed = await serverWith({ flags: { 'feature-gates': { APIServerTracing: false } } });
  for (const { traceparent, baggage } of (await toldWebhook(closed, OF_CLIENT)).told)
    assert.equal({ traceparent, baggage }, { traceparent: undefined, baggage: undefined });
});

test('a watch is a span until it ends', async () => {
  const id = `request-${asked++}`;
  const ending = new AbortController();
  const answer = await server.client.fetch(`${MAPS}?watch=true`, { headers: { 'audit-id': id }, signal: ending.signal });
  assert.is(answer.status, 200);
  const before = await traceOf(await ask('GET', '/livez'));
  assert.ok(before.root);
  assert.not(collector.spans.some(({ attributes }) => attributes['audit-id'] === id && attributes['http.method'] !== undefined));
  ending.abort();
  await answer.text().catch(() => {});
  const { root, named } = await traceOf({ id, status: 200, text: '' });
  assert.is(root.attributes['http.status_code'], 200);
  assert.is(named('List').attributes.verb, 'WATCH');
});

test('what another thread does for a request is a part of its trace', async () => {
  const { told, done: small } = await toldWebhook(server, OF_CLIENT);
  assert.is(small.status, 201);
  const done = await ask('POST', MAPS, { body: map('long', { a: 'x'.repeat(40_000) }) });
  assert.is(done.status, 201);
  const { root, spans, named } = await traceOf(done);
  const there = named('Answer on another thread');
  const here = spans.find(({ spanId }) => spanId === there.parentId);
  assert.is(here?.name, 'Create');
  const stored = named('Create etcd3');
  const way: string[] = [];
  for (let span: ReceivedSpan | undefined = stored; span !== undefined; span = spans.find((each) => each.spanId === span?.parentId))
    way.push(span.name);
  assert.equal(way, ['Create etcd3', 'Create', 'Answer on another thread', 'Create', root.name]);
  const http = spans.filter(({ name }) => name === 'HTTP POST').map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
  assert.equal(
    told.slice(2).map(({ traceparent }) => traceparent),
    http,
  );
});

async function dropped(at: EmbeddedServer): Promise<Record<string, number>> {
  const { text } = await ask('GET', '/metrics', { at });
  const rows = [...text.matchAll(/^apiserver_tracing_dropped_spans_total\{reason="(\w+)"\} (\d+)$/gm)];
  return Object.fromEntries(rows.map(([, reason, count]) => [reason, Number(count)]));
}

test('nobody waits for a collector that refuses, is busy or hangs: spans are dropped and counted', async () => {
  process.env.OTEL_BSP_MAX_QUEUE_SIZE = '64';
  const outcomes = { refuse: 'not_taken', unavailable: 'queue_full', hang: 'queue_full' } as const;
  const tried = Object.entries(outcomes).map(async ([behaviour, reason]) => {
    const own = await new TraceCollector().listen();
    own.behaviour = behaviour as keyof typeof outcomes;
    const at = await serverWith({ flags: { 'tracing-config-file': configuration({ endpoint: own.endpoint }) } });
    // of each request there are eight spans
    for (let i = 0; i < 40; i++) assert.is((await ask('GET', `${MAPS}/none`, { at })).status, 404);
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
  const at = await serverWith({ flags: { 'tracing-config-file': configuration({ endpoint: own.endpoint }) } });
  await ask('GET', '/livez', { at });
  await own.listen();
  const until = Date.now() + 30_000;
  while (own.spans.length === 0 && Date.now() < until)
    await ask('GET', '/livez', { at }).then(() => new Promise((resolve) => setTimeout(resolve, 50)));
  assert.ok(own.spans.some(({ name }) => name === 'GET'));
  await at.stop();
  own.stop();
});

test('a server that ends sends what it has', async () => {
  process.env.OTEL_BSP_SCHEDULE_DELAY = '600000';
  try {
    const at = await serverWith({ flags: { 'tracing-config-file': configuration() } });
    const done = await ask('GET', `${MAPS}/none`, { at });
    assert.not(collector.spans.some(({ attributes }) => attributes['audit-id'] === done.id));
    await at.stop();
    assert.is((await collector.request(done.id)).name, 'GET /api/v1/namespaces/{:namespace}/configmaps/{:name}');
  } finally {
    process.env.OTEL_BSP_SCHEDULE_DELAY = '20';
  }
});

test('each of several processes sends its own', async () => {
  const program = await startProgram({
    dialect: 'cluster',
    flags: ['--workers=2', `--tracing-config-file=${configuration({ apiVersion: 'apiserver.config.cluster.io/v1beta1' })}`],
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
    for (const id of ids) assert.is((await collector.request(id)).name, 'GET /api/v1/namespaces/{:namespace}/namespaces/{:name}');
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
    () => ({ 'tracing-config-file': configuration({ samplingRatePerMillion: 1_000_001 }) }),
    /\.json: samplingRatePerMillion: Invalid value: 1000001: sampling rate must be between 0 and one million/,
  ],
  [
    'a closed gate',
    () => ({ 'tracing-config-file': configuration(), 'feature-gates': { APIServerTracing: false } }),
    /--tracing-config-file.*APIServerTracing/,
  ],
];
for (const [name, flags, message] of wrong)
  test(`a start fails for ${name}`, async () => {
    let failure: Error | undefined;
    await serverWith({ flags: flags() }).catch((error: Error) => {
      failure = error;
    });
    assert.match(failure?.message ?? 'it has started', message);
  });
test.run();
