/** Admission webhooks that hang while long objects are written: who is not asked about by them does not wait, and no user takes all places of another. */
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConversionWebhook, type Review, send } from '../../custom-resources/conversion/webhook.ts';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('webhooks that hang');
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const HELD = 12;
/** Longer than what is answered by the thread that serves. */
const LONG = 'x'.repeat(40_000);

const configMaps = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;
const configMap = (name: string) => ({ metadata: { name }, data: { text: LONG } });

let server: TestServer;
let webhook: ConversionWebhook;
let client: Client;
test.before(async () => {
  webhook = await new ConversionWebhook().start();
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
});
test.after(async () => {
  client.close();
  assert.is(await server.stop(), 0, server.log());
  await webhook.stop();
});

/** The webhook is asked about the namespace kube-public alone. */
const configuration = () => ({
  metadata: { name: 'hanging' },
  webhooks: [
    {
      name: 'hanging.example.com',
      clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-public' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 30,
    },
  ],
});

const allowed = ({ apiVersion, kind, request: { uid } }: Review): Review => ({ apiVersion, kind, response: { uid, allowed: true } });

/** @returns what lets all go that the webhook is asked, and resolves when it has been asked so many questions */
function holding(questions: number): { readonly asked: Promise<void>; release(): void } {
  const asked = Promise.withResolvers<void>();
  const held: (() => void)[] = [];
  webhook.reply = (review, response) => {
    held.push(() => send(response, allowed(review)));
    if (held.length === questions) asked.resolve();
  };
  return {
    asked: asked.promise,
    release() {
      webhook.reply = (review, response) => send(response, allowed(review));
      for (const each of held) each();
    },
  };
}

test('hold those alone that they are asked about, each by itself', async () => {
  assert.is((await client.post(CONFIGURATIONS, configuration())).status, 201);
  const { asked, release } = holding(HELD);
  const waiting = Array.from({ length: HELD }, (_, i) => client.post(configMaps('kube-public'), configMap(`held-${i}`)));
  // all of them are asked, though none is answered
  await asked;
  for (let i = 0; i < 3; i++) assert.is((await client.post(configMaps('default'), configMap(`free-${i}`))).status, 201);
  const patched = await client.patch(`${configMaps('default')}/free-0`, { data: { more: LONG } });
  assert.is(patched.status, 200);
  release();
  assert.equal(new Set((await Promise.all(waiting)).map(({ status }) => status)), new Set([201]));
  assert.is(
    (await client.get(configMaps('kube-public'))).body.items.filter((each: { metadata: { name: string } }) =>
      /^held/.test(each.metadata.name),
    ).length,
    HELD,
  );
});

test('are given up with who waits for them, and others go on', async () => {
  const { asked, release } = holding(3);
  const leaving = ['1s', '30s', '30s'].map((timeout, i) =>
    client.post(`${configMaps('kube-public')}?timeout=${timeout}`, configMap(`left-${i}`)),
  );
  await asked;
  const [first, ...others] = leaving;
  // beyond the time that the thread has to end what nobody waits for
  assert.is((await (first as (typeof leaving)[0])).status, 504);
  for (let i = 0; i < 3; i++) assert.is((await client.post(configMaps('default'), configMap(`later-${i}`))).status, 201);
  release();
  assert.equal(
    (await Promise.all(others)).map(({ status }) => status),
    [201, 201],
  );
  assert.is((await client.get(`${configMaps('kube-public')}/left-0`)).status, 404);
  const { text } = await client.get('/metrics');
  assert.match(text, /^rest_client_requests_total\{code="200",host="[^"]*:\d+",method="POST"\} \d+$/m);
  assert.equal(
    text.split('\n').filter((line) => line.startsWith('apiserver_request_post_timeout_total')),
    ['rest-handler",status="error', 'timeout-handler",status="ok'].map((of) => `apiserver_request_post_timeout_total{source="${of}"} 1`),
  );
  assert.equal(server.faults(), []);
});

test('are given up at once where a client has gone, though others wait too', async () => {
  const bothAsked = Promise.withResolvers<void>();
  const held = new Map<string, { readonly answer: () => void; readonly ended: Promise<unknown> }>();
  webhook.reply = (review, response) => {
    held.set(review.request.name, { answer: () => send(response, allowed(review)), ended: once(response, 'close') });
    if (held.size === 2) bothAsked.resolve();
  };
  const leaving = new Client(server);
  const gone = leaving.post(configMaps('kube-public'), configMap('gone')).catch((error: Error) => error);
  const staying = client.post(configMaps('kube-public'), configMap('staying'));
  await bothAsked.promise;
  leaving.close();
  assert.instance(await gone, Error);
  await held.get('gone')?.ended;
  for (const { answer } of held.values()) answer();
  assert.is((await staying).status, 201);
  assert.is((await client.get(`${configMaps('kube-public')}/gone`)).status, 404);
  assert.equal(server.faults(), []);
});

test.run();
