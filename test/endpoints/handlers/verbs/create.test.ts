import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('POST to a collection');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

test('answers with the object, at the status of its dialect', async () => {
  const cluster = await AskedServer.start('cluster');
  try {
    for (const [of, status] of [
      [server, 201],
      [cluster, 200],
    ] as const) {
      const made = await of.post(MAPS, map('made', { a: 'b' }));
      assert.equal(
        [made.status, made.body.kind, made.body.data, made.body.metadata.namespace],
        [status, 'ConfigMap', { a: 'b' }, 'default'],
      );
      assert.match(made.body.metadata.uid, /^[\da-f-]{36}$/);
    }
  } finally {
    await cluster.stop();
  }
});
const AT_ROOT = /fields are allowed at the root of the schema if the status subresource is enabled/;
const empties: readonly [what: string, schema: object, subresources: object, problem: RegExp | undefined][] = [
  ['dependencies', { dependencies: {} }, {}, /openAPIV3Schema\.dependencies: Forbidden: dependencies is not supported$/],
  ['definitions', { definitions: {} }, {}, undefined],
  ['values beside a status', { enum: [] }, { status: {} }, AT_ROOT],
  ['values without a status', { enum: [] }, {}, undefined],
  ['properties beside a status', { properties: {} }, { status: {} }, undefined],
  ['alternatives of metadata', { properties: { metadata: { type: 'object', anyOf: [] } } }, {}, undefined],
  ['required members of metadata', { properties: { metadata: { type: 'object', required: [] } } }, {}, /metadata is implicitly specified$/],
];
for (const [what, schema, subresources, problem] of empties)
  test(`${problem === undefined ? 'takes' : 'refuses'} a definition with empty ${what}`, async () => {
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', ...schema } }, subresources };
    const spec = { group: 'empty.example.com', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions: [version] };
    const definition = { metadata: { name: 'things.empty.example.com' }, spec };
    const { status, body } = await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All', definition);
    assert.is(status, problem === undefined ? 201 : 422);
    if (problem !== undefined) assert.match(body.message, problem);
  });
test('shows nobody what a client says in place of the server', async () => {
  const group = 'admissionregistration.k8s.io/v1alpha1';
  const asked = await AskedServer.start('kubernetes', {
    'feature-gates': { MutatingAdmissionPolicy: true },
    'runtime-config': { [group]: true },
  });
  try {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
    const seen = ['uid', 'selfLink', 'deletionTimestamp', 'deletionGracePeriodSeconds']
      .map((name) => `(has(object.metadata.${name}) ? "${name}" : "")`)
      .join(' + ');
    const applyConfiguration = { expression: `Object{metadata: Object.metadata{labels: {"seen": ${seen}}}}` };
    const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration }];
    const spec = { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: 'Never', mutations };
    await asked.post(`/apis/${group}/mutatingadmissionpolicies`, { metadata: { name: 'p' }, spec });
    await asked.post(`/apis/${group}/mutatingadmissionpolicybindings`, { metadata: { name: 'p' }, spec: { policyName: 'p' } });
    const said = { uid: 'x', selfLink: 'x', creationTimestamp: '2020-01-01T00:00:00Z', deletionTimestamp: '2020-01-01T00:00:00Z' };
    const { status, body } = await asked.post(MAPS, { metadata: { name: 'said', ...said, deletionGracePeriodSeconds: 3 } });
    assert.equal([status, body.metadata.labels], [201, { seen: '' }]);
  } finally {
    await asked.stop();
  }
});
test('makes a name of the beginning that the client gives', async () => {
  const { body } = await server.post(MAPS, { metadata: { generateName: 'some-' } });
  assert.match(body.metadata.name, /^some-[a-z\d]{5}$/);
});
for (const query of ['?dryRun=All', '?pretty=true', ''])
  test(`answers with the members of metadata in their order${query && ` to ${query}`}`, async () => {
    const { body } = await server.post(`${MAPS}${query}`, { metadata: { labels: { a: 'b' }, generateName: 'a-' } });
    const version = query === '?dryRun=All' ? [] : ['resourceVersion'];
    const wanted = ['name', 'generateName', 'namespace', 'uid', ...version, 'creationTimestamp', 'labels', 'managedFields'];
    assert.equal(Object.keys(body.metadata), wanted);
  });
test('stores nothing of a dry run, which answers as if it had', async () => {
  const dry = await server.post(`${MAPS}?dryRun=All`, map('dry'));
  assert.equal([dry.status, dry.body.metadata.resourceVersion], [201, undefined]);
  assert.is((await server.get(`${MAPS}/dry`)).status, 404);
});
const refusals: readonly [what: string, path: string, body: object, status: number, reason: string, message: RegExp][] = [
  ['a name that is taken', MAPS, map('kube-root-ca.crt'), 409, 'AlreadyExists', /^configmaps "kube-root-ca.crt" already exists$/],
  ['no name', MAPS, map(''), 422, 'Invalid', /metadata.name: Required value: name or generateName is required/],
  [
    'another namespace',
    MAPS,
    { metadata: { name: 'a', namespace: 'b' } },
    400,
    'BadRequest',
    /does not match the namespace sent on the request$/,
  ],
  ['a namespace that is not there', MAPS.replace('default', 'none'), map('a'), 404, 'NotFound', /^namespaces "none" not found$/],
  [
    'a version of the object',
    MAPS,
    { metadata: { name: 'a', resourceVersion: '7' } },
    400,
    'BadRequest',
    /resourceVersion should not be set on objects to be created/,
  ],
  [
    'another kind',
    MAPS,
    { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } },
    400,
    'BadRequest',
    /no kind "Secret"|cannot be handled as a ConfigMap/,
  ],
];
for (const [what, path, body, status, reason, message] of refusals)
  test(`refuses ${what}`, async () => {
    const answer = await server.post(path, body);
    assert.equal([answer.status, answer.body.reason ?? ''], [status, reason]);
    assert.match(answer.body.message, message);
  });
test('is told twice the same member, and keeps the last where it may', async () => {
  const text = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
  const warned = await server.ask('POST', MAPS, { body: text });
  assert.equal([warned.status, warned.body.data.a], [201, '2']);
  assert.match(warned.headers.get('warning') ?? '', /duplicate field \\"data.a\\"/);
  assert.is((await server.ask('POST', `${MAPS}?fieldValidation=Strict`, { body: text.replace('twice', 'thrice') })).status, 400);
});

for (const name of ['x'.repeat(2_000), 'a\u0000b'])
  test(`a name that no store takes is refused where the kind has no format of names: ${name.length} characters`, async () => {
    const answer = await server.post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', { metadata: { name }, spec: {} });
    assert.equal([answer.status, answer.body.details.causes[0].field], [422, 'metadata.name']);
  });

test.run();
