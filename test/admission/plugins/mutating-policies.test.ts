/** Mutating policies through a whole server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CONFIG_MAPS,
  configMap,
  configuration,
  create,
  createMap,
  label,
  patch,
  policy,
  remove,
  request,
  rule,
  withPolicies,
} from '../mutating-policies/server.ts';

const test = suite('mutating policies');
withPolicies(test);

const labels = (answer: { body: { metadata?: { labels?: object } } }) => answer.body.metadata?.labels;

test('change what is created and updated, as soon as they are there and as long as they are', async () => {
  assert.is(labels(await createMap('before')), undefined);
  await policy('p', { mutations: [label('by', '"policy"')] });
  assert.equal(labels(await createMap('a')), { by: 'policy' });
  assert.equal(labels(await request('GET', `${CONFIG_MAPS}/a`)), { by: 'policy' });
  assert.equal(labels(await request('PUT', `${CONFIG_MAPS}/before`, configMap('before'))), { by: 'policy' });
  const merged = await request('PATCH', `${CONFIG_MAPS}/a`, { metadata: { labels: null } }, 'application/merge-patch+json');
  assert.equal(labels(merged), { by: 'policy' });
  const applied = await request('PATCH', `${CONFIG_MAPS}/b?fieldManager=me`, configMap('b'), 'application/apply-patch+yaml');
  assert.equal(labels(applied), { by: 'policy' });
  await remove('mutatingadmissionpolicybindings', 'p');
  assert.is(labels(await createMap('after')), undefined);
});

test('own nothing of what they change', async () => {
  await policy('p', { mutations: [label('by', '"policy"')] });
  const { body } = await createMap('a', { data: { k: 'v' } }, '?fieldManager=me');
  assert.equal(
    body.metadata.managedFields.map(({ manager, fieldsV1 }: { manager: string; fieldsV1: object }) => [manager, fieldsV1]),
    [['me', { 'f:data': { '.': {}, 'f:k': {} } }]],
  );
});

test('without a binding, and bindings without a policy, change nothing', async () => {
  await policy('p', { mutations: [label('by', '"policy"')] });
  await remove('mutatingadmissionpolicies', 'p');
  assert.is(labels(await createMap('a')), undefined);
  await policy('q', { mutations: [label('by', '"policy"')] });
  await remove('mutatingadmissionpolicybindings', 'q');
  assert.is(labels(await createMap('b')), undefined);
});

test('come in the order of their names, and each sees what those before it made', async () => {
  await policy('b', { mutations: [label('b', 'has(object.metadata.labels) ? "after" : "before"')] });
  await policy('a', {
    mutations: [label('a', 'has(object.metadata.labels) ? "after" : "before"'), label('again', 'object.metadata.labels.a')],
  });
  assert.equal(labels(await createMap('x')), { a: 'before', again: 'before', b: 'after' });
});

test('take both kinds of changes, in their order', async () => {
  await policy('p', {
    mutations: [
      configuration('Object{data: {"count": "1"}}'),
      patch(
        '[JSONPatch{op: "test", path: "/data/count", value: "1"}, JSONPatch{op: "replace", path: "/data/count", value: object.data.count + "0"}]',
      ),
      configuration('Object{data: {"more": object.data.count + "0"}}'),
    ],
  });
  assert.equal((await createMap('a')).body.data, { count: '10', more: '100' });
});

test('see parameters, variables, the namespace, the request and the authorizer', async () => {
  await createMap('params', { data: { colour: 'red' } });
  await policy('p', {
    mutations: [
      configuration(
        'Object{data: {"colour": variables.colour, "namespace": namespaceObject.metadata.name, "operation": request.operation, "may": string(authorizer.group("").resource("pods").check("get").allowed())}}',
      ),
    ],
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, variables: [{ name: 'colour', expression: 'params.data.colour + "!"' }] },
    bound: { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
  });
  assert.equal((await createMap('a')).body.data, { colour: 'red!', namespace: 'default', operation: 'CREATE', may: 'true' });
});

test('see no kind of a parameter, as in 1.32', async () => {
  await createMap('params', { data: { colour: 'red' } });
  await policy('p', {
    mutations: [label('seen', 'string(has(params.kind) || has(params.apiVersion)) + params.data.colour')],
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    bound: { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
  });
  assert.equal(labels(await createMap('a')), { seen: 'falsered' });
});

test('are applied once for each parameter', async () => {
  for (const name of ['one', 'two']) await createMap(name, { metadata: { name, labels: { of: 'params' } } });
  await policy('p', {
    mutations: [configuration('Object{data: {params.metadata.name: string(has(object.data) ? size(object.data) : 0)}}')],
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    bound: { paramRef: { selector: { matchLabels: { of: 'params' } } } },
  });
  assert.equal((await createMap('a')).body.data, { one: '0', two: '1' });
});

const NOT_FOUND = 'no params found for policy binding with `Deny` parameterNotFoundAction';
test('without parameters, a binding refuses or is left out, as it says', async () => {
  const said = (parameterNotFoundAction: string) => ({
    mutations: [label('by', 'params.data.x')],
    spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    bound: { paramRef: { name: 'none', parameterNotFoundAction } },
  });
  await policy('allowing', said('Allow'));
  assert.is((await createMap('a')).status, 201);
  await policy('denying', said('Deny'));
  const { status, body } = await createMap('b');
  const message = `policy 'denying' with binding 'denying' denied request: failed to configure binding: ${NOT_FOUND}`;
  assert.is(status, 403);
  assert.equal(body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Forbidden',
    details: { name: 'b', kind: 'configmaps', causes: [{ message }] },
    code: 403,
  });
});

test('a kind of parameters that is not there is a fault of the policy', async () => {
  await policy('p', { mutations: [label('by', '"p"')], spec: { paramKind: { apiVersion: 'example.com/v1', kind: 'None' } } });
  assert.is(
    (await createMap('a')).body.message,
    `policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=None'`,
  );
});

test('match conditions see what policies before have changed, and may fail', async () => {
  const only = (expression: string) => ({ matchConditions: [{ name: 'only', expression }] });
  await policy('a', { mutations: [label('env', '"prod"')] });
  await policy('b', { mutations: [label('b', '"matched"')], spec: only('object.?metadata.labels["env"].orValue("") == "prod"') });
  await policy('c', { mutations: [label('c', '"matched"')], spec: only('object.?metadata.labels["env"].orValue("") == "test"') });
  assert.equal(labels(await createMap('x')), { b: 'matched', env: 'prod' });
  await policy('d', { mutations: [label('d', '"matched"')], spec: { ...only('object.data.none == ""'), failurePolicy: 'Ignore' } });
  assert.equal(labels(await createMap('y')), { b: 'matched', env: 'prod' });
  await policy('e', { mutations: [label('e', '"matched"')], spec: only('object.data.none == ""') });
  const { status, body } = await createMap('z');
  assert.is(status, 403);
  assert.is(body.reason, 'Invalid');
  assert.match(
    body.message,
    /^policy 'e' with binding 'e' denied request: expression 'object\.data\.none == ""' resulted in error: no such key: data$/,
  );
});

interface Refused {
  readonly name: string;
  readonly mutation: object;
  readonly message: RegExp;
}
const refused: Refused[] = [
  {
    name: 'that fails',
    mutation: label('by', 'object.data.none'),
    message: /: expression 'Object\{.*' resulted in error: no such key: data$/,
  },
  {
    name: 'of an unknown field',
    mutation: configuration('Object{dat: {"a": "b"}}'),
    message: /: error applying patch: failed to convert patch object to typed object: \.dat: field not declared in schema$/,
  },
  {
    name: 'of another part',
    mutation: configuration('Object{metadata: Object.meta{}}'),
    message:
      /: type mismatch: unexpected type name "Object\.meta", expected "Object\.metadata", which matches field name path from root Object type$/,
  },
  {
    name: 'that does not apply',
    mutation: patch('[JSONPatch{op: "remove", path: "/data/x"}]'),
    message: /: JSON Patch: remove operation does not apply: doc is missing path: "\/data\/x": missing value$/,
  },
  {
    name: 'that costs too much',
    mutation: label('by', `string(${'[1,2,3,4,5,6,7,8,9,10].all(x, '.repeat(7)}true${')'.repeat(7)})`),
    message: /resulted in error: operation cancelled: actual cost limit exceeded$/,
  },
];
for (const { name, mutation, message } of refused)
  test(`a mutation ${name} refuses the request, or is left out where its policy may fail`, async () => {
    await policy('lenient', { mutations: [mutation, label('other', '"made"')], spec: { failurePolicy: 'Ignore' } });
    const ignored = await createMap('ignored');
    assert.is(ignored.status, 201, JSON.stringify(ignored.body));
    assert.equal(labels(ignored), { other: 'made' });
    await policy('p', { mutations: [mutation] });
    const { status, body } = await createMap('a');
    assert.is(status, 403);
    assert.is(body.reason, 'Invalid');
    assert.match(body.message, /^policy 'p' with binding 'p' denied request: /);
    assert.match(body.message, message);
  });

test('all that is wrong is told, the first as the message', async () => {
  await policy('p', { mutations: [label('by', 'object.data.one'), label('by', 'object.data.two')] });
  const { body } = await createMap('a');
  assert.is(body.details.causes.length, 2);
  assert.is(body.message, body.details.causes[0].message);
  assert.match(body.details.causes[1].message, /object\.data\.two/);
});

test('what makes no object is an error of the server, whatever the policy says of failures', async () => {
  await policy('p', { mutations: [patch('[JSONPatch{op: "add", path: "/extra", value: 1}]')], spec: { failurePolicy: 'Ignore' } });
  const { status, body } = await createMap('a');
  assert.is(status, 500);
  assert.is(body.message, 'Internal error occurred: strict decoding error: unknown field "extra"');
});

test('an object that a policy makes invalid is refused as if it had been sent so', async () => {
  await policy('p', { mutations: [configuration('Object{data: {"/": ""}}')] });
  const { status, body } = await createMap('a');
  assert.is(status, 422);
  assert.match(body.message, /data\[\/\]: Invalid value/);
});

test('are applied in dry runs', async () => {
  await policy('p', { mutations: [label('dry', 'string(request.dryRun)')] });
  assert.equal(labels(await createMap('a', {}, '?dryRun=All')), { dry: 'true' });
  assert.is((await request('GET', `${CONFIG_MAPS}/a`)).status, 404);
});

test('see no deletes, and nothing of policies themselves', async () => {
  const all = rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] });
  await policy('p', { rules: [all], mutations: [label('by', '"policy"')] });
  await policy('q', { rules: [all], mutations: [label('other', '"policy"')] });
  assert.is(labels(await request('GET', '/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies/q')), undefined);
  const made = await createMap('a');
  assert.equal(labels(made), { by: 'policy', other: 'policy' });
  assert.is((await request('DELETE', `${CONFIG_MAPS}/a`)).status, 200);
});

test('change what subresources take', async () => {
  const spec = {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  await request('POST', deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec });
  const rules = [rule({ apiGroups: ['apps'], resources: ['deployments/scale'] })];
  await policy('p', { rules, mutations: [patch('[JSONPatch{op: "replace", path: "/spec/replicas", value: object.spec.replicas * 2}]')] });
  const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd', namespace: 'default' }, spec: { replicas: 2 } };
  const answer = await request('PUT', `${deployments}/d/scale`, scale);
  assert.is(answer.body.spec?.replicas, 4, JSON.stringify(answer.body));
  assert.is((await request('GET', `${deployments}/d`)).body.spec.replicas, 4);
  // the document of autoscaling/v1 does not describe what only subresources of others take
  await policy('q', { rules, mutations: [configuration('Object{spec: Object.spec{replicas: 1}}')] });
  assert.match(
    (await request('PUT', `${deployments}/d/scale`, scale)).body.message,
    /^policy 'q' .* failed to convert patch object to typed object: no corresponding type for autoscaling\/v1, Kind=Scale$/,
  );
  await request('DELETE', `${deployments}/d`);
});

test('see equivalent resources in the version that they name', async () => {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const hpas = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const rules = [rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] })];
  await policy('p', { rules, mutations: [configuration('Object{spec: Object.spec{targetCPUUtilizationPercentage: 42}}')] });
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 };
  const answer = await request('POST', hpas('v2'), {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec,
  });
  assert.equal(
    answer.body.spec?.metrics,
    [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 42 } } }],
    JSON.stringify(answer.body),
  );
  await request('DELETE', `${hpas('v2')}/h`);
  assert.is((await request('GET', leases)).status, 200);
});

test('policies with a binding that narrows them', async () => {
  await policy('p', {
    mutations: [label('by', '"policy"')],
    bound: { matchResources: { objectSelector: { matchLabels: { wanted: 'yes' } } } },
  });
  assert.is(labels(await createMap('a')), undefined);
  assert.equal(labels(await createMap('b', { metadata: { name: 'b', labels: { wanted: 'yes' } } })), { by: 'policy', wanted: 'yes' });
});

const appends = patch('[JSONPatch{op: "add", path: "/data/" + string(size(object.data)), value: "x"}]');
test('that want it are asked again where something was changed', async () => {
  await policy('a', { mutations: [appends], spec: { reinvocationPolicy: 'IfNeeded' } });
  await policy('b', { mutations: [appends] });
  assert.equal(Object.keys((await createMap('x', { data: { of: 'client' } })).body.data).sort(), ['1', '2', '3', 'of']);
});

test('that do not want it are asked once', async () => {
  for (const name of ['a', 'b']) await policy(name, { mutations: [appends] });
  assert.equal(Object.keys((await createMap('x', { data: { of: 'client' } })).body.data).sort(), ['1', '2', 'of']);
});

test('what they make may be long, and is made by others then', async () => {
  const long = `"${'x'.repeat(90)}"`;
  const doubled = (times: number) =>
    Array.from({ length: times }).reduce<string>((source, _, level) => `[${source}].map(v${level}, v${level} + v${level})[0]`, long);
  await policy('p', { mutations: [configuration(`Object{data: {"long": ${doubled(12)}}}`)] });
  const made = await createMap('a');
  assert.is(made.status, 201, JSON.stringify(made.body).slice(0, 500));
  assert.is(made.body.data.long.length, 90 * 2 ** 12);
  await policy('q', { mutations: [configuration(`Object{data: {"longer": ${doubled(16)}}}`)] });
  const { status, body } = await createMap('b');
  assert.is(status, 403);
  assert.match(
    body.message,
    /policies would make more than \d+ characters of JSON for one request$|operation cancelled: actual cost limit exceeded$/,
  );
});

test('thousands of operations of a patch are applied by others, and no more than a patch may have', async () => {
  const many = (count: number) => patch(`"${'x'.repeat(count)}".split("").map(i, JSONPatch{op: "add", path: "/data/k", value: "v"})`);
  await policy('p', { mutations: [many(9_000)] });
  const made = await createMap('a', { data: { a: 'b' } });
  assert.equal(made.body.data, { a: 'b', k: 'v' }, JSON.stringify(made.body).slice(0, 300));
  await policy('q', { mutations: [many(10_001)] });
  assert.match(
    (await createMap('b', { data: { a: 'b' } })).body.message,
    /JSON Patch: The allowed maximum operations in a JSON patch is 10000, got 10001$/,
  );
});

test('nobody lets policies read what they may not read themselves', async () => {
  const RBAC = '/apis/rbac.authorization.k8s.io/v1';
  const rbac = (kind: string, rest: object) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: 'policies' },
    ...rest,
  });
  const roleRules = [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }];
  await request('POST', `${RBAC}/clusterroles`, rbac('ClusterRole', { rules: roleRules }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'policies' };
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }];
  await request('POST', `${RBAC}/clusterrolebindings`, rbac('ClusterRoleBinding', { roleRef, subjects }));
  await policy('known', { mutations: [label('a', 'params.data.x')], spec: { paramKind: { apiVersion: 'v1', kind: 'Secret' } } });
  const written = (resource: string, kind: string, spec: object) => {
    const body = { apiVersion: 'admissionregistration.k8s.io/v1alpha1', kind, metadata: { name: 'of-jane' }, spec };
    return request('POST', `/apis/admissionregistration.k8s.io/v1alpha1/${resource}`, body, 'application/json', 'jane');
  };
  const binding = await written('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', {
    policyName: 'known',
    paramRef: { name: 's', namespace: 'kube-system', parameterNotFoundAction: 'Allow' },
  });
  assert.is(binding.status, 422, JSON.stringify(binding.body));
  assert.match(
    binding.body.message,
    /spec\.paramRef: Forbidden: user get does not have "&\{jane .*\}" permission on the object referenced by paramRef$/,
  );
  const invalid = await written('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', {
    paramRef: { name: 's', namespace: 'kube-system', parameterNotFoundAction: 'Allow' },
  });
  assert.match(invalid.body.message, /is invalid: spec\.policyName: Required value$/, 'what is not valid is not asked about');
  const of = (paramKind?: object) => ({
    matchConstraints: { resourceRules: [rule()] },
    reinvocationPolicy: 'Never',
    mutations: [label('a', '"b"')],
    ...(paramKind && { paramKind }),
  });
  const withParams = await written('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', of({ apiVersion: 'v1', kind: 'Secret' }));
  assert.match(
    withParams.body.message,
    /spec\.paramKind: Forbidden: user &\{jane .*\} must have "get" permission on all objects of the referenced paramKind \(kind=Secret, apiVersion=v1\)$/,
  );
  assert.is((await written('mutatingadmissionpolicies', 'MutatingAdmissionPolicy', of())).status, 201);
});

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGET = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
        parts: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, colour: { type: 'string', default: 'grey' } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
      },
    },
  },
};

test('change custom resources, in each version that their definition has', async () => {
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema: { openAPIV3Schema: WIDGET } });
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version('v1', true), version('v2', false)] },
  };
  assert.is((await request('POST', CRDS, definition)).status, 201);
  const widgets = (of: string) => `/apis/example.com/${of}/namespaces/default/widgets`;
  const widget = (name: string, of: string, spec: object) => ({
    apiVersion: `example.com/${of}`,
    kind: 'Widget',
    metadata: { name },
    spec,
  });
  const ofWidgets = rule({ apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['widgets'] });
  await policy('a', {
    rules: [ofWidgets],
    mutations: [
      configuration('Object{spec: Object.spec{size: object.spec.size + 1, parts: [Object.spec.parts{name: "door"}]}}'),
      patch(
        '[JSONPatch{op: "add", path: "/spec/tags", value: [object.apiVersion]}, JSONPatch{op: "add", path: "/spec/unknown", value: 1}]',
      ),
    ],
  });
  const spec = { size: 2, parts: [{ name: 'door', colour: 'grey' }], tags: ['example.com/v2'] };
  for (const spoken of ['v1', 'v2']) {
    const { body } = await request('POST', widgets(spoken), widget(`of-${spoken}`, spoken, { size: 1 }));
    assert.equal({ spec: body.spec, apiVersion: body.apiVersion }, { spec, apiVersion: `example.com/${spoken}` }, JSON.stringify(body));
  }
  await policy('b', { rules: [ofWidgets], mutations: [configuration('Object{spec: Object.spec{tags: ["x"]}}')] });
  const refused = await request('POST', widgets('v1'), widget('refused', 'v1', { size: 1 }));
  assert.match(refused.body.message, /may not mutate atomic arrays, maps or structs: \.spec\.tags$/);
  await request('DELETE', `${CRDS}/widgets.example.com`);
});

test('what none can be made of is refused when it is written', async () => {
  const written = (mutations: object[]) =>
    request('POST', '/apis/admissionregistration.k8s.io/v1alpha1/mutatingadmissionpolicies', {
      apiVersion: 'admissionregistration.k8s.io/v1alpha1',
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: 'p' },
      spec: { matchConstraints: { resourceRules: [rule()] }, reinvocationPolicy: 'Never', mutations },
    });
  const { status, body } = await written([configuration('"a"'), patch('Object{}')]);
  assert.is(status, 422);
  assert.match(
    body.message,
    /spec\.mutations\[0\]\.applyConfiguration\.expression: Invalid value: "\\"a\\"": must evaluate to Object but got string/,
  );
  assert.match(
    body.message,
    /spec\.mutations\[1\]\.jsonPatch\.expression: Invalid value: "Object\{\}": must evaluate to list\(JSONPatch\) but got Object/,
  );
  await create('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding', 'lonely', { policyName: 'p' });
  assert.is((await createMap('a')).status, 201);
});
test.run();
