import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Condition } from '../../runtime/contract/condition.ts';
import { compileCondition, compileGate } from '../../runtime/schema/conditions.ts';
import type { JsonObject } from '../../runtime/schema/json/member.ts';

const conditions = suite('conditions');

const balanced: JsonObject = {
  type: 'LoadBalancer',
  ports: [{ port: 80 }],
  status: { ingress: { ip: '10.0.0.1' } },
  shared: false,
  count: 0,
};

const held: readonly [name: string, condition: Condition, holds: boolean][] = [
  ['nothing is asked for', {}, true],
  ['a value', { type: 'LoadBalancer' }, true],
  ['another value', { type: 'ClusterIP' }, false],
  ['the value of an absent member', { name: '' }, false],
  ['false is a value', { shared: false }, true],
  ['0 is a value', { count: 0 }, true],
  ['one of several', { type: ['NodePort', 'LoadBalancer'] }, true],
  ['none of several', { type: ['NodePort', 'ClusterIP'] }, false],
  ['not one value', { type: { not: 'ClusterIP' } }, true],
  ['not one of several', { type: { not: ['ClusterIP', 'LoadBalancer'] } }, false],
  ['an absent member has none of the values', { name: { not: ['a'] } }, true],
  ['present', { ports: { present: true } }, true],
  ['not absent', { ports: { present: false } }, false],
  ['absent', { name: { present: false } }, true],
  ['null is absent', { none: { present: true } }, false],
  ['a number beyond another', { count: { above: -1 } }, true],
  ['a number not beyond itself', { count: { above: 0 } }, false],
  ['a number short of another', { count: { below: 1 } }, true],
  ['a number not short of itself', { count: { below: 0 } }, false],
  ['an absent number is not short of any', { none: { below: 1 } }, false],
  ['below a struct', { 'status.ingress.ip': '10.0.0.1' }, true],
  ['below an absent struct', { 'spec.ingress.ip': { present: false } }, true],
  ['below what is no struct', { 'type.length': { present: true } }, false],
  ['all of them', { type: 'LoadBalancer', ports: { present: true }, shared: false }, true],
  ['all but one', { type: 'LoadBalancer', ports: { present: true }, shared: true }, false],
];

for (const [name, condition, holds] of held)
  conditions(name, () => assert.is(compileCondition(condition)({ ...balanced, none: null }), holds));

const gates: readonly [name: string, gate: string | undefined, holds: boolean][] = [
  ['no gate', undefined, true],
  ['a gate that is on', 'On', true],
  ['a gate that is off', 'Off', false],
  ['not a gate that is on', '!On', false],
  ['not a gate that is off', '!Off', true],
];

for (const [name, gate, holds] of gates)
  conditions(name, () =>
    assert.is(
      compileGate(gate)((each) => each === 'On'),
      holds,
    ),
  );

conditions.run();
