/** Validating policies through a whole server: of which requests they are asked, and what comes of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BINDINGS, bind, CONFIG_MAPS, configMap, create, define, policing, RULE, request } from '../policed-server.ts';

const test = suite('validating policies');
policing(test);

test('refuse what they say from the next request on, and no longer once they are gone', async () => {
  await define('p', {
    matchConstraints: { resourceRules: [{ ...RULE, operations: ['CREATE'] }] },
    validations: [{ expression: "object.metadata.name != 'a'" }],
  });
  assert.is((await create('a')).status, 201, 'a policy without a binding says nothing');
  await bind('b', { policyName: 'p' });
  assert.is((await create('b')).status, 201);
  await request('DELETE', `${CONFIG_MAPS}/a`);
  const refused = await create('a');
  assert.is(refused.status, 422);
  const message = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.metadata.name != 'a'";
  assert.equal(refused.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `configmaps "a" is forbidden: ${message}`,
    reason: 'Invalid',
    details: { name: 'a', kind: 'configmaps', causes: [{ message }] },
    code: 422,
  });
  await request('DELETE', `${BINDINGS}/b`);
  assert.is((await create('a')).status, 201);
});

test('see updates, patches, deletes and deletes of collections, with what is null', async () => {
  await create('a');
  await create('b');
  await define('p', {
    validations: [
      { expression: "request.operation != 'UPDATE' || (oldObject != null && object != null)", message: 'an update' },
      { expression: "request.operation != 'DELETE' || (oldObject != null && object == null)", message: 'a delete' },
      { expression: "request.operation != 'CREATE' || (oldObject == null && object != null)", message: 'a create' },
      { expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'b'", message: 'b is kept' },
    ],
  });
  await bind('b', { policyName: 'p' });
  assert.is((await create('c')).status, 201);
  assert.is((await request('PUT', `${CONFIG_MAPS}/a`, configMap('a', { data: { k: '1' } }))).status, 200);
  assert.is((await request('PATCH', `${CONFIG_MAPS}/a`, { data: { k: '2' } }, 'application/merge-patch+json')).status, 200);
  assert.is((await request('DELETE', `${CONFIG_MAPS}/a`)).status, 200);
  assert.match((await request('DELETE', `${CONFIG_MAPS}/b`)).body.message, 'denied request: b is kept');
  const collection = await request('DELETE', CONFIG_MAPS);
  assert.match(collection.body.message, /^configmaps "Unknown" is forbidden: .*denied request: b is kept$/);
});

const CREATE = { resourceRules: [{ ...RULE, operations: ['CREATE'] }] };
const FALSE = { validations: [{ expression: 'false', message: 'no' }] };
const BINDING = { policyName: 'p' };

interface Case {
  readonly name: string;
  readonly policy: object;
  /** of the binding, besides the name of the policy */
  readonly binding?: object;
  /** of the config map `a` that is created */
  readonly object?: object;
  /** what the refusal says behind the policy and the binding; undefined: it is created */
  readonly refused?: string;
  readonly status?: number;
}

const saying = (others: object) => ({ matchConstraints: CREATE, validations: [{ expression: 'false', ...others }] });
const meeting = (...matchConditions: string[]) => ({
  matchConstraints: CREATE,
  ...FALSE,
  matchConditions: matchConditions.map((expression, index) => ({ name: `c${index}`, expression })),
});
const checking = (expression: string) => ({ matchConstraints: CREATE, validations: [{ expression, message: expression.slice(0, 20) }] });

const cases: readonly Case[] = [
  { name: 'what is true', policy: checking('object.metadata.namespace == "default"') },
  { name: 'the name of a request', policy: checking("request.name == 'a' && request.namespace == 'default' && !request.dryRun") },
  { name: 'what a request is for', policy: checking("request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'") },
  { name: 'options of a request', policy: checking("request.options.kind == 'CreateOptions'") },
  { name: 'what a request does not have', policy: checking('!has(request.subResource)') },
  { name: 'labels of the namespace', policy: checking("namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'default'") },
  {
    name: 'the phase of the namespace',
    policy: checking("namespaceObject.status.phase == 'Active'"),
  },
  {
    name: 'leave that the user has',
    policy: checking("authorizer.group('').resource('pods').namespace('default').check('delete').allowed()"),
  },
  { name: 'leave for the object', policy: checking("authorizer.requestResource.check('delete').allowed()") },
  {
    name: 'leave that another one has not',
    policy: checking("authorizer.serviceAccount('default', 'x').group('').resource('pods').labelSelector('a=b').check('get').allowed()"),
    refused: 'authorizer.serviceAc',
  },
  { name: 'a message', policy: saying({ message: ' too bad ' }), refused: 'too bad' },
  { name: 'no message', policy: saying({}), refused: 'failed expression: false' },
  { name: 'a computed message', policy: saying({ messageExpression: "'it is ' + object.metadata.name" }), refused: 'it is a' },
  { name: 'a message of two lines', policy: saying({ message: 'one', messageExpression: "'a\\nb'" }), refused: 'one' },
  { name: 'a message that fails', policy: saying({ message: 'one', messageExpression: 'object.none.none + ""' }), refused: 'one' },
  { name: 'a message of blanks', policy: saying({ messageExpression: "'  '" }), refused: 'failed expression: false' },
  {
    name: 'a message that is too long',
    policy: saying({ message: 'short', messageExpression: `${Array.from({ length: 11 }, () => `'${'é'.repeat(250)}'`).join(' + ')}` }),
    refused: 'short',
  },
  {
    name: 'a message that asks for leave',
    policy: {
      ...saying({ messageExpression: 'variables.may', message: 'cannot say' }),
      variables: [{ name: 'may', expression: "authorizer.path('/').check('get').allowed() ? 'yes' : 'no'" }],
    },
    refused: 'cannot say',
  },
  { name: 'Forbidden', policy: saying({ reason: 'Forbidden' }), refused: 'failed expression: false', status: 403 },
  { name: 'RequestEntityTooLarge', policy: saying({ reason: 'RequestEntityTooLarge' }), refused: 'failed expression: false', status: 413 },
  {
    name: 'two that fail: the first one',
    policy: {
      matchConstraints: CREATE,
      validations: [{ expression: 'true' }, { expression: 'false', message: '1' }, { expression: 'false', message: '2' }],
    },
    refused: '1',
  },
  { name: 'an error', policy: checking('object.none == 1'), refused: "expression 'object.none == 1' resulted in error: no such key: none" },
  { name: 'an error of a policy that fails open', policy: { ...checking('object.none == 1'), failurePolicy: 'Ignore' } },
  { name: 'what is false of a policy that fails open', policy: { ...checking('false'), failurePolicy: 'Ignore' }, refused: 'false' },
  { name: 'a condition that is true', policy: meeting('true', "object.metadata.name == 'a'"), refused: 'no' },
  { name: 'a condition that is false', policy: meeting('true', "object.metadata.name == 'b'") },
  {
    name: 'a condition that fails',
    policy: meeting('object.none == 1'),
    refused: "expression 'object.none == 1' resulted in error: no such key: none",
  },
  { name: 'a condition that fails beside one that is false', policy: meeting('object.none == 1', 'false') },
  { name: 'a condition that fails, of a policy that fails open', policy: { ...meeting('object.none == 1'), failurePolicy: 'Ignore' } },
  {
    name: 'an annotation that fails',
    policy: { matchConstraints: CREATE, auditAnnotations: [{ key: 'k', valueExpression: 'string(object.none)' }] },
    refused: "expression 'string(object.none)' resulted in error: no such key: none",
  },
  {
    name: 'an annotation that fails, whatever the binding says',
    policy: { matchConstraints: CREATE, auditAnnotations: [{ key: 'k', valueExpression: 'string(object.none)' }] },
    binding: { validationActions: ['Audit'] },
    refused: "expression 'string(object.none)' resulted in error: no such key: none",
  },
  {
    name: 'an annotation that fails, of a policy that fails open',
    policy: { matchConstraints: CREATE, auditAnnotations: [{ key: 'k', valueExpression: 'string(object.none)' }], failurePolicy: 'Ignore' },
  },
  {
    name: 'a policy for other operations',
    policy: { ...FALSE, matchConstraints: { resourceRules: [{ ...RULE, operations: ['UPDATE', 'DELETE'] }] } },
  },
  {
    name: 'a policy for a subresource',
    policy: { ...FALSE, matchConstraints: { resourceRules: [{ ...RULE, resources: ['configmaps/status'] }] } },
  },
  {
    name: 'a policy for a name',
    policy: { ...FALSE, matchConstraints: { resourceRules: [{ ...RULE, operations: ['CREATE'], resourceNames: ['x', 'a'] }] } },
    refused: 'no',
  },
  { name: 'a policy for another name', policy: { ...FALSE, matchConstraints: { resourceRules: [{ ...RULE, resourceNames: ['x'] }] } } },
  {
    name: 'a policy that leaves the name out',
    policy: { ...FALSE, matchConstraints: { ...CREATE, excludeResourceRules: [{ ...RULE, resourceNames: ['a'] }] } },
  },
  {
    name: 'a policy that leaves another name out',
    policy: { ...FALSE, matchConstraints: { ...CREATE, excludeResourceRules: [{ ...RULE, resourceNames: ['x'] }] } },
    refused: 'no',
  },
  { name: 'a policy that leaves all out', policy: { ...FALSE, matchConstraints: { ...CREATE, excludeResourceRules: [RULE] } } },
  {
    name: 'a policy for labels that it has',
    policy: { ...FALSE, matchConstraints: { ...CREATE, objectSelector: { matchLabels: { a: 'b' } } } },
    object: { metadata: { name: 'a', labels: { a: 'b' } } },
    refused: 'no',
  },
  {
    name: 'a policy for labels that it has not',
    policy: { ...FALSE, matchConstraints: { ...CREATE, objectSelector: { matchLabels: { a: 'b' } } } },
  },
  {
    name: 'a policy for another namespace',
    policy: { ...FALSE, matchConstraints: { ...CREATE, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'x' } } } },
  },
  {
    name: 'a binding for another namespace',
    policy: { ...FALSE, matchConstraints: CREATE },
    binding: { matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'x' } } } },
  },
  {
    name: 'a binding for other resources',
    policy: { ...FALSE, matchConstraints: CREATE },
    binding: { matchResources: { resourceRules: [{ ...RULE, resources: ['secrets'] }] } },
  },
  {
    name: 'a binding for its labels',
    policy: { ...FALSE, matchConstraints: CREATE },
    binding: { matchResources: { objectSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] } } },
    refused: 'no',
  },
  { name: 'a binding of another policy', policy: { ...FALSE, matchConstraints: CREATE }, binding: { policyName: 'q' } },
  { name: 'a binding that warns', policy: { ...FALSE, matchConstraints: CREATE }, binding: { validationActions: ['Warn'] } },
  { name: 'a binding that records', policy: { ...FALSE, matchConstraints: CREATE }, binding: { validationActions: ['Audit'] } },
];
for (const { name, policy, binding, object = {}, refused, status = 422 } of cases)
  test(`a create meets ${name}`, async () => {
    await define('p', policy);
    await bind('b', { ...BINDING, ...binding });
    const answer = await create('a', object);
    if (refused === undefined) assert.is(answer.status, 201, answer.body.message);
    else {
      assert.is(
        answer.body.message,
        `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${refused}`,
      );
      assert.is(answer.status, status);
      assert.is(answer.body.code, status);
    }
  });

test('a dry run is refused as well, and an apply is a create or an update', async () => {
  await define('p', {
    matchConstraints: { resourceRules: [{ ...RULE, operations: ['CREATE', 'UPDATE'] }] },
    validations: [{ expression: "object.data.k != 'no'", messageExpression: "request.operation + (request.dryRun ? ' dry' : '')" }],
  });
  await bind('b', BINDING);
  const said = async (method: string, path: string, body: object, type?: string) =>
    (await request(method, `${CONFIG_MAPS}${path}`, body, type)).body.message?.split('denied request: ')[1];
  const map = (k: string) => configMap('a', { data: { k } });
  assert.is(await said('POST', '?dryRun=All', map('no')), 'CREATE dry');
  assert.is(await said('PATCH', '/a?fieldManager=m', map('no'), 'application/apply-patch+yaml'), 'CREATE');
  assert.is(await said('PATCH', '/a?fieldManager=m', map('yes'), 'application/apply-patch+yaml'), undefined);
  assert.is(await said('PATCH', '/a?fieldManager=m&dryRun=All', map('no'), 'application/apply-patch+yaml'), 'UPDATE dry');
  assert.is(await said('PATCH', '/a', [{ op: 'replace', path: '/data/k', value: 'no' }], 'application/json-patch+json'), 'UPDATE');
});

test('warnings are told for each validation, each once, whether or not the request goes on', async () => {
  const validations = [{ expression: 'false', message: 'one' }, { expression: 'true' }, { expression: 'object.none == 1' }];
  await define('p', { matchConstraints: CREATE, validations });
  await bind('b', { ...BINDING, validationActions: ['Warn', 'Audit'] });
  await bind('c', { ...BINDING, validationActions: ['Warn'] });
  const { status, warnings } = await create('a');
  assert.is(status, 201);
  const of = (binding: string, text: string): string =>
    `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding '${binding}': ${text}"`;
  const error = "expression 'object.none == 1' resulted in error: no such key: none";
  assert.is(warnings, [of('b', 'one'), of('b', error), of('c', 'one'), of('c', error)].join(', '));
});

test('policies are asked in the order of their names, and so are bindings', async () => {
  for (const name of ['p2', 'p10', 'p1']) await define(name, { ...FALSE, matchConstraints: CREATE });
  for (const [name, policyName] of [
    ['z', 'p1'],
    ['y', 'p1'],
    ['a', 'p2'],
  ] as const)
    await bind(name, { policyName });
  assert.match((await create('a')).body.message, "ValidatingAdmissionPolicy 'p1' with binding 'y' denied");
});

test('see another version of what is written, where the policy is equivalent, and none where it is exact', async () => {
  const rule = { apiGroups: ['autoscaling'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['horizontalpodautoscalers'] };
  const autoscaler = (spec: object) => ({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'a' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, ...spec },
  });
  const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All';
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 90 } } };
  const expression =
    "object.spec.targetCPUUtilizationPercentage < 80 || (request.kind.version + request.requestKind.version + request.resource.version + object.apiVersion) == ''";
  const spec = {
    validations: [{ expression, messageExpression: "request.kind.version + ' ' + request.requestKind.version + ' ' + object.apiVersion" }],
  };
  await define('p', { ...spec, matchConstraints: { resourceRules: [rule], matchPolicy: 'Equivalent' } });
  await bind('b', BINDING);
  assert.match((await request('POST', path, autoscaler({ metrics: [cpu] }))).body.message, 'denied request: v1 v2 autoscaling/v1');
  await request('DELETE', `${BINDINGS}/b`);
  await define('q', { ...spec, matchConstraints: { resourceRules: [rule], matchPolicy: 'Exact' } });
  await bind('b', { policyName: 'q' });
  assert.is((await request('POST', path, autoscaler({ metrics: [cpu] }))).status, 201);
});

test('see subresources where they are named, and their own kinds', async () => {
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  assert.is((await request('POST', path, deployment)).status, 201);
  const rule = (resource: string) => ({ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: [resource] });
  await define('scale', {
    matchConstraints: { resourceRules: [rule('deployments/scale')] },
    validations: [
      {
        expression: 'object.spec.replicas < 5 && oldObject.spec.replicas == 1',
        messageExpression: "request.kind.kind + ' ' + request.subResource",
      },
    ],
  });
  await bind('b', { policyName: 'scale' });
  const patch = (to: string, replicas: number) =>
    request('PATCH', `${path}/d${to}`, { spec: { replicas } }, 'application/merge-patch+json');
  assert.match((await patch('/scale', 7)).body.message, 'denied request: Scale scale');
  assert.is((await patch('', 7)).status, 200, 'the object itself is another one');
  await request('DELETE', path);
});

test('see connections with their options', async () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  assert.is((await request('POST', '/api/v1/namespaces/default/pods', pod)).status, 201);
  await define('p', {
    matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/exec'] }] },
    validations: [
      {
        expression: "object.container != 'c' || oldObject != null",
        messageExpression: "object.kind + ' ' + request.operation + ' ' + request.name",
      },
    ],
  });
  await bind('b', BINDING);
  const refused = await request('POST', '/api/v1/namespaces/default/pods/x/exec?container=c&command=ls');
  assert.match(refused.body.message, 'pods "x" is forbidden: ValidatingAdmissionPolicy');
  assert.match(refused.body.message, 'denied request: PodExecOptions CONNECT x');
  await request('DELETE', '/api/v1/namespaces/default/pods/x?gracePeriodSeconds=0');
});

test('never see policies and questions, but do see configurations of webhooks', async () => {
  const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
  await define('p', { ...FALSE, matchConstraints: { resourceRules: [everything] } });
  await bind('b', BINDING);
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
  };
  assert.is((await request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).status, 201);
  const webhooks = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name: 'w' } };
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  assert.match((await request('POST', path, webhooks)).body.message, "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no");
  assert.is((await request('DELETE', `${BINDINGS}/b`)).status, 200);
});

test.run();
