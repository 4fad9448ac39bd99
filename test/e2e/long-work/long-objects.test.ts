/** However long an object is that is right, nobody else waits for what follows from it: its changes, and what is made of what is stored. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../../runtime/schema/json/member.ts';
import { Client } from '../../harness/client.ts';
import { startServer } from '../../harness/server.ts';
import { TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';
import { assertUnheld, CONFIGMAPS } from '../../harness/unheld.ts';

/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };

const namesOf = (count: number, name: (index: number) => string): string[] => Array.from({ length: count }, (_, index) => name(index));
const textsOf = (names: readonly string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, '']));

/** Stands for the uid of an owner that is there. */
const OWNER = 'uid-of-owner';

/** Those that are much work for whoever follows what is stored, and compares what it has with what it had. */
const longObjects: readonly (readonly [what: string, path: string, object: { metadata?: object; [member: string]: unknown }])[] = [
  ['many keys', CONFIGMAPS, { data: textsOf(namesOf(100_000, (index) => `key-${index}`)) }],
  ['many labels', CONFIGMAPS, { metadata: { labels: textsOf(namesOf(70_000, (index) => `label-${index}`)) } }],
  [
    'many owners',
    CONFIGMAPS,
    {
      metadata: {
        // the first one is there, and keeps the object from being collected
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Namespace', name: 'default', uid: OWNER },
          ...namesOf(30_000, (index) => `${index}`).map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'seen', uid })),
        ],
      },
    },
  ],
  [
    'many rules',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { rules: namesOf(28_000, (index) => `things${index}`).map((name) => ({ verbs: ['get'], apiGroups: [''], resources: [name] })) },
  ],
  [
    'many subjects',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: namesOf(28_000, (index) => `user${index}`).map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
    },
  ],
  [
    'many volumes',
    '/api/v1/namespaces/default/pods',
    {
      spec: {
        nodeName: 'node',
        containers: [{ name: 'a', image: 'b' }],
        volumes: namesOf(40_000, (index) => `v${index}`).map((name) => ({ name, secret: { secretName: name } })),
      },
    },
  ],
];

/** With a few of its keys and elements. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 3).map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 3)
      .map(([name, member]) => [name, shortened(member)]),
  );
}

const test = suite('long objects');
const server = await startServer({
  dialect: 'kubernetes',
  flags: ['--disable-admission-plugins=ServiceAccount', '--authorization-mode=Node,RBAC'],
  preload: TURN_MONITOR,
});
const client = new Client(server);
const other = new Client(server);
const nobody = new Client(server, server.tokens.alice);
test.after(async () => {
  nobody.close();
  client.close();
  other.close();
  await server.stop();
});

test.before(async () => {
  assert.is((await client.post(CONFIGMAPS, { metadata: { name: 'seen' } })).status, 201);
  // kinds and verbs are loaded with the first request that needs them
  for (const [, to, object] of longObjects) await change(to, { ...(shortened(object) as object), metadata: { name: 'short' } }, 403);
  for (const path of ['/readyz', `${CONFIGMAPS}/seen`]) await other.get(path);
  await untilQuiet(server);
});

/** All that is done to long objects. @param secretStatus what a node gets that asks for the last secret */
async function change(to: string, object: { readonly metadata: { readonly name: string } }, secretStatus: number): Promise<void> {
  const { uid } = (await client.get('/api/v1/namespaces/default')).body.metadata;
  const { name } = object.metadata;
  const created = await client.request('POST', to, {
    body: JSON.stringify(object).replace(OWNER, uid),
    headers: JSON_TYPE,
    timeout: PATIENCE,
  });
  assert.is(created.status, 201, created.text.slice(0, 500));
  const labels = JSON.stringify({ metadata: { labels: { a: name } } });
  const patched = await client.request('PATCH', `${to}/${name}`, { body: labels, headers: MERGE_PATCH, timeout: PATIENCE });
  assert.is(patched.status, 200, patched.text.slice(0, 500));
  assert.is((await client.get(`${to}?labelSelector=a%3D${name}&limit=1`)).body.items[0].metadata.name, name);
  // who may nothing is judged by all that is there
  assert.is((await nobody.get(CONFIGMAPS)).status, 403);
  const node = { 'impersonate-user': 'system:node:node', 'impersonate-group': 'system:nodes' };
  const secret = await client.get('/api/v1/namespaces/default/secrets/v39999', node);
  assert.is(secret.status, secretStatus, secret.text);
  assert.is((await client.request('DELETE', `${to}/${name}`, { timeout: PATIENCE })).status, 200);
}

for (const [what, to, long] of longObjects)
  test(`nobody waits for an object of ${what}, small changes of it, and its end`, () =>
    assertUnheld(server, other, (attempt) =>
      change(to, { ...long, metadata: { ...long.metadata, name: `long-${attempt}` } }, what === 'many volumes' ? 404 : 403),
    ));

test.run();
