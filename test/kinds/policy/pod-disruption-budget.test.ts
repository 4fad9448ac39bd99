import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { conversion as podDisruptionBudgetConversion } from '../../../runtime/kinds/policy/pod-disruption-budget-v1beta1.ts';
import { identity, lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('disruption budgets');
const { rules } = await loadKind('policy/v1', 'PodDisruptionBudget');
const conversion = podDisruptionBudgetConversion(identity);
const LABEL = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const budget = (spec: object, status: object = {}): ApiObject => object('policy/v1', 'PodDisruptionBudget', { spec, status });

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

const specs: [string, object, string[]][] = [
  ['neither bound', {}, []],
  ['a number', { minAvailable: 0 }, []],
  ['a percentage', { maxUnavailable: '100%' }, []],
  ['a negative number', { maxUnavailable: -1 }, ['spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0']],
  ['text', { minAvailable: '5' }, [`spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"5"}: ${PERCENT}`]],
  [
    'too much',
    { minAvailable: '101%' },
    ['spec.minAvailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%'],
  ],
  [
    'an unknown policy',
    { minAvailable: 1, unhealthyPodEvictionPolicy: 'X' },
    ['spec.unhealthyPodEvictionPolicy: Unsupported value: "X": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ],
];
for (const [name, spec, expected] of specs)
  test(`spec: ${name}`, () => assert.equal(lines(rules.validate?.(budget(spec), ruleContext())), expected));

test('both bounds are refused', () => {
  const [error] = rules.validate?.(budget({ minAvailable: 1, maxUnavailable: 1 }), ruleContext()) ?? [];
  assert.is(error?.field, 'spec');
  assert.match(error?.message ?? '', /minAvailable and maxUnavailable cannot be both set$/);
});

const condition = { type: 'DisruptionAllowed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'SufficientPods' };
const statuses: [string, object, string[]][] = [
  ['counts', { disruptionsAllowed: 1, currentHealthy: 2, conditions: [condition] }, []],
  ['a negative count', { expectedPods: -1 }, ['status.expectedPods: Invalid value: -1: must be greater than or equal to 0']],
  ['a repeated condition', { conditions: [condition, condition] }, ['status.conditions[1].type: Duplicate value: "DisruptionAllowed"']],
  [
    'an unfinished condition',
    { conditions: [{ type: 'A', status: 'X' }] },
    [
      'status.conditions[0].status: Unsupported value: "X": supported values: "False", "True", "Unknown"',
      'status.conditions[0].lastTransitionTime: Required value: must be set',
      'status.conditions[0].reason: Required value: must be set',
    ],
  ],
];
for (const [name, status, expected] of statuses)
  test(`status: ${name}`, () => assert.equal(lines(rules.validateStatusUpdate?.(budget({}, status), budget({}), ruleContext())), expected));

test('v1beta1 takes negative counts', () => {
  const context = { ...ruleContext(), request: { ...OWN_WORK, version: 'policy/v1beta1' } };
  assert.equal(lines(rules.validateStatusUpdate?.(budget({}, { expectedPods: -1 }), budget({}), context)), []);
});

const marker = (operator: string): object => ({ matchExpressions: [{ key: LABEL, operator }] });
const kept: [string, object, object][] = [
  ['an empty selector', {}, {}],
  ['the selector of none', marker('Exists'), marker('Exists')],
  ['the selector of all', marker('DoesNotExist'), {}],
  ['the label among others', { matchLabels: { [LABEL]: 'a', app: 'b' } }, { matchLabels: { app: 'b' } }],
];
for (const [name, selector, expected] of kept)
  test(`decoding: ${name}`, () => {
    const decoded = budget({ selector: structuredClone(selector) });
    rules.defaults?.(decoded, ruleContext());
    assert.equal(decoded.spec.selector, expected);
  });

const versions: [string, object | undefined, object | undefined][] = [
  ['no selector', undefined, undefined],
  ['an empty one picks none in v1beta1', {}, marker('Exists')],
  ['all pods', marker('DoesNotExist'), {}],
  ['labels', { matchLabels: { a: 'b' } }, { matchLabels: { a: 'b' } }],
];
for (const [name, older, newer] of versions)
  test(`conversion: ${name}`, () => {
    assert.equal(conversion.toHub(budget(structuredClone({ selector: older }))).spec.selector, newer);
    assert.equal(conversion.fromHub(budget(structuredClone({ selector: newer }))).spec.selector, older);
  });

test('conversion loses nothing', () => {
  const selectors = fc.oneof(
    fc.constantFrom({}, marker('DoesNotExist')),
    fc
      .dictionary(fc.constantFrom('a', 'b', LABEL), fc.constantFrom('x', 'y'), { minKeys: 1, noNullPrototype: true })
      .map((matchLabels) => ({ matchLabels })),
  );
  fc.assert(
    fc.property(selectors, (selector) => {
      const there = conversion.toHub(budget({ selector: structuredClone(selector) }));
      assert.equal(conversion.fromHub(there).spec.selector, selector);
    }),
  );
});

test('cells', async () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  assert.equal(await rowOf(budget({ minAvailable: 1 }, { disruptionsAllowed: 2 }), now), ['x', '1', 'N/A', 2, '60s']);
  assert.equal(await rowOf(budget({ maxUnavailable: '30%' }), now), ['x', 'N/A', '30%', 0, '60s']);
});

test.run();
