/** Traces of what a server asks others for a request: webhooks and its other thread are parts of it, and are told so. */
import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SpanKind, StatusCode } from '../../../generated/node-interfaces/trace-collector.ts';
import type { EmbeddedServer } from '../../../runtime/embedded/start-server.ts';
import { answering, hookTo } from '../../admission/webhooked-server.ts';
import { ConversionWebhook, converting, send } from '../../custom-resources/conversion/webhook.ts';
import { eventually } from '../../harness/eventually.ts';
import type { ReceivedSpan } from '../../harness/trace-collector.ts';
import { type Asked, CLIENT_TRACE, MAPS, map, OF_CLIENT, TracedServers } from '../../harness/traced-servers.ts';

const traced = await TracedServers.start();
const webhook = await new ConversionWebhook().start();
const test = suite('traces of calls');
test.before.each(() => {
  webhook.reply = answering({});
});
test.after(async () => {
  await traced.stop();
  await webhook.stop();
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
    const registered = await traced.ask('POST', `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
      body,
      at,
    });
    assert.ok([201, 409].includes(registered.status), registered.text);
  }
  const done = await traced.ask('POST', MAPS, { body: map(traced.newId()), headers, at });
  assert.is(done.status, 201, done.text);
  assert.is(told.length, 2);
  return { done, told };
}

test('webhooks of admission are told of the trace, and are parts of it', async () => {
  const { done, told } = await toldWebhook(traced.server, OF_CLIENT);
  const { spans, named } = await traced.traceOf(done);
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
  const at = await traced.another({ controllers: ['*'], 'tracing-config-file': traced.configuration() });
  assert.is((await traced.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition, at })).status, 201);
  const gadgets = (name: string) => `/apis/shop.example/${name}/namespaces/default/gadgets`;
  const body = { apiVersion: 'shop.example/v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { one: 'ab' } };
  let made: Asked | undefined;
  await eventually('gadgets are served', async () => {
    made = await traced.ask('POST', gadgets('v1'), { body, at });
    return made.status !== 404;
  });
  assert.is(made?.status, 201, made?.text);
  const told: IncomingHttpHeaders[] = [];
  webhook.reply = (review, response, request) => {
    told.push(request.headers);
    converting(review, response, request);
  };
  for (const target of [`${gadgets('v2')}/g`, gadgets('v2')]) {
    told.length = 0;
    const done = await traced.ask('GET', target, { at });
    assert.match(done.text, /"two":"ba"/);
    const { named, spans } = await traced.traceOf(done);
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
  const authority = path.join(traced.folder, 'webhook.pem');
  writeFileSync(authority, Buffer.from(webhook.caBundle, 'base64'));
  const hooks = path.join(traced.folder, 'hooks.json');
  const cluster = { server: webhook.url, 'certificate-authority': authority };
  writeFileSync(
    hooks,
    JSON.stringify({
      clusters: [{ name: 'h', cluster }],
      contexts: [{ name: 'c', context: { cluster: 'h', user: '' } }],
      'current-context': 'c',
    }),
  );
  const at = await traced.another({
    'tracing-config-file': traced.configuration(),
    'authentication-token-webhook-config-file': hooks,
    'authentication-token-webhook-version': 'v1',
    'authorization-mode': ['RBAC', 'Webhook'],
    'authorization-webhook-config-file': hooks,
    'authorization-webhook-version': 'v1',
  });
  const told: [kind: string, traceparent: unknown][] = [];
  webhook.reply = ({ apiVersion, kind }, response, request) => {
    told.push([kind, request.headers.traceparent]);
    const status = kind === 'TokenReview' ? { authenticated: true, user: { username: 'somebody' } } : { allowed: true };
    send(response, { apiVersion, kind, status });
  };
  const done = await traced.ask('GET', '/api/v1/namespaces', { at, headers: { authorization: 'Bearer somebodys' } });
  assert.is(done.status, 200, done.text);
  const { spans, named } = await traced.traceOf(done);
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
  const { done } = await toldWebhook(traced.server);
  assert.is(done.status, 201);
  webhook.reply = (_, response) => void response.writeHead(503).end('not now');
  const refused = await traced.ask('POST', MAPS, { body: map('refused') });
  assert.is(refused.status, 500);
  const { root, named } = await traced.traceOf(refused);
  assert.is(named('HTTP POST').raw.status?.code, StatusCode.STATUS_CODE_ERROR);
  assert.is(named('HTTP POST').attributes['http.status_code'], 503);
  assert.is(root.raw.status?.code, StatusCode.STATUS_CODE_ERROR);
});

test('of requests that are not recorded webhooks are told so', async () => {
  const at = await traced.another({ 'tracing-config-file': traced.configuration({ samplingRatePerMillion: undefined }) });
  const before = traced.collector.spans.length;
  const { told } = await toldWebhook(at, OF_CLIENT);
  for (const { traceparent, tracestate, baggage } of told) {
    assert.match(traceparent as string, /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    assert.is.not((traceparent as string).slice(3, 35), CLIENT_TRACE);
    assert.is(tracestate, undefined);
    assert.is(baggage, OF_CLIENT.baggage);
  }
  await at.stop();
  assert.is(traced.collector.spans.length, before);
});

test('without tracing the trace of a client goes on, unless the gate is closed', async () => {
  const open = await traced.another();
  for (const { traceparent, tracestate, baggage } of (await toldWebhook(open, OF_CLIENT)).told)
    assert.equal({ traceparent, tracestate, baggage }, OF_CLIENT);
  for (const { traceparent } of (await toldWebhook(open)).told) assert.is(traceparent, undefined);
  const closed = await traced.another({ 'feature-gates': { APIServerTracing: false } });
  for (const { traceparent, baggage } of (await toldWebhook(closed, OF_CLIENT)).told)
    assert.equal({ traceparent, baggage }, { traceparent: undefined, baggage: undefined });
});

test('what another thread does for a request is a part of its trace', async () => {
  const { told, done: small } = await toldWebhook(traced.server, OF_CLIENT);
  assert.is(small.status, 201);
  const done = await traced.ask('POST', MAPS, { body: map('long', { a: 'x'.repeat(40_000) }) });
  assert.is(done.status, 201);
  const { root, spans, named } = await traced.traceOf(done);
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

test('who has gone before another thread begins gets nothing done', async () => {
  const at = await traced.another({ 'tracing-config-file': traced.configuration() });
  const leaving = new AbortController();
  const long = (name: string) => map(name, { a: 'x'.repeat(40_000) });
  // the thread is told of the request, and has yet to load what it needs
  process.once('worker', () => leaving.abort());
  const headers = { 'content-type': 'application/json' };
  const asked = at.client.fetch(MAPS, { method: 'POST', headers, body: JSON.stringify(long('gone')), signal: leaving.signal });
  assert.is(await asked.catch((error: unknown) => error), leaving.signal.reason);
  assert.is((await traced.ask('POST', MAPS, { body: long('staying'), at })).status, 201);
  assert.is((await traced.ask('GET', `${MAPS}/gone`, { at })).status, 404);
});

test.run();
