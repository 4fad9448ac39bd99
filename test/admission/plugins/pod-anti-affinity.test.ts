import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limitPodHardAntiAffinityTopology } from '../../../runtime/admission/plugins/pod-anti-affinity.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('anti-affinity of pods');

const pod = (...keys: string[]) => ({
  spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({ topologyKey })) } } },
});
const WIDE =
  'pods "x" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed';

const ROWS: readonly (readonly [name: string, asked: Asked, isWide: boolean])[] = [
  ['none', { object: { spec: {} } }, false],
  ['its node', { object: pod('kubernetes.io/hostname') }, false],
  ['a zone', { object: pod('kubernetes.io/hostname', 'zone') }, true],
  ['an update', { operation: 'update', object: pod('zone'), old: { spec: {} } }, true],
  ['a subresource', { subresource: 'binding', object: pod('zone') }, false],
  ['another resource', { resource: 'podtemplates', object: pod('zone') }, false],
];
for (const [name, given, isWide] of ROWS)
  test(name, async () => assert.is((await asked(limitPodHardAntiAffinityTopology(partsOf()), given)) === WIDE, isWide));

test.run();
