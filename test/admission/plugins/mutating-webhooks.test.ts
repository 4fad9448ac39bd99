/** Mutating webhooks through a whole server: what becomes of their patches. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
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
  patchOf,
  RULE,
  request,
  webhook,
} from '../webhooked-server.ts';

const test = suite('mutating webhooks');
askingWebhooks(test);

test('change objects one after the other, and what they made is decoded and validated again', async () => {
  await configure('Mutating', hook(), hook({ name: 'b.example.com' }));
  webhook.reply = (review, response, message) => {
    const { data } = review.request.object;
    const operations =
      data === undefined ? [{ op: 'add', path: '/data', value: { a: '1' } }] : [{ op: 'add', path: '/data/b', value: data.a }];
    answering({ ...patchOf(operations), warnings: ['changed'] })(review, response, message);
  };
  const answer = await create('a');
  assert.equal(answer.body.data, { a: '1', b: '1' });
  assert.match(answer.warnings ?? '', /changed/);
  assert.equal((await request('GET', `${CONFIG_MAPS}/a`)).body.data, { a: '1', b: '1' });
});

interface Patch {
  readonly name: string;
  readonly operations: unknown;
  readonly status: number;
  readonly message: RegExp;
}
const patches: Patch[] = [
  { name: 'that does not apply', operations: [{ op: 'remove', path: '/x' }], status: 500, message: /^Internal error occurred: .*x/ },
  {
    name: 'that is none',
    operations: {},
    status: 500,
    message: /^Internal error occurred: json: cannot unmarshal object into Go value of type jsonpatch\.Patch$/,
  },
  {
    name: 'of a wrong type',
    operations: [{ op: 'add', path: '/data', value: { a: 1 } }],
    status: 500,
    message: /^Internal error occurred: .*cannot unmarshal number/,
  },
  {
    name: 'that removes the name',
    operations: [{ op: 'remove', path: '/metadata/name' }],
    status: 422,
    message: /metadata\.name: Required value: name or generateName is required/,
  },
  {
    name: 'that moves it',
    operations: [{ op: 'add', path: '/metadata/namespace', value: 'x' }],
    status: 400,
    message: /the namespace of the provided object does not match/,
  },
  {
    name: 'that makes it invalid',
    operations: [{ op: 'add', path: '/data', value: { '/': '' } }],
    status: 422,
    message: /data\[\/\]: Invalid value/,
  },
  {
    name: 'that copies and copies',
    operations: [
      { op: 'add', path: '/x', value: 'x'.repeat(200_000) },
      ...Array.from({ length: 40 }, () => ({ op: 'copy', from: '/x', path: '/y' })),
    ],
    status: 500,
    message:
      /^Internal error occurred: unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
  },
  {
    name: 'that makes it too large',
    operations: [{ op: 'add', path: '/data', value: { a: 'x'.repeat(4 * 1024 * 1024) } }],
    status: 422,
    message: /Too long: may not be more than 1048576 bytes$/,
  },
  {
    name: 'to another kind',
    operations: [{ op: 'add', path: '/kind', value: 'Secret' }],
    status: 500,
    message: /^Internal error occurred: no kind "Secret"/,
  },
];
for (const { name, operations, status, message } of patches)
  test(`a patch ${name} refuses the request`, async () => {
    await configure('Mutating', hook());
    webhook.reply = answering(patchOf(operations));
    const answer = await create('a');
    assert.is(answer.status, status, JSON.stringify(answer.body));
    assert.match(answer.body.message, message);
  });

for (const { name, operations } of [
  { name: 'of no operations', operations: [] },
  { name: 'that is null, which is a list that was never made in Go,', operations: null },
])
  test(`a patch ${name} changes nothing`, async () => {
    await configure('Mutating', hook());
    webhook.reply = answering(patchOf(operations));
    const { status, body } = await create('a', { data: { k: '1' } });
    assert.is(status, 201, JSON.stringify(body));
    assert.equal(body.data, { k: '1' });
    assert.is((await request('DELETE', `${CONFIG_MAPS}/a`)).status, 200);
  });

test('a new object that gets another name is asked about by its first one', async () => {
  await configure('Mutating', hook({ name: 'rename.example.com' }));
  await configure('Validating', hook());
  webhook.reply = (review, response, message) =>
    answering(review.request.object?.metadata.name === 'a' ? patchOf([{ op: 'replace', path: '/metadata/name', value: 'b' }]) : {})(
      review,
      response,
      message,
    );
  assert.is((await create('a')).body.metadata.name, 'b');
  const names = asked().map(({ name, object }) => [name, object.metadata.name]);
  assert.equal(names, [
    ['a', 'a'],
    ['a', 'b'],
  ]);
});

test('a new object may be one that is being deleted', async () => {
  await configure('Mutating', hook({ rules: [{ ...RULE, operations: ['CREATE'] }] }));
  const marks = { deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
  webhook.reply = answering(patchOf(Object.entries(marks).map(([name, value]) => ({ op: 'add', path: `/metadata/${name}`, value }))));
  const { metadata } = (await create('a')).body;
  assert.equal([metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds], Object.values(marks));
});

test('a Scale may get another name and another namespace, which nobody looks at', async () => {
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const labels = { a: 'b' };
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } } };
  await request('POST', deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  await configure('Mutating', hook({ rules: [{ ...RULE, apiGroups: ['*'], resources: ['*/scale'] }] }));
  const moved = ['name', 'namespace'].map((member) => ({ op: 'replace', path: `/metadata/${member}`, value: 'other' }));
  webhook.reply = answering(patchOf(moved));
  const { status, body } = await request('PATCH', `${deployments}/d/scale`, { spec: { replicas: 3 } }, 'application/merge-patch+json');
  assert.equal([status, body.metadata.name, body.spec.replicas], [200, 'd', 3]);
});

test('an update keeps its name, and a delete has nothing to change', async () => {
  await create('a');
  await configure('Mutating', hook());
  webhook.reply = answering(patchOf([{ op: 'replace', path: '/metadata/name', value: 'b' }]));
  const { status, body } = await request('PUT', `${CONFIG_MAPS}/a`, configMap('a', { data: { k: '1' } }));
  assert.is(status, 422);
  assert.match(body.message, /^ConfigMap "b" is invalid: metadata\.name: Invalid value: "b": field is immutable$/);
  const deleted = await request('DELETE', `${CONFIG_MAPS}/a`);
  assert.is(deleted.status, 500);
  assert.match(
    deleted.body.message,
    /^Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported/,
  );
});

test('what one changes is shown again to those before it that want it, once', async () => {
  const names = { first: 'first.example.com', never: 'never.example.com', last: 'last.example.com' };
  await configure(
    'Mutating',
    hook({ name: names.first, reinvocationPolicy: 'IfNeeded', clientConfig: { url: `${webhook.url}/first`, caBundle: webhook.caBundle } }),
    hook({ name: names.never, clientConfig: { url: `${webhook.url}/never`, caBundle: webhook.caBundle } }),
    hook({ name: names.last, clientConfig: { url: `${webhook.url}/last`, caBundle: webhook.caBundle } }),
  );
  webhook.reply = (review, response, message) => {
    const isLast = message.url?.includes('/last') === true;
    answering(isLast ? patchOf([{ op: 'add', path: '/data', value: { last: 'yes' } }]) : {})(review, response, message);
  };
  assert.equal((await create('a')).body.data, { last: 'yes' });
  const paths = webhook.requests.map((each) => /\/(\w+)\?/.exec(each)?.[1]);
  assert.equal(paths, ['first', 'never', 'last', 'first']);
});

interface Owning {
  readonly name: string;
  readonly operations: object[];
  /** of the entries that are stored: who owns what */
  readonly owned: readonly object[] | undefined;
  /** behind the beginning of the warning */
  readonly problem?: RegExp;
}
const CREATOR = [{ manager: 'tester', operation: 'Update', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } }];
const entry = (others: object = {}) => ({
  manager: 'hook',
  operation: 'Apply',
  apiVersion: 'v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:a': {}, '.': {} } },
  ...others,
});
const set = (...entries: object[]) => [{ op: 'replace', path: '/metadata/managedFields', value: entries }];
const owning: Owning[] = [
  { name: 'nothing', operations: [{ op: 'add', path: '/data/b', value: '2' }], owned: CREATOR },
  {
    name: 'another owner',
    operations: set(entry()),
    owned: [{ manager: 'hook', operation: 'Apply', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } }],
  },
  { name: 'no owner', operations: [{ op: 'remove', path: '/metadata/managedFields' }], owned: undefined },
  {
    name: 'an operation that is none',
    operations: set(entry({ operation: 'x' })),
    owned: CREATOR,
    problem: /: operation must be `Apply` or `Update`/,
  },
  { name: 'no version', operations: set(entry({ apiVersion: '' })), owned: CREATOR, problem: /apiVersion must not be empty/ },
  { name: 'no type', operations: set(entry({ fieldsType: '' })), owned: CREATOR, problem: /missing fieldsType in managed fields entry 0/ },
  {
    name: 'another type',
    operations: set(entry({ fieldsType: 'x' })),
    owned: CREATOR,
    problem: /: invalid fieldsType "x" in managed fields entry 0/,
  },
  { name: 'no set', operations: set(entry({ fieldsV1: [1] })), owned: CREATOR, problem: /error decoding set/ },
];
for (const { name, operations, owned, problem } of owning)
  test(`managedFields that a webhook changes count where they are valid: ${name}`, async () => {
    await configure('Mutating', hook());
    webhook.reply = answering(patchOf(operations));
    const made = await request('POST', `${CONFIG_MAPS}?fieldManager=tester`, configMap('a', { data: { a: '1' } }));
    assert.is(made.status, 201, JSON.stringify(made.body));
    const { managedFields } = (await request('GET', `${CONFIG_MAPS}/a`)).body.metadata;
    const shown = managedFields?.map(({ manager, operation, fieldsV1 }: Record<string, unknown>) => ({ manager, operation, fieldsV1 }));
    assert.equal(shown, owned);
    if (problem === undefined) assert.is(made.warnings, null);
    else {
      assert.match(made.warnings ?? '', /\.metadata\.managedFields was in an invalid state after admission; .*please fix your requests: /);
      assert.match((made.warnings ?? '').replaceAll('\\"', '"'), problem);
    }
  });

test('a condition that fails refuses the request', async () => {
  await configure('Mutating', hook({ matchConditions: [{ name: 'a', expression: 'object.x == "a"' }] }));
  const { status, body } = await create('a');
  assert.is(status, 403);
  assert.is(body.message, `configmaps "a" is forbidden: expression 'object.x == "a"' resulted in error: no such key: x`);
});

test('see the version that they have asked for, and what they change goes back to that of the request', async () => {
  const rules = [{ ...RULE, apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] }];
  await configure('Mutating', hook({ rules }));
  webhook.reply = answering(patchOf([{ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 70 }]));
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }];
  const scaler = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, metrics },
  };
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
  const { body } = await request('POST', path, scaler);
  assert.is(body.spec.metrics[0].resource.target.averageUtilization, 70);
  const [{ kind, requestKind, resource, object }] = asked();
  assert.equal([kind.version, requestKind.version, resource.version, object.apiVersion], ['v1', 'v2', 'v1', 'autoscaling/v1']);
  assert.is(object.spec.targetCPUUtilizationPercentage, 50);
  await request('DELETE', `${GROUP}/mutatingwebhookconfigurations`);
  await configure('Mutating', hook({ rules, matchPolicy: 'Exact' }));
  await request('DELETE', `${path}/a`);
  assert.is(webhook.asked.length, 1);
});

/** Serves things, which have a size in both versions, and an owner in the first one. */
async function defineThings(): Promise<void> {
  const version = (name: string, more: object = {}) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { size: { type: 'integer' }, made: { type: 'string', default: 'yes' }, ...more } },
        },
      },
    },
  });
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1', { owner: { type: 'string' } }), version('v2')],
    },
  };
  const { status } = await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  assert.ok([201, 409].includes(status));
  await eventually('things are served', async () => (await request('GET', '/apis/shop.example/v2/things')).status === 200);
}

const THINGS = [{ ...RULE, apiGroups: ['shop.example'], resources: ['things'] }];
const createThing = (version: string, name: string, spec: object) =>
  request('POST', `/apis/shop.example/${version}/namespaces/default/things`, {
    apiVersion: `shop.example/${version}`,
    kind: 'Thing',
    metadata: { name },
    spec,
  });

test('see custom resources in the version that they have asked for as well', async () => {
  await defineThings();
  await configure('Mutating', hook({ rules: THINGS }));
  const operations = [
    { op: 'replace', path: '/spec/size', value: 2 },
    { op: 'remove', path: '/spec/made' },
  ];
  webhook.reply = answering(patchOf(operations));
  const { status, body } = await createThing('v2', 'a', { size: 1 });
  assert.is(status, 201, JSON.stringify(body));
  assert.equal([body.apiVersion, body.spec], ['shop.example/v2', { size: 2, made: 'yes' }]);
  const [{ kind, requestKind, object }] = asked();
  assert.equal([kind.version, requestKind.version, object.apiVersion], ['v1', 'v2', 'shop.example/v1']);
});

/** What a patch makes of a custom resource: what validating webhooks see of it, and the answer. */
const madeThings: readonly {
  readonly name: string;
  readonly operation: object;
  readonly seen?: object;
  readonly answer: object | RegExp;
}[] = [
  {
    name: 'a member that its schema does not know',
    operation: { op: 'add', path: '/spec/other', value: { a: 1 } },
    seen: { made: 'yes', other: { a: 1 }, size: 1 },
    answer: { made: 'yes', size: 1 },
  },
  {
    name: 'null, which no schema takes',
    operation: { op: 'replace', path: '/spec/size', value: null },
    answer: /^Thing\.shop\.example "t1" is invalid: spec\.size: Invalid value: "null": spec\.size in body must be of type integer: "null"$/,
  },
  {
    name: 'null in place of a default',
    operation: { op: 'replace', path: '/spec/made', value: null },
    seen: { made: 'yes', size: 1 },
    answer: { made: 'yes', size: 1 },
  },
  {
    name: 'labels that cannot be read',
    operation: { op: 'add', path: '/metadata/labels', value: { a: 5 } },
    seen: { made: 'yes', size: 1 },
    answer: { made: 'yes', size: 1 },
  },
];
for (const [index, { name, operation, seen, answer }] of madeThings.entries())
  test(`a custom resource is what they make of it until it is stored: ${name}`, async () => {
    await defineThings();
    await configure('Mutating', hook({ name: 'changes.example.com', rules: THINGS, failurePolicy: 'Fail' }));
    webhook.reply = answering(patchOf([operation]));
    await configure('Validating', hook({ rules: THINGS, admissionReviewVersions: ['v1beta1'] }));
    const { status, body } = await createThing('v1', `t${index}`, { size: 1 });
    assert.equal(asked()[1]?.object.spec, seen);
    if (answer instanceof RegExp) {
      assert.is(status, 422);
      assert.match(body.message, answer);
      return;
    }
    assert.equal([status, body.spec, body.metadata.labels], [201, answer, undefined]);
    const stored = await request('GET', `/apis/shop.example/v1/namespaces/default/things/t${index}`);
    assert.equal([stored.body.spec, stored.body.metadata.labels], [answer, undefined]);
  });

test('a custom resource keeps what the version does not know that they have asked for', async () => {
  await defineThings();
  await configure('Mutating', hook({ rules: [{ ...(THINGS[0] as object), apiVersions: ['v2'] }] }));
  webhook.reply = answering(patchOf([{ op: 'replace', path: '/spec/size', value: 2 }]));
  const { body } = await createThing('v1', 'owned', { size: 1, owner: 'me' });
  assert.equal(asked()[0].object.spec, { made: 'yes', owner: 'me', size: 1 });
  assert.equal(body.spec, { made: 'yes', owner: 'me', size: 2 });
});

test.run();
