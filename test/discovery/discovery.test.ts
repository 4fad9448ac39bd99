import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GroupVersionData, ResourceData } from '../../runtime/contract/kind.ts';
import type { AggregatedDocument, AggregatedVersion, DiscoveryRoot } from '../../runtime/discovery/aggregated.ts';
import { createDiscovery } from '../../runtime/discovery/discovery.ts';
import { documentHash, entityTag, matchesEntityTag } from '../../runtime/discovery/entity-tag.ts';
import { storageVersionHash } from '../../runtime/discovery/resource-list.ts';
import { customGroupVersion, deployments, groupsIn, groupVersion, pods, resource, reviews, view } from './view.ts';

const test = suite('discovery');
const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const hashes: { kind: [group: string, version: string, kind: string]; hash: string }[] = [
  { kind: ['', 'v1', 'ConfigMap'], hash: 'qFsyl6wFWjQ=' },
  { kind: ['', 'v1', 'Pod'], hash: 'xPOwRZ+Yhw8=' },
  { kind: ['apps', 'v1', 'Deployment'], hash: '8aSe+NMegvE=' },
  { kind: ['apiextensions.k8s.io', 'v1beta1', 'CustomResourceDefinition'], hash: 'jfWCUB31mvA=' },
];

for (const { kind, hash } of hashes)
  test(`storage version hash of ${kind.join('/')} is that of 1.32`, () => {
    const [group, version, name] = kind;
    assert.is(storageVersionHash({ group, version, kind: name }), hash);
  });

test('the hash is that of the version that stands in etcd, and of the one that an earlier release wrote', () => {
  const stored = { prefix: 'a', group: 'a.example', version: 'v2', kind: 'A', jsonInEtcd: 'v1' };
  const writtenAs = { group: 'a.example', version: 'v0', kind: 'A' };
  const hashes = [stored, { ...stored, writtenAs }].map((storage) => {
    const [resource] = deployments.resources;
    const { resources } = createDiscovery(view([groupVersion('a.example', 'v2', [{ ...resource, storage } as ResourceData])])).resourceList(
      'a.example',
      'v2',
    ) as { resources: { storageVersionHash?: string }[] };
    return resources[0]?.storageVersionHash;
  });
  assert.equal(
    hashes,
    ['v1', 'v0'].map((version) => storageVersionHash({ group: 'a.example', version, kind: 'A' })),
  );
});

test('/api names the versions of the core group and the address', () => {
  assert.equal(createDiscovery(view([pods])).apiVersions('192.0.2.1:6443'), {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '192.0.2.1:6443' }],
  });
});

test('/api follows a changed address', () => {
  const discovery = createDiscovery(view([pods]));
  discovery.apiVersions('a:1');
  assert.is(discovery.apiVersions('b:2').serverAddressByClientCIDRs[0]?.serverAddress, 'b:2');
});

test('/apis names groups in order, without the core group, the preferred version first', () => {
  const v2 = groupVersion('autoscaling', 'v2', []);
  const v1 = groupVersion('autoscaling', 'v1', []);
  assert.equal(createDiscovery(view([pods, deployments, v2, v1])).groupList(), {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [
      {
        name: 'apps',
        versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
        preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
      },
      {
        name: 'autoscaling',
        versions: [
          { groupVersion: 'autoscaling/v2', version: 'v2' },
          { groupVersion: 'autoscaling/v1', version: 'v1' },
        ],
        preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
      },
    ],
  });
});

test('/apis has groups of one priority by the names of their APIServices, aggregated discovery by their own', () => {
  const named = (group: string, version: string) => ({ ...groupVersion(group, version, []), groupPriority: 1000 });
  const first = { ...groupVersion('first', 'v1', []), groupPriority: 20_000 };
  const discovery = createDiscovery(
    view([first, named('a.example', 'v1alpha1'), named('b.example', 'v2'), named('b.example', 'v1'), named('c.example', 'v1')]),
  );
  const { groups } = discovery.groupList() as { groups: { name: string }[] };
  assert.equal(
    groups.map(({ name }) => name),
    ['first', 'b.example', 'c.example', 'a.example'],
  );
  assert.equal(
    groupsIn(discovery.aggregated('apis', 'v2')).items.map(({ metadata }) => metadata.name),
    ['first', 'a.example', 'b.example', 'c.example'],
  );
});

test('a group has its own document', () => {
  assert.equal(createDiscovery(view([deployments])).group('apps'), {
    kind: 'APIGroup',
    apiVersion: 'v1',
    name: 'apps',
    versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
    preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
  });
});

const absent: { name: string; find: (discovery: ReturnType<typeof createDiscovery>) => unknown }[] = [
  { name: 'a group that is not served', find: (discovery) => discovery.group('nope.example.org') },
  { name: 'the core group as a named one', find: (discovery) => discovery.group('') },
  { name: 'a version that is not served', find: (discovery) => discovery.resourceList('apps', 'v9') },
];
for (const { name, find } of absent)
  test(`no document: ${name}`, () =>
    assert.is(find(createDiscovery(view([pods, deployments].filter(({ group }) => group !== '')))), undefined));

const lists: { name: string; of: GroupVersionData; want: object }[] = [
  {
    name: 'the core group, whose list has no apiVersion',
    of: pods,
    want: {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [
        {
          name: 'pods',
          singularName: 'pod',
          namespaced: true,
          kind: 'Pod',
          verbs: ALL_VERBS,
          shortNames: ['po'],
          categories: ['all'],
          storageVersionHash: 'xPOwRZ+Yhw8=',
        },
        { name: 'pods/eviction', singularName: '', namespaced: true, group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
        { name: 'pods/exec', singularName: '', namespaced: true, kind: 'PodExecOptions', verbs: ['create', 'get'] },
      ],
    },
  },
  {
    name: 'the group of the first extensions, whose list has no apiVersion either',
    of: groupVersion('extensions', 'v1beta1', []),
    want: { kind: 'APIResourceList', groupVersion: 'extensions/v1beta1', resources: [] },
  },
  {
    name: 'resources that are not stored have no hash',
    of: reviews,
    want: {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'authentication.k8s.io/v1',
      resources: [{ name: 'tokenreviews', singularName: 'tokenreview', namespaced: false, kind: 'TokenReview', verbs: ['create'] }],
    },
  },
];
for (const { name, of, want } of lists)
  test(`resources of ${name}`, () => assert.equal(createDiscovery(view([of])).resourceList(of.group, of.version), want));

test('resources stand by name, subresources behind their resource as declared', () => {
  const status = { name: 'status', kind: 'B', verbs: ['get'] as const };
  const scale = { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get'] as const };
  const of = groupVersion('a', 'v1', [
    resource('bees', 'Bee', {}),
    resource('b', 'B', { subresources: [status, scale] }),
    resource('ants', 'Ant', {}),
  ]);
  const list = createDiscovery(view([of])).resourceList('a', 'v1') as { resources: { name: string }[] };
  assert.equal(
    list.resources.map(({ name }) => name),
    ['ants', 'b', 'b/status', 'b/scale', 'bees'],
  );
});

test('aggregated: the core group has no name, kinds of the version leave group and version empty', () => {
  const object = groupsIn(createDiscovery(view([pods])).aggregated('api', 'v2'));
  assert.equal(object, {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: [
      {
        metadata: { creationTimestamp: null },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'pods',
                responseKind: { group: '', version: '', kind: 'Pod' },
                scope: 'Namespaced',
                singularResource: 'pod',
                verbs: ALL_VERBS,
                shortNames: ['po'],
                categories: ['all'],
                subresources: [
                  { subresource: 'eviction', responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
                  { subresource: 'exec', responseKind: { group: '', version: '', kind: 'PodExecOptions' }, verbs: ['create', 'get'] },
                ],
              },
            ],
            freshness: 'Current',
          },
        ],
      },
    ],
  });
});

test('aggregated: kinds of custom resources state group and version', () => {
  const object = groupsIn(createDiscovery(view([customGroupVersion])).aggregated('apis', 'v2beta1'));
  const [resourceDiscovery] = object.items[0]?.versions[0]?.resources ?? [];
  assert.equal(resourceDiscovery?.responseKind, { group: 'example.org', version: 'v1', kind: 'Widget' });
  assert.equal(resourceDiscovery?.subresources?.[0]?.responseKind, { group: 'example.org', version: 'v1', kind: 'Widget' });
});

const roots: {
  name: string;
  root: DiscoveryRoot;
  version: AggregatedVersion;
  dialect: 'cluster' | 'kubernetes';
  type: string;
  groups: unknown[];
}[] = [
  {
    name: '/api in v2',
    root: 'api',
    version: 'v2',
    dialect: 'kubernetes',
    type: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    groups: [undefined],
  },
  {
    name: '/apis in v2beta1, in our own dialect',
    root: 'apis',
    version: 'v2beta1',
    dialect: 'cluster',
    type: 'application/json;g=apidiscovery.cluster.io;v=v2beta1;as=APIGroupDiscoveryList',
    groups: ['apps', 'authentication.k8s.io'],
  },
];
for (const { name, root, version, dialect, type, groups } of roots)
  test(`aggregated: ${name}`, () => {
    const { body, contentType, etag, object } = createDiscovery(view([pods, deployments, reviews], dialect)).aggregated(
      root,
      version,
    ) as AggregatedDocument;
    assert.is(contentType, type);
    assert.equal(JSON.parse(body.toString()), object);
    assert.equal(
      object?.items.map((item) => item.metadata.name),
      groups,
    );
    assert.is(etag, entityTag(documentHash(body as Buffer)));
  });

test('documents are made once, and anew after a change', () => {
  const served = [pods];
  const discovery = createDiscovery({ ...view([]), groupVersions: served });
  const before = discovery.groupList();
  const { etag } = discovery.aggregated('apis', 'v2') as AggregatedDocument;
  assert.is(discovery.groupList(), before);
  assert.is(discovery.encoded(before), discovery.encoded(before));
  served.push(deployments);
  assert.is(discovery.groupList(), before);
  discovery.invalidate();
  assert.is.not((discovery.aggregated('apis', 'v2') as AggregatedDocument).etag, etag);
  assert.is((discovery.groupList() as { groups: unknown[] }).groups.length, 1);
});

const tags: { name: string; header: string | undefined; want: boolean }[] = [
  { name: 'no header', header: undefined, want: false },
  { name: 'the same', header: '"A"', want: true },
  { name: 'another', header: '"x"', want: false },
  { name: 'one of several', header: '"x", "A"', want: true },
  { name: 'a weak one', header: 'W/"A"', want: true },
  { name: 'any', header: '*', want: true },
  { name: 'without quotes', header: 'A', want: false },
];
for (const { name, header, want } of tags) test(`If-None-Match: ${name}`, () => assert.is(matchesEntityTag(header, '"A"'), want));

test('every resource stands in the list and in the aggregated form', () => {
  const name = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const resources: ResourceData[] = names.map((each) => resource(each, each, {}));
      const discovery = createDiscovery(view([groupVersion('a', 'v1', resources)]));
      const list = discovery.resourceList('a', 'v1') as { resources: { name: string }[] };
      const aggregated = groupsIn(discovery.aggregated('apis', 'v2')).items[0]?.versions[0]?.resources ?? [];
      assert.equal(
        list.resources.map((each) => each.name),
        names.toSorted(),
      );
      assert.equal(
        aggregated.map((each) => each.resource),
        names.toSorted(),
      );
    }),
  );
});

test.run();
