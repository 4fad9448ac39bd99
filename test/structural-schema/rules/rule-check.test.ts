import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CustomSchema, ValidationRule } from '../../../runtime/structural-schema/custom-schema.ts';
import { RuleCheck } from '../../../runtime/structural-schema/rules/rule-check.ts';

const BUDGET = 10_000_000;
const text: CustomSchema = { type: 'string' };
const spec = (rules: readonly ValidationRule[], more: Partial<CustomSchema> = {}): CustomSchema => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        min: { type: 'integer' },
        max: { type: 'integer' },
        size: { type: 'string', nullable: true },
        any: { 'x-kubernetes-int-or-string': true },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        list: { type: 'array', items: { type: 'integer' } },
        'dashed-name': text,
        '-/.a__b': { type: 'string' },
        namespace: text,
        pause: { type: 'string', format: 'duration' },
        at: { type: 'string', format: 'date-time' },
      },
      'x-kubernetes-validations': rules,
      ...more,
    },
  },
});

const KEEPS_ALL = 'x-kubernetes-preserve-unknown-fields';
const FAILS: CustomSchema = { type: 'string', 'x-kubernetes-validations': [{ rule: 'false' }] };

function findings(schema: CustomSchema, value: unknown, old?: unknown, budget = BUDGET) {
  const found = RuleCheck.of(schema, true)?.findings(value, old, '', { budget, ratchets: true }) ?? { errors: [], warnings: [], budget };
  const shown = (errors: typeof found.errors) => errors.map(({ field, message }) => `${field}: ${message}`);
  return { errors: shown(found.errors), warnings: shown(found.warnings), budget: found.budget };
}

interface Row {
  readonly name: string;
  readonly rule: ValidationRule;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly old?: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
}

const invalid = (detail: string) => `spec: Invalid value: "object": ${detail}`;
const rows: readonly Row[] = [
  { name: 'a rule that holds', rule: { rule: 'self.min <= self.max' }, spec: { min: 1, max: 2 }, errors: [] },
  {
    name: 'a rule that is broken',
    rule: { rule: 'self.min <= self.max' },
    spec: { min: 3, max: 2 },
    errors: [invalid('failed rule: self.min <= self.max')],
  },
  { name: 'a duration in words', rule: { rule: "self.pause == duration('36h')" }, spec: { pause: '1 day 12 hours' }, errors: [] },
  {
    name: 'the clock of a point in time',
    rule: { rule: "string(self.at) == '2011-08-18T19:03:37.01+01:00' && self.at.getHours() == 18" },
    spec: { at: '2011-08-18T19:03:37.010+01:00' },
    errors: [],
  },
  {
    name: 'a point in time that its format takes and expressions do not',
    rule: { rule: 'self.at > timestamp(0)' },
    spec: { at: '2011-08-18t19:03:37z' },
    errors: [
      invalid(
        'Invalid date-time formatted string 2011-08-18t19:03:37z: parsing time "2011-08-18t19:03:37z" as "2006-01-02 15:04:05": cannot parse "t19:03:37z" as " " evaluating rule: self.at > timestamp(0)',
      ),
    ],
  },
  { name: 'a stated message', rule: { rule: 'false', message: ' no ' }, spec: {}, errors: [invalid('no')] },
  {
    name: 'a message that is computed',
    rule: { rule: 'false', messageExpression: "'min is ' + string(self.min)" },
    spec: { min: 3 },
    errors: [invalid('min is 3')],
  },
  {
    name: 'a message that fails',
    rule: { rule: 'false', message: 'no', messageExpression: 'self.size' },
    spec: {},
    errors: [invalid('no')],
  },
  {
    name: 'a message of two lines',
    rule: { rule: 'false', message: 'no', messageExpression: "'a\\nb'" },
    spec: {},
    errors: [invalid('no')],
  },
  { name: 'a reason', rule: { rule: 'false', message: 'no', reason: 'FieldValueForbidden' }, spec: {}, errors: ['spec: Forbidden: no'] },
  {
    name: 'a place',
    rule: { rule: 'false', message: 'no', fieldPath: '.min' },
    spec: {},
    errors: ['spec.min: Invalid value: "object": no'],
  },
  {
    name: 'a field that is not there',
    rule: { rule: 'self.min > 0' },
    spec: {},
    errors: [invalid('no such key: min evaluating rule: self.min > 0')],
  },
  { name: 'null where it may be', rule: { rule: '!has(self.size)' }, spec: { size: null }, errors: [] },
  { name: 'names that are words', rule: { rule: 'self.namespace == self.__namespace__' }, spec: { namespace: 'a' }, errors: [] },
  { name: 'names with dashes', rule: { rule: "self.dashed__dash__name == 'a'" }, spec: { 'dashed-name': 'a' }, errors: [] },
  {
    name: 'names that begin with marks',
    rule: { rule: "self.__dash____slash____dot__a__underscores__b == 'a'" },
    spec: { '-/.a__b': 'a' },
    errors: [],
  },
  { name: 'a value of two types', rule: { rule: 'type(self.any) == int || self.any.endsWith("%")' }, spec: { any: '5%' }, errors: [] },
  {
    name: 'a value of two types that is the other one',
    rule: { rule: 'self.any > 5' },
    spec: { any: 'x' },
    errors: [
      invalid("'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self.any > 5"),
    ],
  },
  { name: 'sets in another order', rule: { rule: "self.set == ['b', 'a']" }, spec: { set: ['a', 'b'] }, errors: [] },
  { name: 'sets that are joined', rule: { rule: "(self.set + ['b', 'c']).size() == 3" }, spec: { set: ['a', 'b'] }, errors: [] },
  { name: 'a transition, on creation', rule: { rule: 'self.min >= oldSelf.min' }, spec: { min: 1 }, errors: [] },
  {
    name: 'a transition',
    rule: { rule: 'self.min >= oldSelf.min' },
    spec: { min: 1 },
    old: { min: 2 },
    errors: [invalid('failed rule: self.min >= oldSelf.min')],
  },
  {
    name: 'a transition that has no value before',
    rule: { rule: 'oldSelf.hasValue() || self.min == 1', optionalOldSelf: true },
    spec: { min: 2 },
    errors: [invalid('failed rule: oldSelf.hasValue() || self.min == 1')],
  },
];

const rules = suite('rules');
for (const { name, rule, spec: value, old, errors } of rows)
  rules(name, () => assert.equal(findings(spec([rule]), { spec: value }, old === undefined ? undefined : { spec: old }).errors, errors));
rules('what is as it was is warned of', () => {
  const schema = spec([{ rule: 'self.min > 5' }]);
  const { errors, warnings } = findings(schema, { spec: { min: 1 } }, { spec: { min: 1 } });
  assert.equal([errors, warnings], [[], [invalid('failed rule: self.min > 5')]]);
  assert.equal(findings(schema, { spec: { min: 1 } }, { spec: { min: 2 } }).warnings, []);
});
rules('a rule that costs too much is the last one', () => {
  const list = Array.from({ length: 300 }, (_, index) => index);
  const schema = spec([{ rule: 'self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))' }, { rule: 'false' }]);
  const { errors, budget } = findings(schema, { spec: { list } });
  assert.is(errors.length, 1);
  assert.match(errors[0] ?? '', 'actual cost limit exceeded');
  assert.is(budget, -1);
});
rules('a budget that a message uses up ends all', () => {
  const message = "'\u001b' + string(self.min) + string(self.min)";
  const schema = spec([{ rule: 'self.min > 5', messageExpression: message }, { rule: 'false' }]);
  const withBudget = (budget: number) => findings(schema, { spec: { min: 1 } }, undefined, budget);
  const cost = BUDGET - withBudget(BUDGET).budget;
  assert.equal(withBudget(cost), {
    errors: ['spec: Invalid value: "object": \u001b11', invalid('failed rule: false')],
    warnings: [],
    budget: 0,
  });
  const { errors, budget } = withBudget(cost - 1);
  assert.equal(
    { errors, budget },
    {
      errors: [invalid('messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run')],
      budget: -1,
    },
  );
});

rules('a budget that is used up ends all', () => {
  const { errors, budget } = findings(spec([{ rule: 'self.min > 0' }, { rule: 'false' }]), { spec: { min: 1 } }, undefined, 2);
  assert.equal([errors.length, budget], [1, -1]);
  assert.match(errors[0] ?? '', 'running out of cost budget');
});
rules('names of the whole object are known without a schema', () =>
  assert.equal(
    findings({ type: 'object', 'x-kubernetes-validations': [{ rule: "self.metadata.name == 'a'" }] }, { metadata: { name: 'b' } }).errors,
    [`<nil>: Invalid value: "object": failed rule: self.metadata.name == 'a'`],
  ),
);
for (const [name, properties, expected] of [
  ['below a member of no type', { a: { [KEEPS_ALL]: true, properties: { b: FAILS } } }, []],
  ['of a member of no type', { a: { ...FAILS, type: undefined, [KEEPS_ALL]: true } }, []],
  ['below a list of no type', { a: { type: 'array', items: { [KEEPS_ALL]: true, properties: { b: FAILS } } } }, []],
  ['of a member that no expression can name', { a: { type: 'object', properties: { 'b c': FAILS } } }, ['spec.a.b c']],
] as const)
  rules(`rules ${name} ${expected.length > 0 ? 'count' : 'do not count'}`, () => {
    const object = { b: 'x', 'b c': 'x' };
    const { errors } = findings(spec([], { properties }), { spec: { a: name.includes('list') ? [object] : object } });
    assert.equal(
      errors.map((each) => each.slice(0, each.indexOf(':'))),
      expected,
    );
  });
const NO_OVERLOAD = 'call arguments did not match a supported operator';
const COMPARED = {
  list: { type: 'array', items: { type: 'integer' } },
  objects: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } },
  kept: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } }, [KEEPS_ALL]: true } },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
  bytes: { type: 'string', format: 'byte' },
  url: { type: 'string', format: 'byte' },
} as const;
const COMPARED_VALUES = {
  list: [1],
  objects: [{ a: 1 }],
  kept: [
    { a: 1, b: 1 },
    { a: 1, c: 1 },
    { a: 1, b: 2 },
  ],
  set: [1, 2],
  bytes: '/w==',
  url: '_w==',
};
for (const [rule, expected] of [
  ['dyn(self) == 1', NO_OVERLOAD],
  ['dyn(self) != 1', undefined],
  ['dyn(1) == self', 'failed rule'],
  ['dyn(self) == null', 'failed rule'],
  ['dyn(self.list) == {}', NO_OVERLOAD],
  ["quantity('5') == quantity('3').add(2)", NO_OVERLOAD],
  ["quantity('5') != quantity('3').add(2)", undefined],
  ["quantity('3').add(2) == quantity('5')", undefined],
  ["quantity('5') in [quantity('3').add(2)]", 'failed rule'],
  ['dyn(1) in self.objects', NO_OVERLOAD],
  ['dyn(1) in [self.objects[0]]', 'failed rule'],
  ['[self.objects[0]] == [dyn(1)]', undefined],
  ['self.kept[0] == self.kept[1]', undefined],
  ['self.kept[0] == self.kept[2]', 'failed rule'],
  ['self.set + [2, 2] == [1, 1]', undefined],
  ['self.set == [3]', 'failed rule'],
  // bytes with a letter that URLs have not are an error, also where whole objects are compared
  ['self == self', 'Invalid byte formatted string /w==: illegal base64 data at input byte 0'],
  ['self.bytes.size() == 1', 'Invalid byte formatted string /w=='],
  ["self.url == b'\\xff'", undefined],
] as const)
  rules(`what is compared with a value that it does not know: ${rule}`, () => {
    const { errors } = findings(spec([{ rule }], { properties: COMPARED }), { spec: COMPARED_VALUES });
    assert.is(errors.length, expected === undefined ? 0 : 1);
    assert.match(errors[0] ?? '', expected ?? '');
  });
rules('that may be much work are known from their schemas', () => {
  const most = (rule: string, maxItems?: number) =>
    RuleCheck.of({ type: 'array', maxItems, items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule }] }, false)?.mostUnits(
      32_768,
      100_000n,
    ) ?? 0n;
  assert.ok(most('self.all(a, a > 0)') <= 100_000n);
  assert.ok(most('self.all(a, self.all(b, a + b > 0))') > 100_000n);
  assert.ok(most('self.all(a, self.all(b, a + b > 0))', 50) <= 100_000n);
});
rules('cost what their estimate allows at most', () => {
  const schema = spec([{ rule: 'self.list.filter(a, a > 0).map(a, a * 2).all(a, a > 1) && (!has(self.size) || self.size.size() < 100)' }]);
  const estimate = RuleCheck.of(schema, true)?.mostUnits(3 * 1024 * 1024, 10n ** 18n) ?? 0n;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 })), fc.string(), (list, size) => {
      const { budget } = findings(schema, { spec: { list, size } });
      assert.ok(BigInt(BUDGET - budget) <= estimate);
    }),
  );
});
/** A rule of a member, and one of elements, below a map. */
for (const [name, now, old, isWarned] of [
  ['elements that only change places are as they were', { list: [{ k: 'a' }, { k: 'b' }] }, { list: [{ k: 'b' }, { k: 'a' }] }, true],
  ['nobody follows members that the schema does not name', { free: { any: 1 } }, { free: { any: 1 } }, false],
] as const)
  rules(name, () => {
    const elements: CustomSchema = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: text } },
    };
    const free: CustomSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const { errors, warnings } = findings(
      spec([{ rule: 'has(self.none)' }], { properties: { list: elements, free, none: text } }),
      { spec: now },
      { spec: old },
    );
    assert.equal([errors.length, warnings.length], isWarned ? [0, 1] : [1, 0]);
  });

const below = (mapType: 'atomic' | 'granular'): CustomSchema => {
  const short: ValidationRule = { rule: 'self.size() < 3', message: 'is long' };
  const keeps: ValidationRule = { rule: 'self.size() >= oldSelf.size()', message: 'is shorter' };
  const elements: CustomSchema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', properties: { name: { ...text, 'x-kubernetes-validations': [short] } } },
  };
  const properties = { a: { ...text, 'x-kubernetes-validations': [short, keeps] }, b: text, list: elements };
  return spec([], { properties, 'x-kubernetes-map-type': mapType });
};
const list = [{ name: 'long' }];
const STAYS = [[], ['spec.a', 'spec.list[0].name']] as const;
for (const [name, mapType, now, old, expected] of [
  ['what has not changed stays', 'granular', { a: 'long', b: 'x', list }, { a: 'long', b: 'y', list }, STAYS],
  ['what has not changed in an atomic map stays', 'atomic', { a: 'long', b: 'x', list }, { a: 'long', b: 'y', list }, STAYS],
  ['what has changed is judged', 'granular', { a: 'longer' }, { a: 'long' }, [['spec.a'], []]],
  ['what has changed in an atomic map is judged', 'atomic', { a: 'longer' }, { a: 'long' }, [['spec.a'], []]],
  ['a rule about what was is asked', 'granular', { a: 'x' }, { a: 'xy' }, [['spec.a'], []]],
  ['a rule about what was is asked in an atomic map', 'atomic', { a: 'x' }, { a: 'xy' }, [['spec.a'], []]],
  ['what was not there is judged', 'atomic', { a: 'long', b: 'x' }, { b: 'x' }, [['spec.a'], []]],
] as const)
  rules(name, () => {
    const { errors, warnings } = findings(below(mapType), { spec: now }, { spec: old });
    const placesOf = (found: readonly string[]) => found.map((each) => each.slice(0, each.indexOf(':')));
    assert.equal([placesOf(errors), placesOf(warnings)], expected);
  });

/** Expressions of messages read the old value as it is, and only where a rule beside them reads it. */
const WAS = { message: 'no', messageExpression: "'was ' + oldSelf" };
const optional = "oldSelf.hasValue() ? 'was ' + oldSelf.value() : 'new'";
const oldInMessages: readonly {
  readonly name: string;
  readonly all: readonly ValidationRule[];
  readonly told: string;
  readonly anew: string;
}[] = [
  { name: 'of a rule that reads it', all: [{ rule: 'self == oldSelf', ...WAS }], told: 'was a', anew: '' },
  { name: 'of a rule that does not', all: [{ rule: 'false', ...WAS }], told: 'no', anew: 'no' },
  { name: 'beside a rule that does', all: [{ rule: 'self == oldSelf || true' }, { rule: 'false', ...WAS }], told: 'was a', anew: 'no' },
  {
    name: 'of a rule that reads it where it is optional',
    all: [{ rule: "oldSelf.orValue('x') == 'y'", optionalOldSelf: true, message: 'no', messageExpression: optional }],
    told: 'no',
    anew: 'no',
  },
];
for (const { name, all, told, anew } of oldInMessages)
  rules(`the old value in the message ${name}`, () => {
    const check = RuleCheck.of({ type: 'string', 'x-kubernetes-validations': all }, false);
    const found = (old?: string) =>
      check
        ?.findings('b', old, 'x', { budget: BUDGET, ratchets: false })
        .errors.map(({ message }) => message.replace(/.*: /, ''))
        .join();
    assert.equal([found('a'), found()], [told, anew]);
  });

rules.run();
