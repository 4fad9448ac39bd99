/** Validating webhooks through a whole server: what they see, and of which requests. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  answering,
  asked,
  askingWebhooks,
  CONFIG_MAPS,
  configMap,
  configure,
  create,
  GROUP,
  hook,
  RULE,
  request,
  webhook,
} from '../webhooked-server.ts';

const test = suite('validating webhooks');
askingWebhooks(test);

test('are shown a request as 1.32 shows it, as soon as they are configured', async () => {
  await configure('Validating', hook());
  assert.is((await create('a', { data: { k: 'v' } })).status, 201);
  assert.equal(webhook.requests, ['POST /convert?timeout=10s']);
  const [review] = webhook.asked;
  assert.is(review.apiVersion, 'admission.k8s.io/v1');
  assert.is(review.kind, 'AdmissionReview');
  const { uid, object, userInfo, ...others } = review.request;
  assert.match(uid, /^[0-9a-f-]{36}$/);
  assert.ok(userInfo.groups.includes('system:masters'));
  assert.equal(object.data, { k: 'v' });
  assert.match(object.metadata.uid, /^[0-9a-f-]{36}$/);
  assert.equal(others, {
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    requestResource: { group: '', version: 'v1', resource: 'configmaps' },
    name: 'a',
    namespace: 'default',
    operation: 'CREATE',
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  });
});

test('see updates, patches, deletes and deletes of collections', async () => {
  await create('a');
  await create('b');
  await configure('Validating', hook());
  await request('PUT', `${CONFIG_MAPS}/a?fieldManager=me`, configMap('a', { data: { k: '1' } }));
  await request('PATCH', `${CONFIG_MAPS}/a?dryRun=All`, { data: { k: '2' } }, 'application/merge-patch+json');
  await request('DELETE', `${CONFIG_MAPS}/a?propagationPolicy=Background`);
  await request('DELETE', CONFIG_MAPS);
  const told = asked().map(({ operation, name, object, oldObject, options, dryRun }) => [
    operation,
    name,
    object?.data?.k,
    oldObject?.metadata.name,
    options.kind,
    options.fieldManager ?? options.propagationPolicy ?? options.dryRun,
    dryRun,
  ]);
  const collected = told.slice(3).map(([operation, name, , old]) => [operation, name, old]);
  assert.equal(told.slice(0, 3), [
    ['UPDATE', 'a', '1', 'a', 'UpdateOptions', 'me', false],
    ['UPDATE', 'a', '2', 'a', 'UpdateOptions', ['All'], true],
    ['DELETE', 'a', undefined, 'a', 'DeleteOptions', 'Background', false],
  ]);
  assert.ok(collected.some(([operation, name, old]) => operation === 'DELETE' && name === undefined && old === 'b'));
});

const PODS = '/api/v1/namespaces/default/pods';

async function createPod(name: string): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await request('POST', '/api/v1/namespaces/default/serviceaccounts', account);
  const spec = { nodeName: 'n', terminationGracePeriodSeconds: 7, containers: [{ name: 'c', image: 'i' }] };
  const made = await request('POST', PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
  assert.is(made.status, 201, JSON.stringify(made.body));
}

/** Of each review: the marks of the object, and the options without their kind. */
const deletes = () =>
  asked().map(({ oldObject, options: { kind: _kind, apiVersion: _version, ...options } }) => [
    oldObject.metadata.deletionGracePeriodSeconds,
    options,
  ]);

test('see the grace period that a delete takes, and once more what is marked before it goes', async () => {
  await configure('Validating', hook({ rules: [{ ...RULE, operations: ['DELETE'], resources: ['pods'] }] }));
  await createPod('a');
  await request('DELETE', `${PODS}/a`);
  await request('DELETE', `${PODS}/a?gracePeriodSeconds=0`);
  await createPod('b');
  await request('DELETE', `${PODS}/b?gracePeriodSeconds=-5`);
  await request('DELETE', `${PODS}/b?gracePeriodSeconds=0&dryRun=All`);
  await request('DELETE', `${PODS}/b?gracePeriodSeconds=0`);
  assert.equal(deletes(), [
    [undefined, { gracePeriodSeconds: 7 }],
    [7, { gracePeriodSeconds: 0 }],
    [0, { gracePeriodSeconds: 0 }],
    [undefined, { gracePeriodSeconds: 1 }],
    [1, { gracePeriodSeconds: 0, dryRun: ['All'] }],
    [1, { gracePeriodSeconds: 0 }],
    [0, { gracePeriodSeconds: 0 }],
  ]);
});

test('that refuse what is marked leave it with its marks', async () => {
  await createPod('a');
  await configure('Validating', hook({ rules: [{ ...RULE, operations: ['DELETE'], resources: ['pods'] }] }));
  webhook.reply = (review, response, message) =>
    answering({ allowed: review.request.oldObject.metadata.deletionTimestamp === undefined })(review, response, message);
  assert.is((await request('DELETE', `${PODS}/a?gracePeriodSeconds=0`)).status, 400);
  assert.is((await request('GET', `${PODS}/a`)).body.metadata.deletionGracePeriodSeconds, 0);
  webhook.reply = answering({});
  assert.is((await request('DELETE', `${PODS}/a?gracePeriodSeconds=0`)).status, 200);
});

test('see whether a delete leaves dependents, as it is asked for in the older way', async () => {
  await create('a');
  await configure('Validating', hook());
  await request('DELETE', `${CONFIG_MAPS}/a`, { apiVersion: 'v1', kind: 'DeleteOptions', orphanDependents: false });
  assert.equal(deletes(), [[undefined, { orphanDependents: false }]]);
});

test('see that a namespace must be the one that was found', async () => {
  await configure('Validating', hook({ rules: [{ ...RULE, operations: ['DELETE'], resources: ['namespaces'] }] }));
  const made = await request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } });
  await request('DELETE', '/api/v1/namespaces/leaving');
  assert.equal(deletes(), [[undefined, { preconditions: { uid: made.body.metadata.uid } }]]);
});

test('validating ones are asked at the same time', async () => {
  await configure('Validating', hook(), hook({ name: 'b.example.com' }));
  const waiting: (() => void)[] = [];
  webhook.reply = (review, response, message) => {
    waiting.push(() => answering({})(review, response, message));
    if (waiting.length === 2) for (const each of waiting) each();
  };
  assert.is((await create('a')).status, 201);
});

interface Selecting {
  readonly name: string;
  readonly hook: object;
  readonly asks: boolean;
}
const selecting: Selecting[] = [
  { name: 'another resource', hook: { rules: [{ ...RULE, resources: ['secrets'] }] }, asks: false },
  { name: 'another operation', hook: { rules: [{ ...RULE, operations: ['UPDATE', 'DELETE'] }] }, asks: false },
  { name: 'another group', hook: { rules: [{ ...RULE, apiGroups: ['apps'] }] }, asks: false },
  { name: 'all', hook: { rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] }, asks: true },
  { name: 'all with subresources', hook: { rules: [{ ...RULE, resources: ['*/*'] }] }, asks: true },
  { name: 'a subresource', hook: { rules: [{ ...RULE, resources: ['configmaps/status'] }] }, asks: false },
  { name: 'cluster scope', hook: { rules: [{ ...RULE, scope: 'Cluster' }] }, asks: false },
  { name: 'namespaced scope', hook: { rules: [{ ...RULE, scope: 'Namespaced' }] }, asks: true },
  { name: 'labels that it has', hook: { objectSelector: { matchLabels: { a: 'b' } } }, asks: true },
  { name: 'labels that it has not', hook: { objectSelector: { matchLabels: { a: 'c' } } }, asks: false },
  { name: 'its namespace', hook: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } }, asks: true },
  { name: 'another namespace', hook: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'x' } } }, asks: false },
  { name: 'a condition that is true', hook: { matchConditions: [{ name: 'a', expression: 'object.metadata.name == "a"' }] }, asks: true },
  {
    name: 'a condition that is false',
    hook: { matchConditions: [{ name: 'a', expression: 'request.operation != "CREATE"' }] },
    asks: false,
  },
  {
    name: 'leave that its user has',
    hook: { matchConditions: [{ name: 'a', expression: 'authorizer.requestResource.check("delete").allowed()' }] },
    asks: true,
  },
  {
    name: 'leave that somebody has not',
    hook: {
      matchConditions: [
        { name: 'a', expression: 'authorizer.serviceAccount("default", "x").group("").resource("pods").check("get").allowed()' },
      ],
    },
    asks: false,
  },
  {
    name: 'a condition that fails, passed over',
    hook: { failurePolicy: 'Ignore', matchConditions: [{ name: 'a', expression: 'object.x == "a"' }] },
    asks: false,
  },
];
for (const { name, hook: others, asks } of selecting)
  test(`rules, selectors and conditions: ${name}`, async () => {
    await configure('Validating', hook(others));
    assert.is((await create('a', { metadata: { name: 'a', labels: { a: 'b' } } })).status, 201);
    assert.is(webhook.asked.length, asks ? 1 : 0);
  });

test('of several that refuse, clients are told of the first in time', async () => {
  await configure('Validating', hook(), hook({ name: 'b.example.com' }));
  const waiting: (() => void)[] = [];
  webhook.reply = (review, response, message) => {
    const text = `refusal ${waiting.length}`;
    waiting.push(() => answering({ allowed: false, status: { message: text } })(review, response, message));
    if (waiting.length < 2) return;
    waiting[1]?.();
    setTimeout(waiting[0] as () => void, 200);
  };
  assert.match((await create('a')).body.message, /refusal 1$/);
});

test('see dry runs only where these have no side effects', async () => {
  await configure('Validating', hook({ sideEffects: 'NoneOnDryRun' }));
  assert.is((await request('POST', `${CONFIG_MAPS}?dryRun=All`, configMap('a'))).status, 201);
  assert.is(asked()[0].dryRun, true);
  assert.equal(asked()[0].options.dryRun, ['All']);
});

test('see connections, and never the configurations of webhooks', async () => {
  const all = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
  await configure('Validating', hook({ rules: [all] }));
  webhook.reply = answering({ allowed: false });
  const { body } = await request('GET', '/api/v1/namespaces/default/pods/x/exec?command=ls&stdout=true');
  assert.is(body.message, 'admission webhook "a.example.com" denied the request without explanation');
  const [{ operation, kind, subResource, object, options }] = asked();
  assert.equal([operation, kind.kind, subResource, object.command, options], ['CONNECT', 'PodExecOptions', 'exec', ['ls'], null]);
  assert.is((await request('DELETE', `${GROUP}/validatingwebhookconfigurations`)).status, 200);
  assert.is(webhook.asked.length, 1);
});

test.run();
