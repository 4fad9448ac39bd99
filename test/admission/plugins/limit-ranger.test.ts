/** Limit ranges: what they fill in, and what they refuse, in the words of 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Pod } from '../../../generated/core/v1/descriptors.ts';
import { limitRanger } from '../../../runtime/admission/plugins/limit-ranger.ts';
import { compileType, decode } from '../../../runtime/schema/codec/codec.ts';
import { identity } from '../../kinds/context.ts';
import { type Asked, asked, attributesOf, partsOf } from '../asking.ts';

const test = suite('limit ranges');
const ANNOTATION = 'kubernetes.io/limit-ranger';
const range = (...limits: object[]) => ({ metadata: { name: 'r', namespace: 'a' }, spec: { limits } });
const plugin = (...ranges: object[]) => limitRanger(partsOf({}, { 'limitranges/a': ranges }));
const container = (name: string, requests?: object, limits?: object) => ({ name, resources: { requests, limits } });
const pod = (...containers: object[]) => ({ spec: { containers } });

test('what containers leave out is filled in, and noted', async () => {
  const limits = { type: 'Container', default: { cpu: '500m', memory: '64Mi' }, defaultRequest: { cpu: '100m', memory: '32Mi' } };
  const object = {
    metadata: { name: 'x', annotations: { mine: 'kept' } },
    spec: { containers: [container('a'), container('b', { cpu: '1' }, { cpu: '2', memory: '1Gi' })], initContainers: [{ name: 'i' }] },
  };
  // biome-ignore lint/suspicious/noExplicitAny: of a pod some members matter
  const { metadata, spec } = (await asked(plugin(range(limits)), { object })) as any;
  assert.equal(
    spec.containers.map(({ resources }: { resources: object }) => resources),
    [
      { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '500m', memory: '64Mi' } },
      { requests: { cpu: '1', memory: '32Mi' }, limits: { cpu: '2', memory: '1Gi' } },
    ],
  );
  assert.equal(metadata.annotations, {
    mine: 'kept',
    [ANNOTATION]:
      'LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a; memory request for container b; cpu, memory request for init container i; cpu, memory limit for init container i',
  });
});

test('of several ranges the first by name fills in', async () => {
  const named = (name: string, cpu: string) => ({ ...range({ type: 'Container', default: { cpu } }), metadata: { name } });
  // biome-ignore lint/suspicious/noExplicitAny: of a pod some members matter
  const { spec } = (await asked(plugin(named('b', '2'), named('a', '1')), { object: pod(container('c')) })) as any;
  assert.equal(spec.containers[0].resources.limits, { cpu: '1' });
});

test('what is filled in for a resize that changes nothing else leaves the stored pod as it is', async () => {
  const type = compileType(Pod, identity);
  const known = decode(type, pod({ name: 'c', resources: { requests: { memory: '1Gi' } } }), { defaults: true }).object;
  // as a patch leaves what it does not change
  const { object } = decode(type, { ...known }, { defaults: true, known });
  const attributes = attributesOf({ operation: 'update', subresource: 'resize', object, old: known });
  await plugin(range({ type: 'Container', default: { cpu: '2' } })).mutate?.(attributes);
  assert.match(JSON.stringify(attributes.object), '"limits":{"cpu":"2"}');
  assert.equal(attributes.old?.spec, known.spec);
});

const REFUSED = 'pods "x" is forbidden: ';
const ROWS: readonly (readonly [name: string, limits: object, object: object, problem: string | undefined])[] = [
  [
    'within both',
    { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' } },
    pod(container('c', { cpu: '200m' }, { cpu: '1000m' })),
    undefined,
  ],
  [
    'no request',
    { type: 'Container', min: { cpu: '100m' } },
    pod(container('c')),
    'minimum cpu usage per Container is 100m.  No request is specified',
  ],
  [
    'too small a request',
    { type: 'Container', min: { cpu: '100m' } },
    pod(container('c', { cpu: '50m' })),
    'minimum cpu usage per Container is 100m, but request is 50m',
  ],
  [
    'too small a limit',
    { type: 'Container', min: { cpu: '100m' } },
    pod(container('c', { cpu: '100m' }, { cpu: '99m' })),
    'minimum cpu usage per Container is 100m, but limit is 99m',
  ],
  [
    'no limit',
    { type: 'Container', max: { cpu: '1' } },
    pod(container('c')),
    'maximum cpu usage per Container is 1.  No limit is specified',
  ],
  [
    'too large a limit',
    { type: 'Container', max: { cpu: '1' } },
    pod(container('c', {}, { cpu: '2' })),
    'maximum cpu usage per Container is 1, but limit is 2',
  ],
  [
    'too large a request',
    { type: 'Container', max: { cpu: '1' } },
    pod(container('c', { cpu: '3' }, { cpu: '1' })),
    'maximum cpu usage per Container is 1, but request is 3',
  ],
  [
    'a ratio',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    pod(container('c', { cpu: '100m' }, { cpu: '500m' })),
    'cpu max limit to request ratio per Container is 2, but provided ratio is 5.000000',
  ],
  [
    'a ratio with a fraction',
    { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } },
    pod(container('c', { cpu: '2' }, { cpu: '3' })),
    undefined,
  ],
  [
    'a ratio to nothing',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    pod(container('c', { cpu: '0' }, { cpu: '1' })),
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    'a ratio of nothing',
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    pod(container('c', { cpu: '1' })),
    'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
  ],
  [
    'a whole pod',
    { type: 'Pod', max: { cpu: '1' } },
    pod(container('c', {}, { cpu: '600m' }), container('d', {}, { cpu: '600m' })),
    'maximum cpu usage per Pod is 1, but limit is 1200m',
  ],
  [
    'several at once',
    { type: 'Pod', min: { memory: '10Mi' }, max: { cpu: '1' } },
    pod(container('c')),
    '[minimum memory usage per Pod is 10Mi.  No request is specified, maximum cpu usage per Pod is 1.  No limit is specified]',
  ],
  [
    'the same of two containers, once',
    { type: 'Container', max: { cpu: '1' } },
    pod(container('c'), container('d')),
    'maximum cpu usage per Container is 1.  No limit is specified',
  ],
  ['of claims alone', { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, pod(container('c')), undefined],
];
for (const [name, limits, object, problem] of ROWS)
  test(name, async () => {
    const outcome = await asked(plugin(range(limits)), { object });
    assert.is(typeof outcome === 'string' ? outcome : undefined, problem && REFUSED + problem);
  });

const claim = (storage?: string) => ({ spec: { resources: { requests: storage === undefined ? {} : { storage } } } });
const CLAIMS: readonly (readonly [name: string, asked: Asked, problem: string | undefined])[] = [
  ['within', { object: claim('1536Mi') }, undefined],
  ['too large', { object: claim('5Gi') }, 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 5Gi'],
  ['too small', { object: claim('1Mi') }, 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
  [
    'one that grows',
    { operation: 'update', object: claim('5Gi'), old: claim('1Gi') },
    'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 5Gi',
  ],
  [
    'one that is going',
    {
      operation: 'update',
      object: claim('5Gi'),
      old: { metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' }, ...claim('1Gi') },
    },
    undefined,
  ],
  ['its status', { operation: 'update', subresource: 'status', object: claim('5Gi'), old: claim('5Gi') }, undefined],
];
for (const [name, given, problem] of CLAIMS)
  test(`claims: ${name}`, async () => {
    const limits = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } };
    const outcome = await asked(plugin(range(limits)), { resource: 'persistentvolumeclaims', ...given });
    assert.is(typeof outcome === 'string' ? outcome : undefined, problem && `persistentvolumeclaims "x" is forbidden: ${problem}`);
  });

const UNTOUCHED: readonly Asked[] = [
  { operation: 'update', object: pod(container('c')), old: pod(container('c')) },
  { subresource: 'status', object: pod(container('c')) },
  { namespace: 'b', object: pod(container('c')) },
  { resource: 'podtemplates', object: pod(container('c')) },
];
for (const given of UNTOUCHED)
  test(`not of ${given.operation ?? 'create'} ${given.resource ?? 'pods'} ${given.subresource ?? ''} in ${given.namespace ?? 'a'}`, async () => {
    const limits = { type: 'Container', default: { cpu: '1' }, max: { cpu: '500m' } };
    assert.equal((await asked(plugin(range(limits)), given)) as object, { metadata: { name: 'x' }, ...given.object });
  });

test('containers that are resized are held to the limits', async () => {
  const given: Asked = {
    operation: 'update',
    subresource: 'resize',
    object: pod(container('c', {}, { cpu: '2' })),
    old: pod(container('c')),
  };
  assert.is(
    await asked(plugin(range({ type: 'Container', max: { cpu: '1' } })), given),
    `${REFUSED}maximum cpu usage per Container is 1, but limit is 2`,
  );
});

test.run();
