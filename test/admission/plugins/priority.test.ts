/** The priority that a pod gets of its class, and what a client may say of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { priority } from '../../../runtime/admission/plugins/priority.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { identity } from '../../kinds/context.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('priority of pods');

const LOWER = 'PreemptLowerPriority';
const CRITICAL = 'system-cluster-critical';
const CRITICAL_VALUE = 2_000_000_000;

interface Row {
  readonly name: string;
  readonly operation?: AdmissionAttributes['operation'];
  readonly resource?: string;
  readonly subresource?: string;
  readonly spec?: object;
  readonly old?: object;
  /** the spec as it is then */
  readonly becomes?: object;
  /** a part of the refusal */
  readonly refusal?: string;
}

const rows: readonly Row[] = [
  { name: 'no class', becomes: { priority: 0, preemptionPolicy: LOWER } },
  { name: 'the empty class', spec: { priorityClassName: '' }, becomes: { priorityClassName: '', priority: 0, preemptionPolicy: LOWER } },
  {
    name: 'a class of the system',
    spec: { priorityClassName: CRITICAL },
    becomes: { priorityClassName: CRITICAL, priority: CRITICAL_VALUE, preemptionPolicy: LOWER },
  },
  { name: 'what would be computed', spec: { priority: 0, preemptionPolicy: LOWER }, becomes: { priority: 0, preemptionPolicy: LOWER } },
  { name: 'a class that is not there', spec: { priorityClassName: 'gone' }, refusal: 'no PriorityClass with name gone was found' },
  { name: 'another number', spec: { priority: 7 }, refusal: 'the integer value of priority (7) must not be provided' },
  {
    name: 'another policy',
    spec: { preemptionPolicy: 'Never' },
    refusal: 'the string value of PreemptionPolicy (Never) must not be provided',
  },
  {
    name: 'an update that leaves both out',
    operation: 'update',
    old: { priority: 5, preemptionPolicy: 'Never' },
    becomes: { priority: 5, preemptionPolicy: 'Never' },
  },
  {
    name: 'an update that states both',
    operation: 'update',
    spec: { priority: 6, preemptionPolicy: LOWER },
    old: { priority: 5, preemptionPolicy: 'Never' },
    becomes: { priority: 6, preemptionPolicy: LOWER },
  },
  { name: 'an update of a pod that has none', operation: 'update', old: {}, becomes: {} },
  { name: 'a subresource', subresource: 'status', becomes: {} },
  { name: 'another resource', resource: 'nodes', becomes: {} },
];

for (const { name, operation = 'create', resource = 'pods', subresource = '', spec = {}, old, becomes, refusal } of rows)
  test(name, async () => {
    const object = { spec: structuredClone(spec) };
    const attributes = {
      operation,
      resource: { groupResource: { group: '', resource } },
      subresource,
      name: 'p',
      object,
      old: old === undefined ? undefined : { spec: old },
    } as unknown as AdmissionAttributes;
    let refused: unknown;
    try {
      await priority({ identity, followed: () => ({ changes: 0, in: () => [], get: () => undefined }) }).mutate?.(attributes);
    } catch (error) {
      refused = error;
    }
    if (refusal === undefined) {
      assert.is(refused, undefined);
      return assert.equal(object.spec, becomes as object);
    }
    assert.instance(refused, StatusError);
    assert.ok((refused as StatusError).message.startsWith(`pods "p" is forbidden: ${refusal}`), (refused as StatusError).message);
  });

const stored = {
  priorityclasses: [
    { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' },
    { metadata: { name: 'usual' }, value: 10, globalDefault: true },
    { metadata: { name: 'also-usual' }, value: 5, globalDefault: true, preemptionPolicy: LOWER },
  ],
};
const STORED_ROWS: readonly (readonly [name: string, spec: object, expected: object | string])[] = [
  ['a stored class', { priorityClassName: 'high' }, { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' }],
  ['of default classes the lowest', {}, { priorityClassName: 'also-usual', priority: 5, preemptionPolicy: LOWER }],
  [
    'another policy than the class has',
    { priorityClassName: 'high', preemptionPolicy: LOWER },
    'pods "x" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
  ],
];
for (const [name, spec, expected] of STORED_ROWS)
  test(name, async () => {
    const outcome = await asked(priority(partsOf({}, stored)), { object: { spec } });
    assert.equal(typeof outcome === 'string' ? outcome : outcome?.spec, expected);
  });

const DEFAULTS: readonly (readonly [name: string, operation: 'create' | 'update', object: object, isRefused: boolean])[] = [
  ['a second default', 'create', { metadata: { name: 'x' }, globalDefault: true }, true],
  ['one that is marked later', 'update', { metadata: { name: 'x' }, globalDefault: true }, true],
  ['the default itself', 'update', { metadata: { name: 'also-usual' }, globalDefault: true }, false],
  ['another class', 'create', { metadata: { name: 'x' } }, false],
];
for (const [name, operation, object, isRefused] of DEFAULTS)
  test(`${name} is refused: ${isRefused}`, async () => {
    const given = { operation, group: 'scheduling.k8s.io', resource: 'priorityclasses', object };
    const message =
      'priorityclasses.scheduling.k8s.io "x" is forbidden: PriorityClass also-usual is already marked as default. Only one default can exist';
    assert.is((await asked(priority(partsOf({}, stored)), given)) === message, isRefused);
  });

test('one of the same name as the default, made again', async () => {
  const object = { metadata: { name: 'also-usual' }, globalDefault: true };
  const given: Asked = { operation: 'create', group: 'scheduling.k8s.io', resource: 'priorityclasses', object };
  assert.match(String(await asked(priority(partsOf({}, stored)), given)), /is already marked as default/);
});

test('the first default', async () => {
  const object = { metadata: { name: 'x' }, globalDefault: true };
  const given: Asked = { operation: 'create', group: 'scheduling.k8s.io', resource: 'priorityclasses', object };
  assert.equal(await asked(priority(partsOf()), given), object);
});

test.run();
