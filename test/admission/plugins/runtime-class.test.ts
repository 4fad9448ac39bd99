import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdmissionPlugin } from '../../../runtime/admission/plugin-interface/plugin.ts';
import { runtimeClass } from '../../../runtime/admission/plugins/runtime-class.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('runtime classes of pods');

const runtimeclasses = [
  { metadata: { name: 'plain' } },
  { metadata: { name: 'heavy' }, overhead: { podFixed: { cpu: '100m', memory: '1Gi' } } },
  {
    metadata: { name: 'placed' },
    scheduling: { nodeSelector: { kind: 'vm' }, tolerations: [{ key: 'vm', operator: 'Exists', effect: 'NoSchedule' }] },
  },
];
const MISMATCH = `pods "x" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`;
const WITHOUT = 'pods "x" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

const ROWS: readonly (readonly [name: string, spec: object, expected: object | string])[] = [
  ['none', {}, {}],
  ['one that says nothing', { runtimeClassName: 'plain' }, { runtimeClassName: 'plain' }],
  ['one that is not there', { runtimeClassName: 'none' }, 'pods "x" is forbidden: pod rejected: RuntimeClass "none" not found'],
  ['overhead', { runtimeClassName: 'heavy' }, { runtimeClassName: 'heavy', overhead: { cpu: '100m', memory: '1Gi' } }],
  [
    'the same overhead, written in another way',
    { runtimeClassName: 'heavy', overhead: { cpu: '0.1', memory: '1024Mi' } },
    { runtimeClassName: 'heavy', overhead: { cpu: '100m', memory: '1Gi' } },
  ],
  ['another overhead', { runtimeClassName: 'heavy', overhead: { cpu: '1' } }, MISMATCH],
  ['another amount of the same', { runtimeClassName: 'heavy', overhead: { cpu: '1', memory: '1Gi' } }, MISMATCH],
  ['as much of another resource', { runtimeClassName: 'heavy', overhead: { cpu: '100m', disk: '1Gi' } }, MISMATCH],
  ['overhead without a class', { overhead: { cpu: '1' } }, WITHOUT],
  ['overhead of a class without', { runtimeClassName: 'plain', overhead: { cpu: '1' } }, WITHOUT],
  [
    'where it runs',
    { runtimeClassName: 'placed', nodeSelector: { disk: 'fast' } },
    {
      runtimeClassName: 'placed',
      nodeSelector: { disk: 'fast', kind: 'vm' },
      tolerations: [{ key: 'vm', operator: 'Exists', effect: 'NoSchedule' }],
    },
  ],
  [
    'where it does not run',
    { runtimeClassName: 'placed', nodeSelector: { kind: 'metal' } },
    'pods "x" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[kind] = vm; pod.spec.nodeSelector[kind] = metal',
  ],
];
for (const [name, spec, expected] of ROWS)
  test(name, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    const outcome = (await asked(runtimeClass(partsOf({}, { runtimeclasses })), { object: { spec } })) as any;
    assert.equal(typeof outcome === 'string' ? outcome : outcome.spec, expected);
  });

test('overhead that a webhook has changed since', async () => {
  const plugin = runtimeClass(partsOf({}, { runtimeclasses }));
  const changing: AdmissionPlugin = {
    async mutate(attributes, rounds) {
      await plugin.mutate?.(attributes, rounds);
      (attributes.object as ApiObject).spec.overhead.cpu = '1';
    },
    validate: plugin.validate,
  };
  assert.is(await asked(changing, { object: { spec: { runtimeClassName: 'heavy' } } }), MISMATCH);
});

for (const given of [{ operation: 'update' }, { subresource: 'status' }, { resource: 'jobs' }] satisfies Asked[])
  test(`not of ${JSON.stringify(given)}`, async () => {
    const spec = { runtimeClassName: 'none' };
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    assert.equal(((await asked(runtimeClass(partsOf()), { ...given, object: { spec } })) as any).spec, spec);
  });

test.run();
