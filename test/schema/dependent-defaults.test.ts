import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DefaultRule } from '../../runtime/contract/default-rule.ts';
import * as d from '../../runtime/contract/descriptor.ts';
import { compileType, decode } from '../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { identity } from './types.ts';

const Limits = d.struct('test.Limits', () => [
  { name: 'most', type: d.map(d.string) },
  { name: 'wanted', type: d.map(d.string) },
  { name: 'names', type: d.list(d.string) },
]);
const Port = d.struct('test.Port', () => [
  { name: 'outer', type: d.int32 },
  { name: 'inner', type: d.int32, go: { always: true } },
  { name: 'target', type: d.intOrString },
]);
const Part = d.struct('test.Part', () => [
  { name: 'name', type: d.string, go: { always: true } },
  { name: 'image', type: d.string },
  { name: 'policy', type: d.string },
  { name: 'limits', type: Limits },
  { name: 'ports', type: d.list(Port) },
]);
const Rolling = d.struct('test.Rolling', () => [
  { name: 'share', type: d.intOrString, go: { pointer: true } },
  { name: 'surge', type: d.intOrString, go: { pointer: true } },
]);
const Source = d.struct('test.Source', () => [
  { name: 'empty', type: Rolling, go: { pointer: true } },
  { name: 'file', type: d.string },
]);

/** A thing whose rules are those of a row; all else that it has stands by itself. */
function thing(rules: readonly DefaultRule[]) {
  const Thing = d.struct(
    'test.Thing',
    () => [
      { name: 'type', type: d.string, default: 'Slow' },
      { name: 'count', type: d.int32, go: { pointer: true } },
      { name: 'rolling', type: Rolling, go: { pointer: true } },
      { name: 'account', type: d.string },
      { name: 'oldAccount', type: d.string },
      { name: 'limits', type: Limits, go: { pointer: true } },
      { name: 'shared', type: d.boolean },
      { name: 'parts', type: d.list(Part) },
      { name: 'source', type: Source, go: { inline: true } },
      { name: 'steps', type: d.list(Rolling) },
    ],
    { defaults: rules },
  );
  return compileType(Thing, identity);
}

const decoded = (rules: readonly DefaultRule[], text: string, gate = 'On', reuses = false): string => {
  const featureEnabled = (each: string): boolean => each === gate;
  const { object } = decode(thing(rules), parseJson(text).value, { defaults: true, reuses, featureEnabled });
  return JSON.stringify(object);
};

const SLOW = '"type":"Slow"';
const EACH = 'parts[*].';

const rows: readonly [name: string, rules: readonly DefaultRule[], given: string, expected: string][] = [
  ['a value', [{ path: 'count', value: 3 }], '{}', `{${SLOW},"count":3}`],
  ['what is there stays', [{ path: 'count', value: 3 }], '{"count":0}', `{${SLOW},"count":0}`],
  ['zero is absent where it is left out', [{ path: 'account', value: 'a' }], '{"account":""}', `{${SLOW},"account":"a"}`],
  ['null is absent', [{ path: 'count', value: 3 }], '{"count":null}', `{${SLOW},"count":3}`],
  ['a plain default counts in a condition', [{ path: 'count', when: { type: 'Slow' }, value: 3 }], '{}', `{${SLOW},"count":3}`],
  ['a condition that does not hold', [{ path: 'count', when: { type: 'Slow' }, value: 3 }], '{"type":"Fast"}', '{"type":"Fast"}'],
  [
    'a condition on a later member',
    [{ path: 'count', when: { shared: true }, value: 3 }],
    '{"shared":true}',
    `{${SLOW},"count":3,"shared":true}`,
  ],
  [
    'the first that holds',
    [
      { path: 'count', when: { type: 'Fast' }, value: 1 },
      { path: 'count', when: { shared: true }, value: 2 },
      { path: 'count', value: 3 },
    ],
    '{"shared":true}',
    `{${SLOW},"count":2,"shared":true}`,
  ],
  ['a gate that is on', [{ path: 'count', gate: 'On', value: 3 }], '{}', `{${SLOW},"count":3}`],
  ['a gate that is off', [{ path: 'count', gate: 'Off', value: 3 }], '{}', `{${SLOW}}`],
  ['a gate that must be off', [{ path: 'count', gate: '!On', value: 3 }], '{}', `{${SLOW}}`],
  ['a value with defaults of its own', [{ path: 'rolling', value: { share: '25%' } }], '{}', `{${SLOW},"rolling":{"share":"25%"}}`],
  [
    'a struct on the way is made',
    [
      { path: 'rolling.surge', when: { type: 'Slow' }, value: 1 },
      { path: 'rolling.share', when: { type: 'Slow' }, value: '25%' },
    ],
    '{"count":1}',
    `{${SLOW},"count":1,"rolling":{"share":"25%","surge":1}}`,
  ],
  ['a struct on the way is not made for nothing', [{ path: 'rolling.share', when: { type: 'Fast' }, value: 1 }], '{}', `{${SLOW}}`],
  ['a copy', [{ path: 'account', from: 'oldAccount' }], '{"oldAccount":"a"}', `{${SLOW},"account":"a","oldAccount":"a"}`],
  ['a copy of nothing', [{ path: 'account', from: 'oldAccount' }], '{}', `{${SLOW}}`],
  [
    'a rule sees those before it',
    [
      { path: 'account', value: 'a' },
      { path: 'oldAccount', from: 'account' },
    ],
    '{}',
    `{${SLOW},"account":"a","oldAccount":"a"}`,
  ],
  [
    'a rule does not see those behind it',
    [
      { path: 'oldAccount', when: { account: { present: false } }, value: 'none' },
      { path: 'account', value: 'a' },
    ],
    '{}',
    `{${SLOW},"account":"a","oldAccount":"none"}`,
  ],
  [
    'replaced',
    [{ path: 'oldAccount', from: 'account', replaces: true }],
    '{"account":"a","oldAccount":"b"}',
    `{${SLOW},"account":"a","oldAccount":"a"}`,
  ],
  [
    'replaced under a condition on itself',
    [{ path: 'count', when: { count: { below: 0 } }, value: 1, replaces: true }],
    '{"count":-3}',
    `{${SLOW},"count":1}`,
  ],
  [
    'a number of either kind',
    [{ path: 'target', from: 'inner' }].map((rule) => ({ ...rule, path: `${EACH}ports[*].target`, from: `${EACH}ports[*].inner` })),
    '{"parts":[{"ports":[{"inner":8},{"inner":9,"target":"http"}]}]}',
    `{${SLOW},"parts":[{"name":"","limits":{},"ports":[{"inner":8,"target":8},{"inner":9,"target":"http"}]}]}`,
  ],
  [
    'a format',
    [{ path: `${EACH}policy`, from: `${EACH}image`, as: 'imagePullPolicy' }],
    '{"parts":[{"image":"a:1"},{"image":"a"},{"image":"Not a name"},{}]}',
    `{${SLOW},"parts":[{"name":"","image":"a:1","policy":"IfNotPresent","limits":{}},{"name":"","image":"a","policy":"Always","limits":{}},{"name":"","image":"Not a name","policy":"IfNotPresent","limits":{}},{"name":"","limits":{}}]}`,
  ],
  [
    'entries of other maps',
    [{ path: 'limits.wanted', entriesFrom: ['limits.most'] }],
    '{"limits":{"most":{"b":"1","a":"2"},"wanted":{"b":"0"},"names":["x"]}}',
    `{${SLOW},"limits":{"most":{"a":"2","b":"1"},"wanted":{"a":"2","b":"0"},"names":["x"]}}`,
  ],
  [
    'a map of other maps',
    [{ path: `${EACH}limits.wanted`, entriesFrom: [`${EACH}limits.most`] }],
    '{"parts":[{"limits":{"most":{"a":"2"},"names":["x"]}}]}',
    `{${SLOW},"parts":[{"name":"","limits":{"most":{"a":"2"},"wanted":{"a":"2"},"names":["x"]}}]}`,
  ],
  [
    'a condition on the whole for elements',
    [{ path: `${EACH}ports[*].outer`, when: { shared: true, [`${EACH}ports[*].inner`]: { not: 9 } }, from: `${EACH}ports[*].inner` }],
    '{"shared":true,"parts":[{"ports":[{"inner":8},{"inner":9}]}]}',
    `{${SLOW},"shared":true,"parts":[{"name":"","limits":{},"ports":[{"outer":8,"inner":8,"target":0},{"inner":9,"target":0}]}]}`,
  ],
  ['elements are never made', [{ path: `${EACH}policy`, value: 'Always' }], '{}', `{${SLOW}}`],
  ['placeholders are resolved', [{ path: 'account', value: 'a.${labelDomain}' }], '{}', `{${SLOW},"account":"a.kubernetes.io"}`],
];

const dependent = suite('defaults that depend on other members');
for (const [name, rules, given, expected] of rows)
  dependent(name, () => {
    assert.is(decoded(rules, given), expected);
    assert.is(decoded(rules, given, 'On', true), expected, 'of a tree that nobody else has');
    assert.is(decoded(rules, expected, 'On', true), expected, 'again');
  });

dependent('are copies', () => {
  const type = thing([
    { path: 'rolling', value: { share: 1 } },
    { path: 'limits.wanted', from: 'limits.most' },
  ]);
  const make = (): { rolling: object; limits: { most: object; wanted: object } } =>
    decode(type, { limits: { most: { a: '1' } } }, { defaults: true }).object as ReturnType<typeof make>;
  assert.is.not(make().rolling, make().rolling);
  const { limits } = make();
  assert.equal(limits.wanted, limits.most);
  assert.is.not(limits.wanted, limits.most);
});

dependent('are set where defaults are', () => {
  const { object } = decode(thing([{ path: 'count', value: 3 }]), {}, { defaults: false });
  assert.is(Object.hasOwn(object, 'count'), false);
});

dependent('leave what an object shares with another one as it is', () => {
  const type = thing([
    { path: `${EACH}limits.wanted`, when: { shared: true }, from: `${EACH}limits.most` },
    { path: 'limits.wanted', when: { shared: true }, from: 'limits.most' },
  ]);
  const known = decode(type, { limits: { most: { a: '1' } }, parts: [{ limits: { most: { a: '1' } } }] }, { defaults: true }).object;
  const before = JSON.stringify(known);
  const { object } = decode(type, { ...known, shared: true }, { defaults: true, known });
  assert.is(JSON.stringify(known), before);
  assert.equal(object.limits, { most: { a: '1' }, wanted: { a: '1' } });
  assert.equal(object.parts, [{ name: '', limits: { most: { a: '1' }, wanted: { a: '1' } } }]);
});

dependent('leave what was decoded from as it is', () => {
  const input = { parts: [{ name: 'a', limits: { most: { a: '1' } } }] };
  const before = structuredClone(input);
  decode(thing([{ path: `${EACH}limits.wanted`, entriesFrom: [`${EACH}limits.most`] }]), input, { defaults: true });
  assert.equal(input, before);
});

const Volume = d.struct('test.Volume', () => [
  { name: 'name', type: d.string, go: { always: true } },
  {
    name: 'source',
    type: d.struct(
      'test.VolumeSource',
      () => [
        { name: 'host', type: Rolling, go: { pointer: true } },
        { name: 'empty', type: Rolling, go: { pointer: true } },
        { name: 'file', type: d.string },
      ],
      { defaults: [{ path: 'empty', alone: true, value: {} }] },
    ),
    go: { inline: true },
  },
]);
const zeros: readonly [name: string, given: string, expected: string][] = [
  ['absent', '{}', '{"period":"5s","port":80,"name":"","host":"a"}'],
  ['zero', '{"period":"0s","port":0,"host":""}', '{"period":"5s","port":80,"name":"","host":"a"}'],
  ['set', '{"period":"1s","port":"http","name":"c"}', '{"period":"1s","port":"http","name":"c","host":"c"}'],
];
for (const [name, given, expected] of zeros)
  dependent(`of members that are always written: ${name}`, () => {
    const fields = (): d.Field[] => [
      { name: 'period', type: d.duration },
      { name: 'port', type: d.intOrString },
      { name: 'name', type: d.string, go: { always: true } },
      { name: 'host', type: d.string, go: { always: true } },
    ];
    const defaults = [
      { path: 'period', value: '5s' },
      { path: 'port', when: { period: { present: true } }, value: 80 },
      { path: 'host', from: 'name' },
      { path: 'host', value: 'a' },
    ];
    const type = compileType(d.struct('test.Zeros', fields, { defaults }), identity);
    assert.is(JSON.stringify(decode(type, parseJson(given).value, { defaults: true }).object), expected);
  });

const alternatives: readonly [name: string, given: string, expected: string][] = [
  ['none of the alternatives', '{"name":"a"}', '{"name":"a","empty":{}}'],
  ['one of them', '{"name":"a","file":"b"}', '{"name":"a","file":"b"}'],
  ['one of them, which counts as absent', '{"name":"a","file":"","host":null}', '{"name":"a","empty":{}}'],
  ['the default itself', '{"name":"a","empty":{"share":1}}', '{"name":"a","empty":{"share":1}}'],
];
for (const [name, given, expected] of alternatives)
  dependent(`alone: ${name}`, () => {
    const type = compileType(Volume, identity);
    assert.is(JSON.stringify(decode(type, parseJson(given).value, { defaults: true }).object), expected);
  });

dependent.run();
