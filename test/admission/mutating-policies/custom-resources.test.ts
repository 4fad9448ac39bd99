/** What mutating policies make of custom resources: it stands as they have made it until it is stored, and their schemas are held against that. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { configuration, patch, policy, request, rule, withPolicies } from './server.ts';

const test = suite('mutating policies and custom resources');
withPolicies(test);

const SET = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
const SPEC = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    name: { type: 'string' },
    made: { type: 'string', default: 'yes' },
    tags: SET,
    box: { type: 'object', properties: { lid: { type: 'object', properties: { of: { type: 'string' } } } } },
    seen: { type: 'string' },
    any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const STATUS = { type: 'object', properties: { seen: { type: 'string' } } };
const THINGS = '/apis/shop.example/v1/namespaces/default/things';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

test.before(async () => {
  const openAPIV3Schema = { type: 'object', properties: { spec: SPEC, status: STATUS } };
  const version = (name: string, others: object) => ({ name, served: false, storage: false, schema: { openAPIV3Schema }, ...others });
  const parts = { subresources: { status: {} } };
  const versions = [version('v0', parts), version('v1', { served: true, storage: true, ...parts }), version('v2', {})];
  const spec = { group: 'shop.example', scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.shop.example' },
    spec,
  };
  const { status, body } = await request('POST', CRDS, definition);
  assert.is(status, 201, JSON.stringify(body));
  await eventually('things are served', () =>
    request('GET', THINGS).then(
      ({ status: found }) => found === 200,
      // what is not served is not answered with JSON
      () => false,
    ),
  );
});
test.after.each(async () => {
  await request('DELETE', THINGS);
});

const rules = [rule({ apiGroups: ['shop.example'], resources: ['things'] })];
const created = (spec: object) => request('POST', THINGS, { apiVersion: 'shop.example/v1', kind: 'Thing', metadata: { name: 'a' }, spec });
const spec = (fields: string) => configuration(`Object{spec: Object.spec{${fields}}}`);
const add = (path: string, value: string) => patch(`[JSONPatch{op: "add", path: "${path}", value: ${value}}]`);

interface Row {
  readonly name: string;
  readonly mutations: readonly object[];
  /** default: one of size 1 */
  readonly sent?: object;
  /** the specification that comes of it, or why none does */
  readonly answer: object | RegExp;
}

const UNTYPED = /^policy 'p' with binding 'p' denied request: error applying patch: failed to convert patch object to typed object: /;
const rows: readonly Row[] = [
  {
    name: 'members that the schema does not know are there for the next mutation, and go when it is stored',
    mutations: [add('/spec/other', '"x"'), add('/spec/name', 'object.spec.other')],
    answer: { made: 'yes', name: 'x', size: 1 },
  },
  {
    name: 'an apply configuration takes no object with such members',
    mutations: [add('/spec/other', '"x"'), spec('name: "x"')],
    answer: /error applying patch: failed to convert original object to typed object: \.spec\.other: field not declared in schema$/,
  },
  {
    name: 'an apply configuration takes no object whose values do not fit',
    mutations: [spec('name: "x"')],
    sent: { size: 'much' },
    answer: /failed to convert original object to typed object: \.spec\.size: expected numeric \(int or float\), got string$/,
  },
  {
    name: 'null is no text',
    mutations: [add('/spec/name', 'null')],
    answer: /^Thing\.shop\.example "a" is invalid: spec\.name: Invalid value: "null": spec\.name in body must be of type string: "null"$/,
  },
  {
    name: 'null is what an operation without a value adds',
    mutations: [patch('[JSONPatch{op: "add", path: "/spec/name", ?value: optional.none()}]')],
    answer: /spec\.name in body must be of type string: "null"$/,
  },
  {
    name: 'null is what an absent optional value comes out as',
    mutations: [spec('name: optional.none()')],
    answer: /spec\.name in body must be of type string: "null"$/,
  },
  { name: 'null becomes the default', mutations: [add('/spec/made', 'null')], answer: { made: 'yes', size: 1 } },
  {
    name: 'metadata that cannot be read go',
    mutations: [add('/metadata/labels', '{"a": 1}'), add('/metadata/finalizers', '"x"')],
    answer: { made: 'yes', size: 1 },
  },
];

const nested: readonly [name: string, fields: string, at: string][] = [
  ['a map in a map', 'box: {"lid": {"of": "x"}}', '.spec.box.lid: expected map, got &{map[of:x]}'],
  ['a list in a map', 'any: {"a": [1, 2]}', '.spec.any.a: expected list, got &{[1 2]}'],
  ['a map in a list', 'any: Object.spec.any{a: [{"b": true}]}', '.spec.any.a[0]: expected map, got &{map[b:true]}'],
  ['a list in a list', 'any: Object.spec.any{a: [["b"]]}', '.spec.any.a[0]: expected list, got &{[b]}'],
  ['an unsigned number', 'size: 5u', '.spec.size: expected numeric (int or float), got uint64'],
];
for (const [name, fields, at] of nested)
  test(`an apply configuration has no type for ${name}`, async () => {
    await policy('p', { rules, mutations: [spec(fields)] });
    const { body } = await created({ size: 1 });
    assert.match(body.message, UNTYPED);
    assert.ok(body.message.endsWith(at), body.message);
  });

const taken: readonly [name: string, fields: string, answer: object][] = [
  ['a map of texts', 'any: {"a": "b"}', { any: { a: 'b' } }],
  ['a list that is made', 'tags: ["a", "b"].map(t, t + "1")', { tags: ['a1', 'b1'] }],
  ['a map of the object in a map', 'any: {"a": object.spec.box}', { any: { a: { lid: { of: 'x' } } } }],
  ['an object in a list', 'any: Object.spec.any{a: [Object.spec.any.a{b: ["c"]}]}', { any: { a: [{ b: ['c'] }] } }],
];
for (const [name, fields, answer] of taken)
  test(`an apply configuration takes ${name}`, async () => {
    await policy('p', { rules, mutations: [spec(fields)] });
    const { body } = await created({ size: 1, box: { lid: { of: 'x' } } });
    assert.equal(body.spec, { box: { lid: { of: 'x' } }, made: 'yes', size: 1, ...answer }, JSON.stringify(body));
  });

for (const { name, mutations, sent = { size: 1 }, answer } of rows)
  test(name, async () => {
    await policy('p', { rules, mutations });
    const { body } = await created(sent);
    if (answer instanceof RegExp) assert.match(body.message, answer, JSON.stringify(body));
    else assert.equal([body.spec, body.metadata?.labels, body.metadata?.finalizers], [answer, undefined, undefined], JSON.stringify(body));
  });
const unserved: readonly [name: string, version: string, matchPolicy: string, resource: string, seen: string | undefined][] = [
  ['see it in that version', 'v0', 'Equivalent', 'things', 'v0 shop.example/v0'],
  ['do not see it where they want that version alone', 'v0', 'Exact', 'things', undefined],
  ['see a subresource that it has', 'v0', 'Equivalent', 'things/status', 'v0 shop.example/v0'],
  ['do not see a subresource that it does not have', 'v2', 'Equivalent', 'things/status', undefined],
];
for (const [name, version, matchPolicy, resource, seen] of unserved)
  test(`policies for a version that is not served ${name}`, async () => {
    const resourceRules = [rule({ apiGroups: ['shop.example'], apiVersions: [version], resources: [resource] })];
    const path = resource === 'things' ? 'spec' : 'status';
    const mutation = configuration(`Object{${path}: Object.${path}{seen: request.kind.version + " " + object.apiVersion}}`);
    await policy('p', { mutations: [mutation], spec: { matchConstraints: { resourceRules, matchPolicy } } });
    const made = await created({ size: 1 });
    const changed = await request('PATCH', `${THINGS}/a/status`, { status: {} }, 'application/merge-patch+json');
    assert.equal([made.status, changed.status], [201, 200], JSON.stringify([made.body, changed.body]));
    assert.is(changed.body[path]?.seen, seen);
  });
test.run();
