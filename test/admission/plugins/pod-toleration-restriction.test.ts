import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { podTolerationRestriction } from '../../../runtime/admission/plugins/pod-toleration-restriction.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

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
const empty = { metadata: { name: 'e', annotations: { 'scheduler.alpha.kubernetes.io/defaultTolerations': '' } } };
const namespaces = [annotated('a', [equal('own')]), annotated('b'), annotated('c', [], [exists('x')]), annotated('d', [], []), empty];
const configuration = () => ({ default: [equal('all')], whitelist: [exists('all'), exists('own'), exists('x'), PRESSURE] });
const spec = (...tolerations: object[]) => ({ spec: { containers: [{ name: 'c' }], ...(tolerations.length > 0 && { tolerations }) } });
const burstable = { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } };
const refusal = (scope: string) =>
  `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;

const ROWS: readonly (readonly [name: string, asked: Asked, expected: readonly object[] | string | undefined])[] = [
  ['those of the namespace', { namespace: 'a', object: spec() }, [equal('own')]],
  ['those of all namespaces', { namespace: 'b', object: spec() }, [equal('all')]],
  ['a namespace that wants none', { namespace: 'd', object: spec() }, undefined],
  ['a namespace that says so with nothing', { namespace: 'e', object: spec() }, undefined],
  ['with those of the pod', { namespace: 'a', object: spec(equal('x')) }, [equal('x'), equal('own')]],
  ['what one of the pod covers', { namespace: 'a', object: spec(exists('own')) }, [exists('own')]],
  ['pods that ask for something tolerate little memory', { namespace: 'a', object: burstable }, [equal('own'), PRESSURE]],
  ['beyond what the namespace allows', { namespace: 'c', object: spec(equal('y')) }, refusal('namespace')],
  ['within what the namespace allows', { namespace: 'c', object: spec(equal('x')) }, [equal('x')]],
  ['beyond what the cluster allows', { namespace: 'b', object: spec(equal('y')) }, refusal('cluster')],
  ['those of the pod alone stay as they are', { namespace: 'd', object: spec(exists('x'), exists('x')) }, [exists('x'), exists('x')]],
  [
    'a class of service that the pod says it has',
    { namespace: 'd', object: { ...burstable, status: { qosClass: 'BestEffort' } } },
    undefined,
  ],
  ['an update gets no defaults', { operation: 'update', namespace: 'a', object: spec(), old: spec() }, undefined],
  ['a subresource', { subresource: 'status', namespace: 'a', object: spec() }, undefined],
];
for (const [name, given, expected] of ROWS)
  test(name, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    const outcome = (await asked(podTolerationRestriction(partsOf({ configuration }, { namespaces })), given)) as any;
    assert.equal(typeof outcome === 'string' ? outcome : outcome.spec.tolerations, expected);
  });

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const TEXTS: readonly (readonly [text: string, expected: readonly object[] | string | undefined])[] = [
  ['[{', 'unexpected end of JSON input'],
  ['5', 'json: cannot unmarshal number into Go value of type []v1.Toleration'],
  ['{}', 'json: cannot unmarshal object into Go value of type []v1.Toleration'],
  ['[1]', 'json: cannot unmarshal number into Go value of type v1.Toleration'],
  ['[{"key":1}]', 'json: cannot unmarshal number into Go struct field Toleration.key of type string'],
  ['null', undefined],
  ['[{"KEY":"a","more":1}]', [{ key: 'a' }]],
];
for (const [text, expected] of TEXTS)
  test(`an annotation that says ${text}`, async () => {
    const stored = [{ metadata: { name: 'a', annotations: { [DEFAULTS]: text } } }];
    // biome-ignore lint/suspicious/noExplicitAny: of a pod one member matters
    const outcome = (await asked(podTolerationRestriction(partsOf({}, { namespaces: stored })), { namespace: 'a', object: spec() })) as any;
    assert.equal(typeof outcome === 'string' ? outcome : outcome.spec.tolerations, expected);
  });

test('a list that is none does not matter to who tolerates nothing', async () => {
  const stored = [{ metadata: { name: 'a', annotations: { 'scheduler.alpha.kubernetes.io/tolerationsWhitelist': '5' } } }];
  assert.type(await asked(podTolerationRestriction(partsOf({}, { namespaces: stored })), { namespace: 'a', object: spec() }), 'object');
});

test.run();
