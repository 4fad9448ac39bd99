import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { alwaysPullImages } from '../../../runtime/admission/plugins/always-pull-images.ts';
import type { StatusError } from '../../../runtime/status/status.ts';
import { type Asked, asked, attributesOf } from '../asking.ts';

const test = suite('images that are always pulled');

const spec = (image: string, policy?: string) => ({
  spec: {
    containers: [{ name: 'a', image, imagePullPolicy: policy }],
    initContainers: [{ name: 'b', image: 'b' }],
    volumes: [{ name: 'v', image: { reference: 'r', pullPolicy: 'Never' } }, { name: 'w' }],
  },
});
// biome-ignore lint/suspicious/noExplicitAny: pods have many members
const policies = ({ spec }: any) => [
  ...[...spec.containers, ...spec.initContainers].map(({ imagePullPolicy }) => imagePullPolicy),
  spec.volumes[0].image.pullPolicy,
];

const ROWS: readonly (readonly [name: string, asked: Asked, policies: readonly unknown[]])[] = [
  ['a new pod', { object: spec('a', 'Never') }, ['Always', 'Always', 'Always']],
  ['an update without a new image', { operation: 'update', object: spec('a', 'Never'), old: spec('a') }, ['Never', undefined, 'Never']],
  ['an update with one', { operation: 'update', object: spec('c', 'Never'), old: spec('a') }, ['Always', 'Always', 'Always']],
  ['a subresource', { subresource: 'status', object: spec('a', 'Never') }, ['Never', undefined, 'Never']],
  ['another resource', { resource: 'replicationcontrollers', object: spec('a', 'Never') }, ['Never', undefined, 'Never']],
];
for (const [name, given, expected] of ROWS)
  test(name, async () => assert.equal(policies(await asked(alwaysPullImages(), given)), expected));

test('an update with a new image leaves what is stored as it is, whatever it shares with that', async () => {
  const old = spec('a');
  const object = { spec: { ...spec('c').spec, volumes: old.spec.volumes.map((volume) => ({ ...volume })) } };
  const attributes = attributesOf({ operation: 'update', object, old });
  await alwaysPullImages().mutate?.(attributes);
  assert.equal(policies(attributes.object), ['Always', 'Always', 'Always']);
  assert.equal(attributes.old?.spec, old.spec);
});

const refusal = (path: string, policy: string) =>
  `pods "x" is forbidden: spec.${path}: Unsupported value: "${policy}": supported values: "Always"`;
const ONE = { spec: { containers: [{ name: 'a', image: 'a', imagePullPolicy: 'Never' }] } };
const CHANGED_BACK: readonly (readonly [name: string, object: object, message: string])[] = [
  ['one', ONE, refusal('containers[0].imagePullPolicy', 'Never')],
  [
    'all of them',
    spec('a', 'Never'),
    `[${refusal('initContainers[0].imagePullPolicy', '')}, ${refusal('containers[0].imagePullPolicy', 'Never')}, ${refusal('volumes[0].image.pullPolicy', 'Never')}]`,
  ],
];
for (const [name, object, message] of CHANGED_BACK)
  test(`who changes it back later is told of ${name}`, async () => {
    const { validate } = alwaysPullImages();
    assert.is(await asked({ ...(validate && { validate }) }, { object }), message);
  });

test('such a refusal has no reason', () => {
  try {
    alwaysPullImages().validate?.(attributesOf({ object: ONE }));
    assert.unreachable();
  } catch (error) {
    const { code, reason } = (error as StatusError).status;
    assert.equal([code, reason], [500, undefined]);
  }
});

test.run();
