/** Mutating policies and mutating webhooks for the same requests: policies first, and again where they want it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConversionWebhook } from '../../custom-resources/conversion/webhook.ts';
import { answering, patchOf } from '../webhooked-server.ts';
import { createMap, label, policy, request, rule, withPolicies } from './server.ts';

const test = suite('mutating policies and webhooks');
withPolicies(test);

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
let webhook: ConversionWebhook;
test.before(async () => {
  webhook = await new ConversionWebhook().start();
  webhook.reply = answering(patchOf([{ op: 'add', path: '/metadata/labels/webhook', value: 'asked' }]));
});
test.before.each(() => {
  webhook.asked.length = 0;
});
test.after.each(async () => {
  await request('DELETE', WEBHOOKS);
});
test.after(() => webhook.stop());

async function configure(others: object = {}): Promise<void> {
  const hook = {
    name: 'a.example.com',
    clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
    rules: [rule()],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...others,
  };
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'w' },
    webhooks: [hook],
  };
  assert.is((await request('POST', WEBHOOKS, body)).status, 201);
}

const SEEN = 'has(object.metadata.labels) && "webhook" in object.metadata.labels ? "again" : "first"';
const seenByWebhook = () => webhook.asked.map((review) => review.request?.object.metadata.labels);

test('webhooks see what policies have made, and policies that want it see what webhooks have', async () => {
  await configure();
  await policy('once', { mutations: [label('once', SEEN)] });
  await policy('twice', { mutations: [label('twice', SEEN)], spec: { reinvocationPolicy: 'IfNeeded' } });
  const { body } = await createMap('a');
  assert.equal(seenByWebhook(), [{ once: 'first', twice: 'first' }]);
  assert.equal(body.metadata.labels, { once: 'first', twice: 'again', webhook: 'asked' });
});

test('webhooks that want it see what policies have made of it the second time', async () => {
  await configure({ reinvocationPolicy: 'IfNeeded' });
  await policy('twice', { mutations: [label('twice', SEEN)], spec: { reinvocationPolicy: 'IfNeeded' } });
  const { body } = await createMap('a');
  assert.equal(seenByWebhook(), [{ twice: 'first' }, { twice: 'again', webhook: 'asked' }]);
  assert.equal(body.metadata.labels, { twice: 'again', webhook: 'asked' });
});

test('a policy that is left out the first time is left out the second', async () => {
  await configure();
  await policy('late', {
    mutations: [label('late', '"made"')],
    spec: {
      reinvocationPolicy: 'IfNeeded',
      matchConditions: [{ name: 'c', expression: 'has(object.metadata.labels) && "webhook" in object.metadata.labels' }],
    },
  });
  const { body } = await createMap('a', { metadata: { name: 'a', labels: { of: 'client' } } });
  assert.equal(body.metadata.labels, { of: 'client', webhook: 'asked' });
});
test.run();
