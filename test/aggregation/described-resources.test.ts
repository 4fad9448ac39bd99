import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { aggregatedResources, describedVersions, listedResources, listedVersion } from '../../runtime/aggregation/described-resources.ts';

const test = suite('resources as other servers describe them');
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const NO_KIND = { group: '', version: '', kind: '' };

test('a list becomes what aggregated discovery says', () => {
  const resources = [
    { name: 'lamps', singularName: 'lamp', namespaced: true, kind: 'Lamp', verbs: ['get'], categories: ['all'] },
    { name: 'lamps/scale', namespaced: true, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get'] },
    { name: 'bulbs/status', kind: 'Bulb', verbs: ['get'] },
  ];
  assert.equal(listedResources(bytes({ resources })), [
    {
      resource: 'lamps',
      responseKind: { ...NO_KIND, kind: 'Lamp' },
      scope: 'Namespaced',
      singularResource: 'lamp',
      verbs: ['get'],
      categories: ['all'],
      subresources: [{ subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get'] }],
    },
    {
      resource: 'bulbs',
      responseKind: NO_KIND,
      scope: 'Cluster',
      singularResource: '',
      verbs: [],
      subresources: [{ subresource: 'status', responseKind: { ...NO_KIND, kind: 'Bulb' }, verbs: ['get'] }],
    },
  ]);
});

test('a subresource has the scope of its resource', () => {
  const resources = [
    { name: 'lamps', namespaced: true, kind: 'Lamp', verbs: [] },
    { name: 'lamps/x', kind: 'Lamp', verbs: [] },
  ];
  assert.throws(() => listedResources(bytes({ resources })), /Parent lamps \(scope: Namespaced\) and subresource x \(scope: Cluster\)/);
});

test('a resource of many subresources takes no longer for each than one of few', () => {
  const ALL = 200_000;
  /** Microseconds of processor time for all of them: clocks go on also while a machine does other work. */
  const spent = (count: number): number => {
    const list = bytes({ resources: Array.from({ length: count }, (_, i) => ({ name: `lamps/${i}` })) });
    const begun = process.threadCpuUsage();
    for (let i = 0; i < ALL / count; i++) assert.is(listedResources(list)[0]?.subresources?.length, count);
    const { user, system } = process.threadCpuUsage(begun);
    return user + system;
  };
  const few = spent(2_000);
  const many = spent(40_000);
  assert.ok(many < few * 10, `${many} µs of many, and ${few} µs of few`);
});

test('of many versions those are kept that are wanted', () => {
  const version = (name: string) => ({ version: name, resources: [{ resource: `lamps-${name}` }] });
  const items = [{ metadata: { name: 'lamps.example' }, versions: [version('v1'), version('v2')] }];
  const texts = describedVersions({ body: bytes({ items }), versions: ['lamps.example/v2', 'lamps.example/v3'] });
  const [second, none] = texts.map((text) => JSON.parse(Buffer.from(text).toString()));
  assert.equal([second.map(({ resource }: { resource: string }) => resource), none], [['lamps-v2'], []]);
});

test('of a list of which much would be told, though it says nothing, nothing is kept', () => {
  const resources = Array.from({ length: 300_000 }, () => ({}));
  assert.throws(() => listedVersion({ body: bytes({ resources: resources.map((_, name) => ({ name: `${name}` })) }) }), /take more than/);
  const items = [{ versions: [{ version: 'v1', resources }] }];
  assert.throws(() => describedVersions({ body: bytes({ items }), versions: ['/v1'] }), /take more than/);
});

test('what is no object is told of', () => {
  for (const text of ['', '[]', 'null', '1', '{']) assert.throws(() => listedResources(Buffer.from(text)));
});

test('whatever a server says, what is handed on has the form that clients know', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const versions = [
        { version: 'v1', resources: [one, { resource: other, responseKind: one, verbs: other, subresources: [one, other] }] },
      ];
      for (const [, resources] of aggregatedResources(bytes({ items: [{ metadata: { name: 'x' }, versions }, one] })))
        for (const { resource, responseKind, verbs, scope, subresources = [] } of resources) {
          for (const text of [resource, responseKind.group, responseKind.version, responseKind.kind, ...verbs]) assert.type(text, 'string');
          assert.ok(scope === 'Namespaced' || scope === 'Cluster');
          for (const { subresource, responseKind: kind } of subresources) assert.type(`${subresource}${kind.kind}`, 'string');
        }
    }),
  );
});

test.run();
