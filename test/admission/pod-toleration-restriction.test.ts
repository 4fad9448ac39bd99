import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { podTolerationRestriction } from '../../runtime/admission/pod-toleration-restriction.ts';
import { type Asked, asked, partsOf } from './asking.ts';

const test = suite('tolerations of namespaces');

const equal = (key: string) => ({ key, operator: 'Equal', value: 'v', effect: 'NoSchedule' });
const exists = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });
const PRESSURE = exists('node.kubernetes.io/memory-pressure');
const annotated = (name: string, defaults?: readonly object[], whitelist?: readonly object[]) => ({
  metadata: {
    name,
    annotations: {
      ...(defaults && { 'scheduler.alpha.kubernetes.io/defaultTolerations': JSON.stringify(defaults) }),
      ...(whitelist && { 'scheduler.alpha.kubernetes.io/tolerationsWhitelist': JSON.stringify(whitelist) }),
    },
  },
});
const namespaces = [annotated('a', [equal('own')]), annotated('b'), annotated('c', [], [exists('x')]), annotated('d', [], [])];
const configuration = () => ({ default: [equal('all')], whitelist: [exists('all'), exists('own'), exists('x'), PRESSURE] });
const spec = (...tolerations: object[]) => ({ spec: { containers: [{ name: 'c' }], ...(tolerations.length > 0 && { tolerations }) } });
const burstable = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } };
const refusal = (scope: string) =>
  `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;

const ROWS: readonly (readonly [name: string, asked: Asked, expected: readonly object[] | string | undefined])[] = [
  ['those of the namespace', { namespace: 'a', object: spec() }, [equal('own')]],
  ['those of all namespaces', { namespace: 'b', object: spec() }, [equal('all')]],
  ['a namespace that wants none', { namespace: 'd', object: spec() }, undefined],
  ['with those of the pod', { namespace: 'a', object: spec(equal('x')) }, [equal('own'), equal('x')]],
  ['what one of the pod covers', { namespace: 'a', object: spec(exists('own')) }, [exists('own')]],
  ['pods that ask for something tolerate little memory', { namespace: 'a', object: burstable }, [equal('own'), PRESSURE]],
  ['beyond what the namespace allows', { namespace: 'c', object: spec(equal('y')) }, refusal('namespace')],
  ['within what the namespace allows', { namespace: 'c', object: spec(equal('x')) }, [equal('x')]],
  ['beyond what the cluster allows', { namespace: 'b', object: spec(equal('y')) }, refusal('cluster')],
  ['an update gets no defaults', { operation: 'update', namespace: 'a', object: spec(), old: spec() }, undefined],
  ['a subresource', { subresource: 'status', namespace: 'a', object: spec() }, undefined],
];
for (const [name, given, expected] of ROWS)
  test(name, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    const outcome = (await asked(podTolerationRestriction(partsOf({ configuration }, { namespaces })), given)) as any;
    assert.equal(typeof outcome === 'string' ? outcome : outcome.spec.tolerations, expected);
  });

for (const text of ['[{', '5', '{}', '[1]'])
  test(`an annotation that is no list is said to be none: ${text}`, async () => {
    const wrong = [{ metadata: { name: 'a', annotations: { 'scheduler.alpha.kubernetes.io/defaultTolerations': text } } }];
    const outcome = await asked(podTolerationRestriction(partsOf({}, { namespaces: wrong })), { namespace: 'a', object: spec() });
    assert.match(
      String(outcome),
      /^the annotation scheduler\.alpha\.kubernetes\.io\/defaultTolerations of the namespace is no list of tolerations/,
    );
  });

for (const given of [{ default: 1 }, { whitelist: [1] }])
  test(`a configuration that is none: ${JSON.stringify(given)}`, () =>
    assert.throws(() => podTolerationRestriction(partsOf({ configuration: () => given }))));

test.run();
