import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { list, map, type StructType, string, struct } from '../../runtime/contract/descriptor.ts';
import { dropGatedFields, gatedFields } from '../../runtime/schema/gated-fields.ts';

const part: StructType = struct('x.v1.Part', () => [
  { name: 'name', type: string },
  { name: 'image', type: string, featureGate: 'Off' },
  { name: 'shape', type: string, featureGate: 'On' },
  { name: 'mode', type: string, featureGate: 'Off', whileGated: 'Default' },
  { name: 'inner', type: part, go: { pointer: true } },
]);
const meta = struct('x.v1.Meta', () => [{ name: 'note', type: string, featureGate: 'Off' }]);
const toy = struct('x.v1.Toy', () => [
  { name: 'meta', type: meta, go: { inline: true } },
  { name: 'parts', type: list(part) },
  { name: 'byName', type: map(part) },
  { name: 'whole', type: part, featureGate: 'Off' },
  { name: 'kept', type: list(part), ungated: true },
]);
const fields = gatedFields(toy, (gate) => gate === 'On');

const test = suite('gated fields');

test('are found in what a type holds, but for what says that they stay', () =>
  assert.equal(
    fields.paths.map(({ names }) => names.join('.')),
    ['note', 'parts.*.image', 'parts.*.mode', 'byName.*.image', 'byName.*.mode', 'whole'],
  ));

test('that take their elements with them take those that have their names, and leave no list empty', () => {
  const volume = struct('x.v1.Volume', () => [
    { name: 'name', type: string },
    { name: 'image', type: string, featureGate: 'Off', gating: { element: { namedIn: ['boxes.*.mounts'] } } },
  ]);
  const box = struct('x.v1.Box', () => [{ name: 'mounts', type: list(part) }]);
  const pod = struct('x.v1.Pod', () => [
    { name: 'volumes', type: list(volume) },
    { name: 'boxes', type: list(box) },
  ]);
  const holder = struct('x.v1.Holder', () => [{ name: 'pods', type: list(pod) }]);
  const gated = gatedFields(holder, () => false);
  const given = () => ({
    pods: [
      {
        volumes: [{ name: 'a', image: 'x' }, { name: 'b' }],
        boxes: [{ mounts: [{ name: 'a' }, { name: 'b' }] }, { mounts: [{ name: 'a' }] }],
      },
      { volumes: [{ name: 'b', image: 'y' }], boxes: [{}] },
      { volumes: [{ name: 'a' }], boxes: [{ mounts: [{ name: 'a' }] }] },
    ],
  });
  const [object, used] = [given(), given()];
  dropGatedFields(gated, object, undefined);
  assert.equal(object, {
    pods: [{ volumes: [{ name: 'b' }], boxes: [{ mounts: [{ name: 'b' }] }, {}] }, { boxes: [{}] }, given().pods[2]],
  });
  dropGatedFields(gated, used, given());
  assert.equal(used, given());
});

const rows: [string, object, object | undefined, object][] = [
  ['of a new object go', { note: 'a', whole: {}, parts: [{ name: 'b', image: 'c' }] }, undefined, { parts: [{ name: 'b' }] }],
  ['of a map go', { byName: { a: { image: 'c' }, b: null } }, undefined, { byName: { a: {}, b: null } }],
  ['behind a gate that is on stay', { parts: [{ shape: 's' }] }, undefined, { parts: [{ shape: 's' }] }],
  [
    'of a part within a part stay',
    { byName: { a: { inner: { image: 'c' } }, b: { image: 'd' } } },
    undefined,
    { byName: { a: { inner: { image: 'c' } }, b: {} } },
  ],
  ['go where the stored object has none', { note: 'a' }, { whole: {} }, {}],
  ['stay where any such member is stored', { parts: [{ image: 'new' }] }, { parts: [{}, { image: 'old' }] }, { parts: [{ image: 'new' }] }],
  ['that have a value for that get it', { parts: [{ mode: 'Fast' }, {}] }, undefined, { parts: [{ mode: 'Default' }, {}] }],
  [
    'that have a value for that get it where nothing else is stored',
    { parts: [{ mode: 'Fast' }] },
    { parts: [{ mode: 'Default' }] },
    { parts: [{ mode: 'Default' }] },
  ],
  [
    'that have a value for that keep theirs where another is stored',
    { parts: [{ mode: 'Fast' }] },
    { parts: [{ mode: 'Slow' }] },
    { parts: [{ mode: 'Fast' }] },
  ],
];
for (const [name, object, old, expected] of rows)
  test(name, () => {
    dropGatedFields(fields, object as Record<string, unknown>, old as Record<string, unknown> | undefined);
    assert.equal(object, expected);
  });

const bag = struct('x.v1.Bag', () => [
  { name: 'label', type: string, featureGate: 'Off' },
  { name: 'noLabel', type: string, featureGate: 'Off', gating: { with: 'label' } },
  { name: 'first', type: string, featureGate: 'Off', gating: { or: 'On' } },
  { name: 'only', type: string, featureGate: 'Off', gating: { within: 'inner' } },
  { name: 'hook', type: hook, go: { pointer: true } },
]);
const hook = struct('x.v1.Hook', () => [{ name: 'stop', type: stop, go: { pointer: true } }]);
const stop = struct('x.v1.Stop', () => [
  { name: 'sleep', type: string, featureGate: 'Off', gating: { emptied: 2 } },
  { name: 'run', type: string },
]);
const bagSpec = struct('x.v1.BagSpec', () => [
  { name: 'inner', type: list(bag) },
  { name: 'outer', type: list(bag) },
]);
const bagStatus = struct('x.v1.BagStatus', () => [{ name: 'seen', type: string, featureGate: 'Off', gating: { with: 'label' } }]);
const bags = gatedFields(
  struct('x.v1.Bags', () => [
    { name: 'spec', type: bagSpec },
    { name: 'status', type: bagStatus },
  ]),
  (gate) => gate === 'On',
);

const gatingRows: [string, object, object | undefined, object][] = [
  ['stay where another gate is enough', { spec: { inner: [{ first: 'a' }] } }, undefined, { spec: { inner: [{ first: 'a' }] } }],
  [
    'go below the member that is named alone',
    { spec: { inner: [{ only: 'a' }], outer: [{ only: 'a' }] } },
    undefined,
    { spec: { inner: [{}], outer: [{ only: 'a' }] } },
  ],
  [
    'stay where the stored object uses one of the same name elsewhere',
    { spec: { inner: [{ label: 'a' }] } },
    { spec: { outer: [{ label: 'b' }] } },
    { spec: { inner: [{ label: 'a' }] } },
  ],
  [
    'stay where the stored object uses the one that they go with, the status too',
    { spec: { inner: [{ label: 'a', noLabel: 'b' }] }, status: { seen: 'c' } },
    { spec: { outer: [{ label: 'b' }] } },
    { spec: { inner: [{ label: 'a', noLabel: 'b' }] }, status: { seen: 'c' } },
  ],
  [
    'of the status go though the stored status has them',
    { spec: {}, status: { seen: 'c' } },
    { spec: {}, status: { seen: 'c' } },
    { spec: {}, status: {} },
  ],
  ['take along what they leave empty', { spec: { inner: [{ hook: { stop: { sleep: '5' } } }] } }, undefined, { spec: { inner: [{}] } }],
  [
    'take nothing along that has more, or was empty before',
    { spec: { inner: [{ hook: { stop: { sleep: '5', run: 'a' } } }, { hook: { stop: {} } }] } },
    undefined,
    { spec: { inner: [{ hook: { stop: { run: 'a' } } }, { hook: { stop: {} } }] } },
  ],
];
for (const [name, object, old, expected] of gatingRows)
  test(name, () => {
    dropGatedFields(bags, object as Record<string, unknown>, old as Record<string, unknown> | undefined);
    assert.equal(object, expected);
  });

test.run();
