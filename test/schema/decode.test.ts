import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as d from '../../runtime/contract/descriptor.ts';
import { compileType, DecodeError, decode } from '../../runtime/schema/codec/codec.ts';
import { explain, type MemberOrder } from '../../runtime/schema/explain.ts';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import { identity, scalars, widget } from './types.ts';

const decoding = suite('decode');

const withDefaults = { defaults: true };
const without = { defaults: false };
const ZERO_META = '{"creationTimestamp":null}';
const ZERO_SPEC = '{"strategy":{},"rules":null}';

/** The JSON text of what a text decodes to. */
function decoded(text: string, options = without, type = widget): string {
  return JSON.stringify(decode(type, parseJson(text).value, options).object);
}

function spec(members: string, options = without): string {
  const text = decoded(`{"spec":{${members}}}`, options);
  return text.slice(text.indexOf('"spec":') + '"spec":'.length, -1);
}

decoding('what Go always writes is there', () => {
  assert.is(decoded('{}'), `{"metadata":${ZERO_META},"spec":${ZERO_SPEC}}`);
  assert.is(decoded('null'), decoded('{}'));
  assert.is(
    decoded('{}', without, scalars),
    '{"string":"","boolean":false,"int32":0,"int64":0,"double":0,"bytes":null,"time":null,"microTime":null,"duration":"0s","quantity":"0","intOrString":0,"rawExtension":null,"list":null,"map":null,"pointer":null}',
  );
});

decoding('a duration of nothing gets the default, unless to be absent means something else', () => {
  const type = d.struct('Times', () => [
    { name: 'soft', type: d.duration, default: '5m0s' },
    { name: 'hard', type: d.duration, default: '5m0s', go: { pointer: true } },
    { name: 'text', type: d.string, default: 'x' },
  ]);
  const times = compileType(type, identity);
  assert.is(decoded('{"soft":"0","hard":"0s","text":"0s"}', withDefaults, times), '{"soft":"5m0s","hard":"0s","text":"0s"}');
  assert.is(decoded('{"soft":"0s"}', without, times), '{"soft":"0s"}');
});

decoding('members come in canonical order, keys of maps sorted', () => {
  assert.is(
    decoded(
      '{"spec":{"rules":["b","a"],"paused":true},"metadata":{"labels":{"b":"2","a":"1","B":"3"},"name":"n"},"apiVersion":"v1","kind":"K"}',
    ),
    '{"kind":"K","apiVersion":"v1","metadata":{"name":"n","creationTimestamp":null,"labels":{"B":"3","a":"1","b":"2"}},"spec":{"paused":true,"strategy":{},"rules":["b","a"]}}',
  );
});

decoding('members that are those of a known object become part of the object without being read', () => {
  const known = decode(
    widget,
    parseJson('{"metadata":{"name":"a"},"spec":{"weight":1,"containers":[{"name":"c"}]}}').value,
    withDefaults,
  ).object;
  type Spec = { strategy: object; containers: object[] };
  const { spec } = known as { spec: Spec };
  const { object } = decode(widget, { metadata: { name: 'b' }, spec }, { ...withDefaults, known });
  const made = object as { metadata: { name: string }; spec: Spec };
  assert.is(JSON.stringify(made.spec), JSON.stringify(spec));
  assert.is(made.metadata.name, 'b');
  // what stands in the member, and in lists there, is changed by rules, what is deeper is not
  assert.is.not(made.spec, spec);
  assert.is.not(made.spec.containers[0], spec.containers[0]);
  assert.is(made.spec.strategy, spec.strategy);
  // equal is not enough
  const { object: other } = decode(widget, { spec: { ...spec, strategy: { ...spec.strategy } } }, { ...withDefaults, known });
  assert.is.not((other as typeof made).spec.strategy, spec.strategy);
});

const written: readonly [name: string, members: string, written: string][] = [
  ['zero values are left out', '"paused":false,"weight":0,"containers":[],"limits":{},"secret":""', ZERO_SPEC],
  ['null is absent', '"paused":null,"replicas":null,"containers":null,"strategy":null,"rules":null', ZERO_SPEC],
  ['an empty list that is always written is null', '"rules":[]', ZERO_SPEC],
  ['zero of a pointer is kept', '"replicas":0', '{"replicas":0,"strategy":{},"rules":null}'],
  ['an empty map behind a pointer is kept', '"selector":{}', '{"strategy":{},"rules":null,"selector":{}}'],
  [
    'null in a list is the zero value',
    '"rules":[null,"a"],"containers":[null]',
    '{"containers":[{"name":""}],"strategy":{},"rules":["","a"]}',
  ],
  [
    'null in a map is the zero value',
    '"limits":{"cpu":null},"selector":{"a":null},"blobs":{"b":null},"extra":{"e":null,"f":[]}',
    '{"limits":{"cpu":"0"},"strategy":{},"extra":{"e":null,"f":null},"rules":null,"selector":{"a":""},"blobs":{"b":""}}',
  ],
  [
    'bytes may be a list of their values',
    '"secret":[104,null,255],"blobs":{"b":[]}',
    '{"secret":"aAD/","strategy":{},"rules":null,"blobs":{"b":""}}',
  ],
  [
    'quantities are canonical',
    '"limits":{"cpu":"1000m","memory":1024},"size":0.5',
    '{"limits":{"cpu":"1","memory":"1024"},"size":"500m","strategy":{},"rules":null}',
  ],
  [
    'times and durations are canonical',
    '"timeout":"90m","renewTime":"2024-01-01T00:00:00.000000+01:00"',
    '{"timeout":"1h30m0s","renewTime":"2023-12-31T23:00:00.000000Z","strategy":{},"rules":null}',
  ],
  [
    'raw JSON is kept as it is',
    '"data":{"b":1.0,"a":[null,{}],"z":9007199254740993}',
    '{"strategy":{},"data":{"b":1.0,"a":[null,{}],"z":9007199254740993},"rules":null}',
  ],
  ['a double may be spelt in any way', '"weight":1.50e1', '{"weight":15,"strategy":{},"rules":null}'],
  [
    'inline members stand in the enclosing object',
    '"containers":[{"name":"c","probe":{"path":"/","port":"http","periodSeconds":3}}]',
    '{"containers":[{"name":"c","probe":{"path":"/","port":"http","periodSeconds":3}}],"strategy":{},"rules":null}',
  ],
];
for (const [name, members, expected] of written) decoding(name, () => assert.is(spec(members), expected));

decoding('integers keep their digits', () => {
  assert.is(
    decoded('{"metadata":{"generation":9007199254740993}}'),
    `{"metadata":{"generation":9007199254740993,"creationTimestamp":null},"spec":${ZERO_SPEC}}`,
  );
  assert.match(decoded('{"int64":-9223372036854775808}', without, scalars), '"int64":-9223372036854775808,');
});

decoding('defaults stand where a member is absent or, without a pointer, zero', () => {
  assert.is(spec('', withDefaults), '{"replicas":1,"strategy":{},"rules":null,"domain":"node.kubernetes.io"}');
  assert.is(
    spec(
      '"replicas":0,"domain":"","containers":[{"name":"c","ports":[{"containerPort":80},{"containerPort":53,"protocol":"UDP"}]}]',
      withDefaults,
    ),
    '{"replicas":0,"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":53,"protocol":"UDP"}]}],"strategy":{},"rules":null,"domain":"node.kubernetes.io"}',
  );
});

decoding('resource lists are rounded up to thousandths where defaults are set', () => {
  assert.is(spec('"limits":{"cpu":"0.0005"}'), '{"limits":{"cpu":"500u"},"strategy":{},"rules":null}');
  assert.match(spec('"limits":{"cpu":"0.0005"}', withDefaults), '"limits":{"cpu":"1m"}');
});

decoding('defaults of structs and lists are decoded too', () => {
  const inner = d.struct('x.v1.Inner', () => [{ name: 'a', type: d.string, default: 'set' }]);
  const outer = d.struct('x.v1.Outer', () => [
    { name: 'pointer', type: inner, default: {}, go: { pointer: true } },
    { name: 'list', type: d.list(inner), default: [{}, { a: 'b' }] },
  ]);
  const type = compileType(outer, identity);
  assert.is(decoded('{}', withDefaults, type), '{"pointer":{"a":"set"},"list":[{"a":"set"},{"a":"b"}]}');
  assert.is(decoded('{"list":[]}', withDefaults, type), '{"pointer":{"a":"set"},"list":[{"a":"set"},{"a":"b"}]}');
});

decoding('untyped JSON: integers of 64 bits keep their digits, other numbers are doubles', () => {
  const type = compileType(
    d.struct('x.v1.Any', () => [{ name: 'any', type: d.json, go: { pointer: true } }]),
    identity,
  );
  assert.is(
    decoded('{"any":{"a":2.0,"b":[1e3],"c":9007199254740993,"d":18446744073709551616,"e":false}}', without, type),
    '{"any":{"a":2,"b":[1000],"c":9007199254740993,"d":18446744073709552000,"e":false}}',
  );
  assert.is(decoded('{"any":false}', without, type), '{"any":false}');
});

const unknown: readonly [name: string, text: string, paths: string[]][] = [
  ['none', '{"kind":"K","apiVersion":"v1","metadata":{},"spec":{}}', []],
  [
    'in their own order',
    '{"zzz":1,"spec":{"b":1,"containers":[{"foo":1},{"ports":[{"x":1}],"foo":2}],"a":1},"aaa":{"inner":1}}',
    ['zzz', 'spec.b', 'spec.containers[0].foo', 'spec.containers[1].ports[0].x', 'spec.containers[1].foo', 'spec.a', 'aaa'],
  ],
  ['names are case-sensitive', '{"Spec":{},"spec":{"Replicas":1}}', ['Spec', 'spec.Replicas']],
  ['an inline struct has no name in JSON', '{"spec":{"containers":[{"probe":{"handler":{}}}]}}', ['spec.containers[0].probe.handler']],
  ['nothing in raw JSON is unknown', '{"spec":{"data":{"kind":"X","whatever":1}}}', []],
  [
    'names of Object.prototype',
    '{"constructor":1,"__proto__":{"a":1},"spec":{"toString":{}}}',
    ['constructor', '__proto__', 'spec.toString'],
  ],
];
for (const [name, text, paths] of unknown) {
  decoding(`unknown fields: ${name}`, () => assert.equal(decode(widget, parseJson(text).value, without).unknownFields, paths));
}

const orders: readonly [order: MemberOrder, paths: string[]][] = [
  ['written', ['zzz', 'spec.b', 'spec.a', 'metadata.m', 'aaa']],
  ['byName', ['aaa', 'metadata.m', 'spec.a', 'spec.b', 'zzz']],
  ['byPath', ['aaa', 'metadata.m', 'spec.a', 'spec.b', 'zzz']],
];
for (const [order, paths] of orders)
  decoding(`unknown fields: ${order}`, () => {
    const input = { zzz: 1, spec: { b: 1, a: 1 }, metadata: { m: 1 }, aaa: 1 };
    assert.equal(explain(widget, input, order).unknownFields, paths);
  });

decoding('unknown fields by path: a dot stands before a bracket, and keys of maps are left out', () => {
  const part = d.struct('x.v1.Part', () => []);
  const type = compileType(
    d.struct('x.v1.Whole', () => [
      { name: 'a', type: part },
      { name: 'b', type: d.list(part) },
      { name: 'c', type: d.map(part) },
    ]),
    identity,
  );
  const input = { c: { one: { x: 1 }, two: { x: 1, w: 1 } }, b: [{ x: 1 }], a: { x: 1 }, ab: 1 };
  assert.equal(explain(type, input, 'byPath').unknownFields, ['a.x', 'ab', 'b[0].x', 'c.w', 'c.x']);
});

decoding('unknown members leave no trace', () => {
  const { object } = decode(widget, parseJson('{"__proto__":{"polluted":1},"x":1}').value, without);
  assert.is(JSON.stringify(object), decoded('{}'));
  assert.is((object as { polluted?: unknown }).polluted, undefined);
});

decoding('what is not in the input is new each time, whether the object is made of its input or not', () => {
  const text = '{"spec":{"limits":{"a":"1","b":"2"},"containers":[{"name":"c","ports":[{},null]},{},null]}}';
  const made = (reuses: boolean) => decode(widget, parseJson(text).value, { defaults: true, reuses }).object;
  const want = JSON.stringify(made(false));
  const spoilt = made(true);
  assert.is(JSON.stringify(spoilt), want);
  spoil(spoilt);
  assert.is(JSON.stringify(made(true)), want);
  assert.is(JSON.stringify(made(false)), want);
});

/** Puts something into every object and list. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) spoil(inner);
  if (Array.isArray(value)) value.push('spoilt');
  else Object.assign(value, { spoilt: true });
}

decoding('the input is never changed', () => {
  const { value } = parseJson('{"x":1,"spec":{"limits":{"b":"1000m","a":"1"},"containers":[{"name":"c","ports":[{}]}]}}');
  const before = JSON.stringify(value);
  decode(widget, value, withDefaults);
  assert.is(JSON.stringify(value), before);
});

const refused: readonly [text: string, message: string][] = [
  ['[]', 'json: cannot unmarshal array into Go value of type v1.Widget'],
  ['"x"', 'json: cannot unmarshal string into Go value of type v1.Widget'],
  ['{"metadata":5}', 'json: cannot unmarshal number into Go struct field Widget.metadata of type v1.ObjectMeta'],
  ['{"metadata":{"name":5}}', 'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string'],
  ['{"metadata":{"labels":{"a":true}}}', 'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string'],
  ['{"metadata":{"labels":[]}}', 'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string'],
  ['{"metadata":{"finalizers":{}}}', 'json: cannot unmarshal object into Go struct field ObjectMeta.metadata.finalizers of type []string'],
  ['{"spec":{"replicas":"3"}}', 'json: cannot unmarshal string into Go struct field WidgetSpec.spec.replicas of type int32'],
  ['{"spec":{"replicas":1.5}}', 'json: cannot unmarshal number 1.5 into Go struct field WidgetSpec.spec.replicas of type int32'],
  ['{"spec":{"replicas":2.0}}', 'json: cannot unmarshal number 2.0 into Go struct field WidgetSpec.spec.replicas of type int32'],
  ['{"spec":{"replicas":1e1}}', 'json: cannot unmarshal number 1e1 into Go struct field WidgetSpec.spec.replicas of type int32'],
  [
    '{"spec":{"replicas":2147483648}}',
    'json: cannot unmarshal number 2147483648 into Go struct field WidgetSpec.spec.replicas of type int32',
  ],
  [
    '{"metadata":{"generation":9223372036854775808}}',
    'json: cannot unmarshal number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
  ],
  ['{"spec":{"weight":1e400}}', 'json: cannot unmarshal number 1e400 into Go struct field WidgetSpec.spec.weight of type float64'],
  ['{"spec":{"paused":"true"}}', 'json: cannot unmarshal string into Go struct field WidgetSpec.spec.paused of type bool'],
  [
    '{"spec":{"containers":"none"}}',
    'json: cannot unmarshal string into Go struct field WidgetSpec.spec.containers of type []v1.Container',
  ],
  ['{"spec":{"containers":[5]}}', 'json: cannot unmarshal number into Go struct field WidgetSpec.spec.containers of type v1.Container'],
  [
    '{"spec":{"containers":[{},{"ports":[{"containerPort":"80"}]}]}}',
    'json: cannot unmarshal string into Go struct field Port.spec.containers.ports.containerPort of type int32',
  ],
  [
    '{"spec":{"containers":[{"probe":{"port":true}}]}}',
    'json: cannot unmarshal bool into Go struct field Probe.spec.containers.probe.port of type int32',
  ],
  ['{"spec":{"secret":"a"}}', 'illegal base64 data at input byte 0'],
  ['{"spec":{"secret":{}}}', 'json: cannot unmarshal object into Go struct field WidgetSpec.spec.secret of type []uint8'],
  ['{"spec":{"secret":[256]}}', 'json: cannot unmarshal number 256 into Go struct field WidgetSpec.spec.secret of type uint8'],
  ['{"spec":{"secret":[104,"i"]}}', 'json: cannot unmarshal string into Go struct field WidgetSpec.spec.secret of type uint8'],
  ['{"spec":{"size":"1 core"}}', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['{"spec":{"timeout":"soon"}}', 'time: invalid duration "soon"'],
  ['{"metadata":{"creationTimestamp":"x"}}', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
  [
    '{"metadata":{"creationTimestamp":5}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
  ],
  [
    '{"metadata":{"name":5},"spec":{"paused":1}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  ],
  [
    '{"metadata":{"name":5},"spec":{"size":"x"}}',
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
];
for (const [text, message] of refused) {
  decoding(`refuses ${text}`, () => {
    assert.throws(
      () => decode(widget, parseJson(text).value, without),
      (error: unknown) => error instanceof DecodeError && error.message === message,
    );
  });
}

const ownNames: readonly [text: string, message: string][] = [
  ['{"protocol":5}', 'json: cannot unmarshal number into Go struct field Port.protocol of type v1.Protocol'],
  ['{"families":["a",true]}', 'json: cannot unmarshal bool into Go struct field Port.families of type v1.Family'],
  ['{"families":{}}', 'json: cannot unmarshal object into Go struct field Port.families of type []v1.Family'],
  ['{"limits":[]}', 'json: cannot unmarshal array into Go struct field Port.limits of type v1.ResourceList'],
  ['{"extra":{"a":1}}', 'json: cannot unmarshal number into Go struct field Port.extra of type v1.ExtraValue'],
];
for (const [text, message] of ownNames)
  decoding(`errors name types as their schemas do: ${text}`, () => {
    const type = compileType(
      d.struct('x.v1.Port', () => [
        { name: 'protocol', type: d.named('v1.Protocol', d.string) },
        { name: 'families', type: d.list(d.named('v1.Family', d.string)) },
        { name: 'limits', type: d.named('v1.ResourceList', d.map(d.quantity)) },
        { name: 'extra', type: d.map(d.named('v1.ExtraValue', d.list(d.string))) },
      ]),
      identity,
    );
    assert.is(explain(type, parseJson(text).value).error?.message, message);
  });

decoding('types within themselves end where the stack does, with an error', () => {
  const tree: d.StructType = d.struct('x.v1.Tree', () => [{ name: 'left', type: tree, go: { pointer: true } }]);
  const type = compileType(tree, identity);
  const nested = (depth: number) => parseJson(`${'{"left":'.repeat(depth)}{}${'}'.repeat(depth)}`).value;
  assert.is(JSON.stringify(decode(type, nested(1_000), without).object), JSON.stringify(nested(1_000)));
  try {
    decode(type, nested(9_999), without);
  } catch (error) {
    assert.ok(error instanceof DecodeError, String(error));
  }
});

decoding('a type is compiled once for each identity', () => {
  assert.is(compileType(widget.type, identity), widget);
});

decoding.run();
