/** Parameters of policies: which objects a binding gives to its policy, and what is said where there are none. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { bind, CONFIG_MAPS, configMap, create, define, policing, RULE, request } from '../policed-server.ts';

const test = suite('parameters of policies');
policing(test);

const LAMPS = '/apis/example.com/v1/namespaces/default/lamps';
const RIGS = '/apis/example.com/v1/rigs';

const definition = (plural: string, kind: string, scope: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    names: { plural, kind },
    scope,
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v2',
      schema: {
        openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } },
      },
    })),
  },
});

test.before(async () => {
  for (const [plural, kind, scope] of [
    ['lamps', 'Lamp', 'Namespaced'],
    ['rigs', 'Rig', 'Cluster'],
  ] as const)
    await request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(plural, kind, scope));
  for (const path of [LAMPS, RIGS]) await eventually(`${path} is served`, async () => (await request('GET', path)).status === 200);
});
test.after.each(async () => {
  for (const path of [LAMPS, RIGS]) await request('DELETE', path);
});

const custom = (kind: string, name: string, spec: object, labels?: object) => ({
  apiVersion: 'example.com/v1',
  kind,
  metadata: { name, ...(labels && { labels }) },
  spec,
});
const RULES = { resourceRules: [{ ...RULE, operations: ['CREATE'], resourceNames: ['a'] }] };
const DATA = { data: { k: 'v' } };
const MESSAGE = "params == null ? 'none' : params.kind + ' ' + params.apiVersion + ' ' + params.metadata.name";
const saying = (paramKind: object, others: object = {}) => ({
  matchConstraints: RULES,
  paramKind,
  validations: [{ expression: 'false', messageExpression: MESSAGE }],
  ...others,
});
const MAPS = { apiVersion: 'v1', kind: 'ConfigMap' };
const LAMP = { apiVersion: 'example.com/v1', kind: 'Lamp' };
const RIG = { apiVersion: 'example.com/v1', kind: 'Rig' };
const DENY = { parameterNotFoundAction: 'Deny' };
const ALLOW = { parameterNotFoundAction: 'Allow' };

interface Case {
  readonly name: string;
  readonly policy: object;
  readonly paramRef?: object;
  /** undefined: the config map `a` is created */
  readonly refused?: string;
}
const BOUND = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";
const NO_PARAMS = 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
const cases: readonly Case[] = [
  {
    name: 'one by name',
    policy: saying(MAPS),
    paramRef: { name: 'm1', namespace: 'default', ...DENY },
    refused: `${BOUND}ConfigMap v1 m1`,
  },
  {
    name: 'one by name, in the namespace of the request',
    policy: saying(MAPS),
    paramRef: { name: 'm1', ...DENY },
    refused: `${BOUND}ConfigMap v1 m1`,
  },
  { name: 'one by name, in another namespace', policy: saying(MAPS), paramRef: { name: 'm1', namespace: 'kube-system', ...ALLOW } },
  { name: 'a custom one', policy: saying(LAMP), paramRef: { name: 'l1', ...DENY }, refused: `${BOUND}Lamp example.com/v1 l1` },
  {
    name: 'a custom one as it is stored',
    policy: saying({ ...LAMP, apiVersion: 'example.com/v2' }),
    paramRef: { name: 'l1', ...DENY },
    refused: `${BOUND}Lamp example.com/v2 l1`,
  },
  { name: 'one without a namespace', policy: saying(RIG), paramRef: { name: 'r1', ...DENY }, refused: `${BOUND}Rig example.com/v1 r1` },
  {
    name: 'one of all namespaces, named with one',
    policy: saying(RIG),
    paramRef: { name: 'r1', namespace: 'default', ...DENY },
    refused: `${BOUND}failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped \`paramKind\``,
  },
  {
    name: 'those with labels',
    policy: saying(LAMP),
    paramRef: { selector: { matchLabels: { on: 'no' } }, ...DENY },
    refused: `${BOUND}Lamp example.com/v1 l2`,
  },
  {
    name: 'all of them, of which one refuses',
    policy: saying(LAMP),
    paramRef: { selector: {}, ...DENY },
    refused: `${BOUND}Lamp example.com/v1 l1`,
  },
  { name: 'none, where there must be', policy: saying(LAMP), paramRef: { name: 'none', ...DENY }, refused: BOUND + NO_PARAMS },
  {
    name: 'none with such labels, where there must be',
    policy: saying(LAMP),
    paramRef: { selector: { matchLabels: { x: 'y' } }, ...DENY },
    refused: BOUND + NO_PARAMS,
  },
  { name: 'none, where there need not be', policy: saying(LAMP), paramRef: { name: 'none', ...ALLOW } },
  { name: 'none, of a policy that fails open', policy: saying(LAMP, { failurePolicy: 'Ignore' }), paramRef: { name: 'none', ...DENY } },
  { name: 'no reference', policy: saying(LAMP), refused: `${BOUND}none` },
  {
    name: 'a reference of a policy without parameters',
    policy: { matchConstraints: RULES, validations: [{ expression: 'false' }] },
    paramRef: { name: 'none', ...DENY },
    refused: `${BOUND}failed expression: false`,
  },
  {
    name: 'a kind that there is not',
    policy: saying({ apiVersion: 'example.com/v1', kind: 'Nothing' }),
    paramRef: { name: 'x', ...DENY },
    refused:
      "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'",
  },
  {
    name: 'a kind of the core group that there is not',
    policy: saying({ apiVersion: 'v1', kind: 'Nothing' }),
    refused:
      "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Nothing'",
  },
  {
    name: 'a kind that there is not, of a policy that fails open',
    policy: saying({ apiVersion: 'v1', kind: 'Nothing' }, { failurePolicy: 'Ignore' }),
  },
  {
    name: 'conditions that see them',
    policy: saying(MAPS, { matchConditions: [{ name: 'c', expression: "params.data.k != 'v'" }] }),
    paramRef: { name: 'm1', ...DENY },
  },
];
for (const { name, policy, paramRef, refused } of cases)
  test(`are ${name}`, async () => {
    await create('m1', DATA);
    for (const [lamp, on] of [
      ['l2', 'no'],
      ['l1', 'yes'],
    ] as const)
      assert.is((await request('POST', LAMPS, custom('Lamp', lamp, {}, { on }))).status, 201);
    assert.is((await request('POST', RIGS, custom('Rig', 'r1', {}))).status, 201);
    await define('p', policy);
    await bind('b', { policyName: 'p', ...(paramRef && { paramRef }) });
    const answer = await create('a');
    if (refused === undefined) assert.is(answer.status, 201, answer.body.message);
    else assert.is(answer.body.message, `configmaps "a" is forbidden: ${refused}`);
  });

test('of a namespace are none for what is in no namespace', async () => {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['persistentvolumes'] }];
  await define('p', saying(LAMP, { matchConstraints: { resourceRules } }));
  await bind('b', { policyName: 'p', paramRef: { name: 'l1', ...DENY } });
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  };
  const { body } = await request('POST', '/api/v1/persistentvolumes?dryRun=All', volume);
  const cause = 'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
  assert.is(body.message, `persistentvolumes "v" is forbidden: ${BOUND}${cause}`);
});

test('count as they are now: those that are written, that get labels, lose them and go', async () => {
  await define('p', {
    matchConstraints: RULES,
    paramKind: MAPS,
    validations: [{ expression: "params.data.k == 'v'", messageExpression: "params.metadata.name + ' says ' + params.data.k" }],
  });
  await bind('b', { policyName: 'p', paramRef: { selector: { matchLabels: { p: 'x' } }, ...ALLOW } });
  const said = async () => (await request('POST', `${CONFIG_MAPS}?dryRun=All`, configMap('a'))).body.message?.split('denied request: ')[1];
  const patch = (name: string, body: object) => request('PATCH', `${CONFIG_MAPS}/${name}`, body, 'application/merge-patch+json');
  assert.is(await said(), undefined);
  await create('m2', { metadata: { name: 'm2', labels: { p: 'x' } }, data: { k: 'w' } });
  assert.is(await said(), 'm2 says w');
  await create('m1', { data: { k: 'z' } });
  assert.is(await said(), 'm2 says w');
  await patch('m1', { metadata: { labels: { p: 'x' } } });
  assert.is(await said(), 'm1 says z');
  await patch('m1', { data: { k: 'v' } });
  assert.is(await said(), 'm2 says w');
  await patch('m2', { metadata: { labels: { p: null } } });
  assert.is(await said(), undefined);
  await patch('m1', { data: { k: 'u' } });
  assert.is(await said(), 'm1 says u');
  await request('DELETE', `${CONFIG_MAPS}/m1`);
  assert.is(await said(), undefined);
});

test('of a megabyte are read on another thread, and those of many are all asked', async () => {
  const list = Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'x'.repeat(20) }));
  assert.is((await request('POST', LAMPS, custom('Lamp', 'l1', { list }))).status, 201);
  await define('p', {
    matchConstraints: RULES,
    paramKind: LAMP,
    validations: [{ expression: 'params.spec.list.size() != 20000', messageExpression: "'it has ' + string(params.spec.list.size())" }],
  });
  await bind('b', { policyName: 'p', paramRef: { name: 'l1', ...DENY } });
  assert.match((await create('a')).body.message, 'denied request: it has 20000');
  assert.match((await create('a')).body.message, 'denied request: it has 20000');
  await request('DELETE', LAMPS);
  for (let index = 0; index < 40; index++) await request('POST', LAMPS, custom('Lamp', `l${index}`, { list: [index] }));
  await request('PATCH', `${LAMPS}/l39`, { spec: { list: Array.from({ length: 20_000 }, () => 1) } }, 'application/merge-patch+json');
  await request('DELETE', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/b');
  await bind('b', { policyName: 'p', paramRef: { selector: {}, ...DENY } });
  assert.match((await create('a')).body.message, 'denied request: it has 20000');
});

test.run();
