/** Empty lists that a client sends are empty lists for policies and webhooks, though they are null once they are stored. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answering, askingWebhooks, configure, hook, patchOf, request, webhook } from './webhooked-server.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/clusterroles`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const rules = (resources: string, apiGroups: string) => [
  { apiGroups: [apiGroups], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [resources] },
];
const OF_ROLES = rules('clusterroles', 'rbac.authorization.k8s.io');
const role = (name: string, given: object = { rules: [] }) => ({ metadata: { name }, ...given });

const test = suite('empty lists of a request');
askingWebhooks(test);
test.after.each(() => request('DELETE', `${ROLES}?labelSelector=made`).then(() => undefined));

const shown = (at = 0) => webhook.asked[at]?.request.object;

for (const kind of ['Validating', 'Mutating'] as const)
  test(`are shown to ${kind.toLowerCase()} webhooks, and what is absent is null`, async () => {
    await configure(kind, hook({ rules: OF_ROLES }));
    assert.is((await request('POST', ROLES, role(`${kind.toLowerCase()}-a`))).body.rules, null);
    await request('POST', ROLES, role(`${kind.toLowerCase()}-b`, {}));
    assert.equal([shown(0).rules, shown(1).rules], [[], null]);
  });

test('are shown of updates, patches and applies', async () => {
  await request('POST', ROLES, role('u', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }));
  await configure('Validating', hook({ rules: OF_ROLES }));
  await request('PUT', `${ROLES}/u?dryRun=All`, role('u'));
  await request('PATCH', `${ROLES}/u?dryRun=All`, { rules: [] }, 'application/merge-patch+json');
  const applied = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', ...role('v') };
  await request('PATCH', `${ROLES}/v?fieldManager=me`, applied, 'application/apply-patch+yaml');
  await request('PATCH', `${ROLES}/v?dryRun=All`, { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json');
  assert.equal(
    webhook.asked.map(({ request: { object } }) => object.rules),
    [[], [], [], null],
  );
  assert.is(webhook.asked[0].request.oldObject.rules.length, 1);
});

test('can be added to by webhooks, and are not counted as changed by a patch of none', async () => {
  await configure('Mutating', hook({ rules: OF_ROLES }), hook({ name: 'b.example.com', rules: OF_ROLES }));
  const added = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
  const change = answering(patchOf([{ op: 'add', path: '/rules/-', value: added }]));
  webhook.reply = (...asking) => (webhook.asked.length === 1 ? change : answering({}))(...asking);
  assert.equal((await request('POST', ROLES, role('c'))).body.rules, [added]);
  assert.equal([shown(0).rules, shown(1).rules], [[], [added]]);
});

test('are null again once a webhook has taken them away', async () => {
  await configure('Mutating', hook({ rules: OF_ROLES }), hook({ name: 'b.example.com', rules: OF_ROLES }));
  const change = answering(patchOf([{ op: 'replace', path: '/rules', value: null }]));
  webhook.reply = (...asking) => (webhook.asked.length === 1 ? change : answering({}))(...asking);
  await request('POST', ROLES, role('d'));
  assert.equal([shown(0).rules, shown(1).rules], [[], null]);
});

test('of what a write resets are not shown to validating webhooks', async () => {
  const definitions = rules('customresourcedefinitions', 'apiextensions.k8s.io');
  await configure('Validating', hook({ rules: definitions }));
  await configure('Mutating', hook({ rules: definitions }));
  const schema = { openAPIV3Schema: { type: 'object' } };
  const spec = {
    group: 'a.io',
    scope: 'Cluster',
    names: { plural: 'ws', kind: 'W' },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  const status = { conditions: [], acceptedNames: { plural: '', kind: '' }, storedVersions: [] };
  const created = await request('POST', `${DEFINITIONS}?dryRun=All`, { metadata: { name: 'ws.a.io' }, spec, status });
  assert.is(created.status, 201, created.body.message);
  assert.equal([shown(0).status.conditions, shown(1).status.conditions], [[], null]);
});

test('are lists to expressions of policies', async () => {
  const of = (kind: string) => `${POLICIES}/validatingadmissionpolic${kind}`;
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: OF_ROLES },
    validations: [{ expression: 'object.rules.size() == 0' }],
  };
  await request('POST', of('ies'), { metadata: { name: 'p' }, spec });
  await request('POST', of('ybindings'), { metadata: { name: 'p' }, spec: { policyName: 'p', validationActions: ['Deny'] } });
  try {
    let answer = await request('POST', `${ROLES}?dryRun=All`, role('e'));
    assert.is(answer.status, 201, answer.body.message);
    answer = await request('POST', `${ROLES}?dryRun=All`, role('e', {}));
    assert.is(answer.status, 422, answer.body.message);
  } finally {
    await request('DELETE', `${of('ybindings')}/p`);
    await request('DELETE', `${of('ies')}/p`);
  }
});
test.run();
