/** The priority that a pod gets of its class, and what a client may say of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdmissionAttributes } from '../../runtime/admission/attributes.ts';
import { priority } from '../../runtime/admission/priority.ts';
import { StatusError } from '../../runtime/status/status.ts';

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
      await priority().mutate?.(attributes);
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

test.run();
