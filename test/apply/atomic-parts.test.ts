/** What an intent must not touch whose fields nobody owns. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atomicParts } from '../../runtime/apply/atomic-parts.ts';
import { loadKind } from '../kinds/kind.ts';
import { INTEGER, KEEPS, keyed, kindOfSpec, list, map, object, set, TEXT } from '../schema/structural/types.ts';

const test = suite('atomic parts');

const OF_DEPLOYMENTS: readonly [intent: object, found: readonly string[]][] = [
  [{ spec: { replicas: 1, template: { metadata: { labels: { a: 'b' } } } } }, []],
  [{ spec: { selector: { matchLabels: { a: 'b' } } } }, ['.spec.selector']],
  [{ spec: { selector: { matchExpressions: [] } } }, ['.spec.selector', '.spec.selector.matchExpressions']],
  [
    { spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b', args: ['x'], env: [{ name: 'E' }] }], tolerations: [] } } } },
    ['.spec.template.spec.containers[1].args', '.spec.template.spec.tolerations'],
  ],
  [
    { spec: { template: { spec: { nodeSelector: {}, volumes: [{ name: 'v', secret: { items: [] } }] } } } },
    ['.spec.template.spec.nodeSelector', '.spec.template.spec.volumes[0].secret.items'],
  ],
  [{ metadata: { finalizers: ['a'], annotations: { a: 'b' } } }, []],
  [{ metadata: { ownerReferences: [{ uid: 'u' }] } }, ['.metadata.ownerReferences[0]']],
];
for (const [intent, found] of OF_DEPLOYMENTS)
  test(JSON.stringify(intent), async () => {
    const { compiled } = await loadKind('apps/v1', 'Deployment');
    assert.equal(atomicParts(compiled, intent), found);
  });

const CUSTOM = kindOfSpec(
  object({
    count: INTEGER,
    parts: keyed(object({ name: TEXT, tags: list(TEXT) }), ['name']),
    names: set(TEXT),
    whole: { ...object({ a: TEXT }), 'x-kubernetes-map-type': 'atomic' },
    byName: map(list(TEXT)),
    kept: { ...object({ a: list(TEXT) }), ...KEEPS },
  }),
);
const OF_CUSTOM: readonly [spec: object, found: readonly string[]][] = [
  [{ count: 1, names: ['a'], parts: [{ name: 'a' }] }, []],
  [{ parts: [{ name: 'a', tags: ['t'] }], whole: { a: 'b' } }, ['.spec.parts[0].tags', '.spec.whole']],
  [{ byName: { a: ['b'] } }, []],
  [{ kept: { a: ['x'], b: ['y'] } }, ['.spec.kept.a']],
];
for (const [spec, found] of OF_CUSTOM)
  test(`custom: ${JSON.stringify(spec)}`, () => assert.equal(atomicParts(CUSTOM, { metadata: { labels: {} }, spec }), found));
test.run();
