/** What becomes of the answers of webhooks: those that are right, and those that hang, lie, or say too much. */

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import type { FindObject } from '../../../runtime/aggregation/service-address.ts';
import { serviceRoutes as routes } from '../../../runtime/assembly/parts/service-routes.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { ConversionParts, CustomConversion } from '../../../runtime/custom-resources/conversion/conversion-parts.ts';
import { WebhookConverter } from '../../../runtime/custom-resources/conversion/webhook-converter.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { ConversionWebhook, converting, type Review, SERVICE, send, success } from './webhook.ts';
import { FAILED, GROUP, replaced, spoilt, spoiltObject, status, V1, V2, WRONG_ANSWERS } from './wrong-answers.ts';

const test = suite('conversion by webhook');
const RESOURCE = { name: 'gadgets.shop.example', group: 'shop.example', versions: ['v1', 'v2'] };

let webhook: ConversionWebhook;
let metrics: Metrics;
const opened: WebhookConverter[] = [];
test.before(async () => {
  webhook = await new ConversionWebhook().start();
});
test.before.each(() => {
  metrics = new Metrics(metricsData);
  webhook.reply = converting;
  webhook.asked.length = 0;
  webhook.requests.length = 0;
});
test.after.each(() => {
  for (const converter of opened.splice(0)) converter.close();
});
test.after(() => webhook.stop());

interface Options {
  readonly clientConfig?: object;
  readonly versions?: readonly string[];
  readonly findObject?: FindObject;
  readonly byEndpoints?: boolean;
  readonly seconds?: number;
}

function create({
  clientConfig,
  versions = ['v1'],
  findObject = () => undefined,
  seconds,
  byEndpoints = false,
}: Options = {}): WebhookConverter {
  const serviceRoutes = routes({ 'enable-aggregator-routing': byEndpoints }, findObject);
  const conversion: CustomConversion = {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { caBundle: webhook.caBundle, ...(clientConfig ?? { url: webhook.url }) },
      conversionReviewVersions: versions,
    },
  };
  const parts: ConversionParts = { reviewGroup: GROUP, userAgent: 'tests', serviceRoutes, metrics, mayTakeLong: true };
  const converter = new WebhookConverter(RESOURCE, conversion, parts, seconds);
  opened.push(converter);
  return converter;
}

const gadget = (name: string, spec: object = { one: 'abc' }, metadata: object = {}): ApiObject => ({
  kind: 'Gadget',
  apiVersion: V1,
  metadata: { name, namespace: 'a', uid: `uid-${name}`, ...metadata },
  spec,
});
const some = (count: number): ApiObject[] => Array.from({ length: count }, (_, index) => gadget(`g${index}`, { one: `text ${index}` }));

async function refusal(converter: WebhookConverter, objects: readonly ApiObject[] = [gadget('x')]): Promise<StatusError> {
  try {
    await converter.convert(objects, V2);
  } catch (error) {
    assert.instance(error, StatusError);
    return error as StatusError;
  }
  throw new Error('it was converted');
}

test('objects are sent as they are, with a uid of their own, and come back in their order', async () => {
  const converter = create();
  const objects = some(3);
  const converted = await converter.convert(objects, V2);
  assert.equal(
    converted.map(({ apiVersion, metadata, spec }) => [apiVersion, metadata.name, spec]),
    [0, 1, 2].map((index) => [V2, `g${index}`, { two: `${index} txet` }]),
  );
  const [{ kind, apiVersion, request, response }] = webhook.asked;
  assert.equal([kind, apiVersion, request.desiredAPIVersion], ['ConversionReview', `${GROUP}/v1`, V2]);
  assert.equal(request.objects, objects);
  assert.equal(response, { uid: '', convertedObjects: null, result: { metadata: {} } });
  await converter.convert(objects, V2);
  assert.is.not(webhook.asked[1].request.uid, request.uid);
  assert.equal(webhook.requests, ['POST /convert?timeout=30s', 'POST /convert?timeout=30s']);
});

test('the first version of reviews that both sides speak is sent', async () => {
  for (const [versions, sent] of [
    [['v9', 'v1beta1', 'v1'], 'v1beta1'],
    [['v1', 'v1beta1'], 'v1'],
  ] as const) {
    webhook.asked.length = 0;
    await create({ versions }).convert(some(1), V2);
    assert.is(webhook.asked[0].apiVersion, `${GROUP}/${sent}`);
  }
  assert.is((await refusal(create({ versions: ['v9'] }))).message, 'no supported conversion review versions');
});

test('integers keep their digits on both ways', async () => {
  const parse = (text: string) => parseJson(text).value as ApiObject;
  let sent = '';
  webhook.reply = (review, response) => {
    sent = '9007199254740993';
    send(response, JSON.stringify(success(review)).replace('"big":0', `"big":${sent}`));
  };
  const [converted] = await create().convert([parse(JSON.stringify(gadget('x', { one: 'a', big: 0 })))], V2);
  assert.match(JSON.stringify(converted), `"big":${sent}`);
});

test('many objects, and long ones, are sent in several questions, one after the other', async () => {
  const converter = create();
  let underWay = 0;
  webhook.reply = (review, response) => {
    assert.is(++underWay, 1);
    setImmediate(() => {
      underWay--;
      send(response, success(review));
    });
  };
  const objects = some(1_201);
  assert.equal(
    (await converter.convert(objects, V2)).map(({ metadata }) => metadata.name),
    objects.map(({ metadata }) => metadata.name),
  );
  assert.equal(
    webhook.asked.map(({ request }: Review) => request.objects.length),
    [500, 500, 201],
  );
  webhook.asked.length = 0;
  await converter.convert(
    [1, 2, 3].map((index) => gadget(`g${index}`, { one: 'x'.repeat(150_000) })),
    V2,
  );
  assert.equal(
    webhook.asked.map(({ request }: Review) => request.objects.length),
    [1, 1, 1],
  );
});

test('of the metadata labels and annotations are the webhook’s, the rest is as it was', async () => {
  webhook.reply = (review, response) => {
    const answer = success(review);
    answer.response.convertedObjects[0].metadata = {
      name: 'x',
      namespace: 'a',
      uid: 'uid-x',
      labels: { b: '2' },
      annotations: null,
      resourceVersion: '99',
      finalizers: ['own/one'],
      more: 1,
    };
    send(response, answer);
  };
  const metadata = { resourceVersion: '7', labels: { a: '1' }, annotations: { c: '3' }, generation: 2 };
  const [converted] = await create().convert([gadget('x', {}, metadata)], V2);
  assert.equal(converted?.metadata, { name: 'x', namespace: 'a', uid: 'uid-x', resourceVersion: '7', generation: 2, labels: { b: '2' } });
});

for (const { name, reply, message, versions, times = 1 } of WRONG_ANSWERS)
  test(`${name} is an error`, async () => {
    webhook.reply = reply;
    const { status: told } = await refusal(create(versions && { versions }));
    const text = (told.message as string).replace(webhook.asked[0].request.uid, 'uid');
    assert.ok(text.startsWith(message), text);
    assert.equal([told.code, told.reason, told.details, webhook.requests.length], [500, undefined, undefined, times]);
  });

test('an invalid one among several is told of as if it was converted alone, as 1.32 has each converted by itself', async () => {
  for (const [wrong, message] of [
    [{ apiVersion: V1 }, `invalid object at index 0: invalid groupVersion (expected ${V2}, received ${V1})`],
    [{ kind: '' }, `Object 'Kind' is missing in `],
  ] as const) {
    webhook.reply = spoilt(({ response }) => Object.assign(response.convertedObjects[2], wrong));
    assert.match((await refusal(create(), some(3))).message, message);
  }
});

for (const { answered, converted, problem } of [
  { answered: {}, converted: {} },
  { answered: { metadata: { labels: { a: 'b' }, generation: 3 } }, converted: { metadata: { labels: { a: 'b' } } } },
  { answered: { metadata: { name: 'other' } }, problem: 'returned invalid object: must have the same name:  != other' },
])
  test(`of an object that has nothing yet, as apply compares with it, ${JSON.stringify(answered)} is ${problem ?? 'taken'}`, async () => {
    webhook.reply = (review, response) => {
      const answer = success(review);
      answer.response.convertedObjects = [{ kind: 'Gadget', apiVersion: V2, ...answered }];
      send(response, answer);
    };
    const empty = [{ kind: 'Gadget', apiVersion: V1 } as ApiObject];
    if (problem === undefined) assert.equal(await create().convert(empty, V2), [{ kind: 'Gadget', apiVersion: V2, ...converted }]);
    else assert.match((await refusal(create(), empty)).message, problem);
  });

test('a webhook of the older version of reviews need not say what it answers', async () => {
  webhook.reply = replaced(({ response: { uid: _uid, ...response } }) => ({ response }));
  const [converted] = await create({ versions: ['v1beta1'] }).convert([gadget('x')], V2);
  assert.equal(converted?.spec, { two: 'cba' });
});

const PLACE = () => `Post "${webhook.url}?timeout=`;

test('who does not answer in time is given up', async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  webhook.reply = (_review, response) => begun.resolve(response);
  const { message } = await refusal(create({ seconds: 0.2 }));
  assert.is(message, `${FAILED}${PLACE()}0.2s": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`);
  const response = await begun.promise;
  if (!response.destroyed) await once(response, 'close');
});

test('who waits no longer ends the question', async () => {
  const leaving = new AbortController();
  const gone = Promise.withResolvers<void>();
  webhook.reply = (_review, response) => {
    response.once('close', gone.resolve);
    leaving.abort(new Error('left'));
  };
  const failure = await create()
    .convert([gadget('x')], V2, { signal: leaving.signal })
    .catch((error: Error) => error.message);
  assert.is(failure, 'left');
  await gone.promise;
  assert.not.match((await metrics.text()).body, 'conversion_webhook_request_total{');
});

test('of an endless answer no more is read than the objects may have become', async () => {
  const PIECE = Buffer.alloc(64 * 1024, 0x20);
  let sent = 0;
  const gone = Promise.withResolvers<void>();
  webhook.reply = async (_review, response) => {
    response.once('close', gone.resolve);
    response.writeHead(200, { 'content-type': 'application/json' });
    for (; sent < 100 * 1024 * 1024 && !response.destroyed; sent += PIECE.length)
      if (!response.write(PIECE)) await Promise.race([once(response, 'drain'), gone.promise]);
  };
  const { message } = await refusal(create());
  assert.match(message, /^conversion webhook for .* failed: Post ".*": the answer is larger than 13\d{4} bytes$/);
  await gone.promise;
  assert.ok(sent < 50 * 1024 * 1024, `${sent} bytes were taken`);
});

test('a connection that breaks is an error', async () => {
  webhook.reply = (_review, response) => void response.socket?.destroy();
  assert.is((await refusal(create())).message, `${FAILED}${PLACE()}30s": EOF`);
  webhook.reply = (_review, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{', () => response.socket?.destroy());
  };
  const CUT_OFF = 'unexpected error when reading response body. Please retry. Original error: unexpected EOF';
  assert.is((await refusal(create())).message, `${FAILED}${CUT_OFF}`);
});

test('a connection that the webhook has ended meanwhile is made anew', async () => {
  const converter = create();
  await converter.convert(some(1), V2);
  let broken = 0;
  webhook.reply = (_review, response) => {
    broken++;
    webhook.reply = converting;
    response.socket?.destroy();
  };
  await converter.convert(some(1), V2);
  assert.is(broken, 1);
});

test('nobody who listens is an error', async () => {
  const other = await new ConversionWebhook().start();
  const { url } = other;
  await other.stop();
  const { message } = await refusal(create({ clientConfig: { url } }));
  assert.is(message, `${FAILED}Post "${url}?timeout=30s": dial tcp ${new URL(url).host}: connect: connection refused`);
});

test('certificates are held against the bundle, the host and the time', async () => {
  const UNVERIFIED = 'tls: failed to verify certificate: x509: ';
  const of = (problem: string) => `${FAILED}${PLACE()}30s": ${UNVERIFIED}${problem}`;
  const other = create({ clientConfig: { url: webhook.url, caBundle: webhook.otherBundle() } });
  assert.is((await refusal(other)).message, of('certificate signed by unknown authority'));
  const public_ = create({ clientConfig: { url: webhook.url, caBundle: '' } });
  assert.is((await refusal(public_)).message, of('certificate signed by unknown authority'));
  try {
    webhook.show({ host: '10.1.2.3' });
    assert.is((await refusal(create())).message, of('certificate is valid for 10.1.2.3, not 127.0.0.1'));
    webhook.show({ host: 'other.example' });
    assert.is((await refusal(create())).message, of("cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"));
    webhook.show({ days: -1 });
    assert.is((await refusal(create())).message, of('certificate has expired or is not yet valid'));
  } finally {
    webhook.show({});
  }
  assert.equal(webhook.requests, []);
});

test('a service is found by its object, when a connection is made, and shows a certificate for its name', async () => {
  const { port } = webhook;
  let spec: object | undefined;
  const service =
    (of: object): FindObject =>
    (...found) => {
      assert.equal(found, ['services', 'default', 'hook']);
      return spec && ({ kind: 'Service', apiVersion: 'v1', metadata: {}, spec: { ports: [{ port }], ...spec, ...of } } as ApiObject);
    };
  const clientConfig = { service: { namespace: 'default', name: 'hook', path: '/a/b/', port } };
  const converter = create({ clientConfig, findObject: service({}) });
  const failed = (problem: string) => `${FAILED}Post "https://${SERVICE}:${port}/a/b?timeout=30s": ${problem}`;
  assert.is((await refusal(converter)).message, failed('service "hook" not found'));
  spec = { clusterIP: 'None' };
  assert.is((await refusal(converter)).message, failed('cannot route to service with ClusterIP "None"'));
  spec = { clusterIP: '127.0.0.1', ports: [{ port: 1 }] };
  assert.is((await refusal(converter)).message, failed(`no service port ${port} found for service "hook"`));
  spec = { type: 'ExternalName', externalName: 'nowhere.invalid' };
  assert.match((await refusal(converter)).message, failed('dial tcp: lookup nowhere.invalid: '));
  for (const found of [{ clusterIP: '127.0.0.1' }, { type: 'ExternalName', externalName: 'localhost', ports: undefined }]) {
    spec = found;
    const [converted] = await create({ clientConfig, findObject: service({}) }).convert([gadget('x')], V2);
    assert.equal(converted?.spec, { two: 'cba' });
  }
  assert.equal(webhook.requests, ['POST /a/b?timeout=30s', 'POST /a/b?timeout=30s']);
});

test('with --enable-aggregator-routing, endpoints of the service are asked at their own port', async () => {
  const { port } = webhook;
  let objects: Readonly<Record<string, object>> = {};
  const findObject: FindObject = (resource) => objects[resource] as ApiObject | undefined;
  const clientConfig = { service: { namespace: 'default', name: 'hook', port: 8443 } };
  const converter = create({ clientConfig, findObject, byEndpoints: true });
  const failed = (problem: string) => `${FAILED}Post "https://${SERVICE}:8443/?timeout=30s": ${problem}`;
  assert.is((await refusal(converter)).message, failed('service "hook" not found'));
  const services = { spec: { clusterIP: '10.0.0.1', ports: [{ name: 'x', port: 8443 }] } };
  objects = { services };
  assert.is((await refusal(converter)).message, failed('endpoints "hook" not found'));
  const endpoints = (reached: number) => ({ subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'x', port: reached }] }] });
  objects = { services, endpoints: { subsets: [] } };
  assert.is((await refusal(converter)).message, failed('no endpoints available for service "hook"'));
  objects = { services, endpoints: endpoints(1) };
  assert.is((await refusal(converter)).message, failed('dial tcp 127.0.0.1:1: connect: connection refused'));
  objects = { services, endpoints: endpoints(port) };
  const [converted] = await converter.convert([gadget('x')], V2);
  assert.equal(converted?.spec, { two: 'cba' });
  assert.equal(webhook.requests, ['POST /?timeout=30s']);
});

test('what was asked is counted, by what came of it', async () => {
  const converter = create();
  await converter.convert(some(2), V2);
  webhook.reply = status(500);
  await refusal(converter);
  webhook.reply = spoilt((answer) => Object.assign(answer.response, { uid: '' }));
  await refusal(converter);
  webhook.reply = spoilt((answer) => Object.assign(answer.response, { convertedObjects: [] }));
  await refusal(converter);
  webhook.reply = spoiltObject((object) => Object.assign(object, { kind: 'Widget' }));
  await refusal(converter);
  const { body } = await metrics.text();
  for (const failure of ['call', 'malformed_response', 'partial_response', 'invalid_converted_object'])
    assert.match(
      body,
      `apiserver_conversion_webhook_request_total{failure_type="conversion_webhook_${failure}_failure",result="failure"} 1`,
    );
  assert.match(body, 'apiserver_conversion_webhook_request_total{failure_type="",result="success"} 1');
  assert.match(body, 'apiserver_conversion_webhook_duration_seconds_count{failure_type="",result="success"} 1');
  const of = (succeeded: boolean) => `crd_name="gadgets.shop.example",from_version="v1",succeeded="${succeeded}",to_version="v2"`;
  assert.match(body, `apiserver_crd_conversion_webhook_duration_seconds_count{${of(true)}} 1`);
  assert.match(body, `apiserver_crd_conversion_webhook_duration_seconds_count{${of(false)}} 4`);
});

test.run();
