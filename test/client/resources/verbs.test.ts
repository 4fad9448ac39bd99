/** All verbs of typed resources, against servers of both dialects. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DeploymentResource, deployments } from '../../../generated/client/apps/v1/index.ts';
import { tokenreviews } from '../../../generated/client/authentication/v1/index.ts';
import { leases } from '../../../generated/client/coordination/v1/index.ts';
import { configmaps, namespaces, nodes, pods, serviceaccounts } from '../../../generated/client/core/v1/index.ts';
import {
  ApiError,
  createClient,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  not,
  oneOf,
  type ResourceClient,
} from '../../../generated/client/index.ts';
import { clusterroles } from '../../../generated/client/rbac/v1/index.ts';
import { type ServerAndClient, serverAndClient } from '../client-of.ts';

const labels = { app: 'web' };
const deployment = {
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } } },
};

for (const dialect of ['cluster', 'kubernetes'] as const) {
  const test = suite(`verbs in the dialect ${dialect}`);
  let context: ServerAndClient;
  let count = 0;
  /** of a namespace that is new */
  async function fresh(): Promise<string> {
    const { metadata } = await context.client.resource(namespaces).create({ metadata: { name: `of-test-${count++}` } });
    return metadata.name;
  }
  const rejection = async (promise: Promise<unknown>): Promise<ApiError> => {
    const error = await promise.then(
      () => assert.unreachable('it succeeded'),
      (thrown: unknown) => thrown,
    );
    assert.instance(error, ApiError);
    return error as ApiError;
  };
  test.before(async () => {
    context = await serverAndClient(dialect, {}, {}, { fieldManager: 'tests' });
  });
  test.after(async () => {
    await context[Symbol.asyncDispose]();
  });

  test('create, get, update and delete objects', async () => {
    const maps = context.client.resource(configmaps).in(await fresh());
    const created = await maps.create({ metadata: { name: 'one' }, data: { a: '1' } });
    assert.equal([created.kind, created.apiVersion, created.metadata.namespace], ['ConfigMap', 'v1', maps.namespace]);
    const updated = await maps.update({ ...created, data: { a: '2' } });
    assert.equal((await maps.get('one')).data, { a: '2' });
    assert.ok(isConflict(await rejection(maps.update({ ...created, data: {} }))));
    assert.ok(isAlreadyExists(await rejection(maps.create({ metadata: { name: 'one' } }))));
    const wrong = { uid: '00000000-0000-0000-0000-000000000000' };
    assert.ok(isConflict(await rejection(maps.delete('one', { preconditions: wrong }))));
    assert.ok(isConflict(await rejection(maps.delete('one', { preconditions: { resourceVersion: created.metadata.resourceVersion } }))));
    const answer = await maps.delete('one', {
      preconditions: { uid: updated.metadata.uid, resourceVersion: updated.metadata.resourceVersion },
    });
    assert.is(answer.kind, 'Status');
    assert.ok(isNotFound(await rejection(maps.get('one'))));
  });

  test('say what is wrong field by field', async () => {
    const error = await rejection(
      context.client
        .resource(deployments)
        .in(await fresh())
        .create({ ...deployment, spec: { ...deployment.spec, replicas: -1 } }),
    );
    assert.ok(isInvalid(error));
    assert.equal(
      error.causes.map(({ field }) => field),
      ['spec.replicas'],
    );
  });

  test('modify objects again after others did', async () => {
    const maps = context.client.resource(configmaps).in(await fresh());
    await maps.create({ metadata: { name: 'one' }, data: { count: '0' } });
    const add = () =>
      maps.modify('one', (map) => {
        map.data = { count: String(Number(map.data?.count) + 1) };
        return undefined;
      });
    await Promise.all(Array.from({ length: 5 }, add));
    assert.equal((await maps.get('one')).data, { count: '5' });
    // so many give up where they meet again each time
    await Promise.all(Array.from({ length: 25 }, add));
    assert.equal((await maps.get('one')).data, { count: '30' });
  });

  test('send patches as what they are', async () => {
    const web = context.client.resource(deployments).in(await fresh());
    await web.create(deployment);
    const merged = await web.mergePatch('web', { spec: { replicas: 2, paused: true }, metadata: { labels: { a: 'b' } } });
    assert.equal([merged.spec?.replicas, merged.spec?.paused, merged.metadata.labels], [2, true, { a: 'b' }]);
    const json = await web.jsonPatch('web', [
      { op: 'test', path: '/spec/replicas', value: 2 },
      { op: 'remove', path: '/spec/paused' },
    ]);
    assert.is(json.spec?.paused, undefined);
    const patch = {
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'web', env: [{ name: 'A', value: '1' }] },
              { name: 'side', image: 'side:1' },
            ],
          },
        },
      },
    };
    const containers = (await web.strategicMergePatch('web', patch)).spec?.template.spec?.containers;
    assert.equal(containers?.map(({ name, image }) => [name, image]).sort(), [
      ['side', 'side:1'],
      ['web', 'web:1'],
    ]);
    const without = { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' as const }] } } } };
    assert.is((await web.strategicMergePatch('web', without)).spec?.template.spec?.containers.length, 1);
    const removed = await web.mergePatch('web', { metadata: { labels: null } });
    assert.is(removed.metadata.labels, undefined);
  });

  test('select nothing by what is not said', async () => {
    const maps = context.client.resource(configmaps).in(await fresh());
    const nobody = undefined as unknown as string;
    for (const selection of [{ fields: { 'metadata.name': nobody } }, { labels: { app: nobody } }] as const)
      for (const act of [() => maps.list(selection), () => maps.deleteCollection(selection)])
        assert.match(
          await act().then(
            () => 'it succeeded',
            (error: Error) => error.message,
          ),
          /^the selector names "[a-z.]+", but says undefined of it$/,
        );
  });
  test('apply nothing where nothing is a value', async () => {
    const roles = context.client.resource(clusterroles);
    const applied = await roles.apply({ metadata: { name: 'of-nothing', creationTimestamp: null }, rules: null });
    assert.equal([applied.rules, typeof applied.metadata.creationTimestamp], [null, 'string']);
  });

  test('apply what a field manager owns, and tell who owns it', async () => {
    const web = context.client.resource(deployments).in(await fresh());
    await web.apply({ ...deployment, spec: { ...deployment.spec, replicas: 1 } });
    const mine = {
      metadata: { name: 'web' },
      spec: { replicas: 3, template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } },
    };
    const error = await rejection(web.apply(mine, { fieldManager: 'other' }));
    assert.ok(isConflict(error));
    assert.equal(error.causes.map(({ field }) => field).sort(), ['.spec.replicas', '.spec.template.spec.containers[name="web"].image']);
    const forced = await web.apply(mine, { fieldManager: 'other', force: true });
    assert.equal([forced.spec?.replicas, forced.spec?.template.spec?.containers[0]?.image], [3, 'web:2']);
    // those of one second stand in the order of their names
    const owners = forced.metadata.managedFields?.map(({ manager, operation }) => [manager, operation]);
    assert.equal(owners?.sort(), [
      ['other', 'Apply'],
      ['tests', 'Apply'],
    ]);
    const nobody = await serverAndClient(dialect);
    try {
      assert.throws(() => nobody.client.resource(deployments).in('default').apply(mine), /apply needs a fieldManager/);
    } finally {
      await nobody[Symbol.asyncDispose]();
    }
  });

  test('change nothing in a dry run', async () => {
    const maps = context.client.resource(configmaps).in(await fresh());
    const answer = await maps.create({ metadata: { name: 'one' } }, { dryRun: true });
    assert.is(answer.metadata.name, 'one');
    assert.ok(isNotFound(await rejection(maps.get('one'))));
    await maps.create({ metadata: { name: 'two' }, data: {} });
    await maps.delete('two', { dryRun: true });
    await maps.mergePatch('two', { data: { a: 'b' } }, { dryRun: true });
    assert.is((await maps.get('two')).data, undefined);
  });

  test('name the field manager, and hold fields as strictly as is asked', async () => {
    const maps = context.client.resource(configmaps).in(await fresh());
    const unknown = { metadata: { name: 'one' }, data: { a: '1' }, unknown: 1 };
    assert.match(
      (await rejection(maps.create(unknown, { fieldValidation: 'Strict' }))).message,
      /strict decoding error: unknown field "unknown"/,
    );
    context.warnings.length = 0;
    const { metadata } = await maps.create(unknown, { fieldManager: 'someone' });
    assert.equal(
      metadata.managedFields?.map(({ manager }) => manager),
      ['someone'],
    );
    assert.equal(context.warnings, ['unknown field "unknown"']);
  });

  test('list what is selected, in pages, with kinds', async () => {
    const maps = context.client.resource(configmaps).in(await fresh());
    for (const name of ['a', 'b', 'c', 'd', 'e']) await maps.create({ metadata: { name, labels: { app: name, all: 'x' } } });
    const names = async (...options: Parameters<typeof maps.list>) =>
      (await maps.list(...options)).items.map(({ metadata }) => metadata.name);
    assert.equal(await names({ labels: { app: oneOf('a', 'b'), all: 'x' } }), ['a', 'b']);
    assert.equal(await names({ labels: { all: 'x', app: not('c') }, fields: { 'metadata.name': not('d') } }), ['a', 'b', 'e']);
    const pages: string[][] = [];
    for await (const { items } of maps.pages({ limit: 2, labels: { all: 'x' } }))
      pages.push(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    assert.equal(pages, [['ConfigMap a', 'ConfigMap b'], ['ConfigMap c', 'ConfigMap d'], ['ConfigMap e']]);
    const { items } = await context.client.resource(configmaps).list({ labels: { all: 'x' } });
    assert.equal([items.length, items[0]?.apiVersion, items[0]?.metadata.namespace], [5, 'v1', maps.namespace]);
    const deleted = await maps.deleteCollection({ labels: { app: oneOf('a', 'b') } });
    assert.equal(['items' in deleted, (await names({ labels: { all: 'x' } })).length], [true, 3]);
  });

  test('show tables and metadata', async () => {
    const web = context.client.resource(deployments).in(await fresh());
    await web.create(deployment);
    const table = await web.listTable();
    assert.equal(
      table.columnDefinitions.filter(({ priority }) => priority === 0).map(({ name }) => name),
      ['Name', 'Ready', 'Up-to-date', 'Available', 'Age'],
    );
    assert.is(table.rows[0]?.cells[0], 'web');
    assert.equal((await web.getTable('web', { includeObject: 'None' })).rows[0]?.object, null);
    const { kind, metadata } = await web.getMetadata('web');
    assert.equal([kind, metadata.name], ['PartialObjectMetadata', 'web']);
    const [first] = (await web.listMetadata()).items;
    assert.equal([first?.kind, first?.metadata.uid], ['PartialObjectMetadata', metadata.uid]);
  });

  test('have subresources with kinds of their own', async () => {
    const namespace = await fresh();
    const web = context.client.resource(deployments).in(namespace);
    await web.create(deployment);
    const scale = web.subresource('scale');
    const read = await scale.get('web');
    assert.equal([read.kind, read.apiVersion, read.spec?.replicas], ['Scale', 'autoscaling/v1', 1]);
    await scale.update({ ...read, spec: { replicas: 4 } });
    await scale.apply({ metadata: { name: 'web' }, spec: { replicas: 5 } }, { force: true });
    assert.is((await web.get('web')).spec?.replicas, 5);
    const status = await web.subresource('status').mergePatch('web', { status: { replicas: 2 } });
    assert.is(status.status?.replicas, 2);
    const accounts = context.client.resource(serviceaccounts).in(namespace);
    await accounts.create({ metadata: { name: 'robot' } });
    const request = await accounts.subresource('token').create('robot', { spec: { audiences: [] } });
    const review = await context.client.resource(tokenreviews).create({ spec: { token: request.status?.token ?? '' } });
    assert.is(review.status?.user?.username, `system:serviceaccount:${namespace}:robot`);
    const pod = context.client.resource(pods).in(namespace);
    await pod.create({ metadata: { name: 'p' }, spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] } });
    const evicted = await pod.subresource('eviction').create('p', { metadata: { name: 'p' } });
    assert.equal([evicted.kind, evicted.status], ['Status', 'Success']);
  });

  test('know the groups of the dialect', async () => {
    const client = context.client;
    const role = await client
      .resource(clusterroles)
      .create({ metadata: { name: `role-${count++}` }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] });
    const domain = dialect === 'cluster' ? 'cluster.io' : 'k8s.io';
    assert.is(role.apiVersion, `rbac.authorization.${domain}/v1`);
    const lease = await client
      .resource(leases)
      .in('default')
      .create({ metadata: { name: `lease-${count++}` }, spec: { holderIdentity: 'me' } });
    assert.is(lease.apiVersion, `coordination.${domain}/v1`);
  });

  test('refuse names that would lead elsewhere', async () => {
    const { client } = context;
    for (const name of ['', '.', '..']) {
      assert.throws(() => client.resource(namespaces).get(name), /is no name/);
      assert.throws(() => client.resource(namespaces).delete(name), /is no name/);
      assert.throws(() => client.resource(configmaps).in(name).get('x'), /is no name/);
    }
    assert.ok(isNotFound(await rejection(client.resource(configmaps).in('default').get('../../nodes'))));
  });

  test('end when they are told to', async () => {
    const reason = new Error('enough');
    const early = AbortSignal.abort(reason);
    for (const act of [
      () => context.client.resource(nodes).list({ signal: early }),
      () => context.client.resource(nodes).get('x', { signal: early }),
    ])
      assert.is(await act().catch((error: unknown) => error), reason);
  });

  test('end with their reason while they wait for a server that ends connections', async () => {
    const broken = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const client = createClient({ server: `http://127.0.0.1:${(broken.address() as AddressInfo).port}` }, { dialect });
    const ending = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => ending.abort(reason), 50);
    try {
      assert.is(
        await client
          .resource(nodes)
          .get('x', { signal: ending.signal })
          .catch((error: unknown) => error),
        reason,
      );
    } finally {
      await client.close();
      broken.close();
    }
  });
  test.run();
}

/** What the compiler refuses; never called. */
export function refusedByTypes(web: ResourceClient<DeploymentResource>): void {
  // @ts-expect-error the server selects deployments by no such field
  void web.list({ fields: { 'spec.replicas': '1' } });
  // @ts-expect-error a deployment has no such member
  void web.create({ metadata: { name: 'x' }, spec: { ...deployment.spec, replica: 1 } });
  // @ts-expect-error a deployment needs a template
  void web.create({ metadata: { name: 'x' }, spec: { selector: {} } });
  // @ts-expect-error what is applied says its name
  void web.apply({ spec: { replicas: 1 } });
  // @ts-expect-error elements of lists say their keys
  void web.apply({ metadata: { name: 'x' }, spec: { template: { spec: { containers: [{ image: 'x' }] } } } });
  // @ts-expect-error a merge patch has members of the type
  void web.mergePatch('x', { spec: { replicas: 'many' } });
  // @ts-expect-error there is no such subresource
  void web.subresource('logs');
  // @ts-expect-error a scale cannot be created
  void web.subresource('scale').create;
}

/** The same of resources without some verbs. */
export function refusedVerbs({ client }: ServerAndClient): void {
  // @ts-expect-error a review is created alone
  void client.resource(tokenreviews).get;
  // @ts-expect-error namespaces are not deleted together
  void client.resource(namespaces).deleteCollection;
  // @ts-expect-error one pod is in one namespace
  void client.resource(pods).get;
  // @ts-expect-error a node is in no namespace
  void client.resource(nodes).in;
}
