/** What apply configurations and JSON patches make of objects, by the expressions that state them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applyConfiguration } from '../../../runtime/admission/mutating-policies/apply-configuration.ts';
import { jsonPatch } from '../../../runtime/admission/mutating-policies/json-patch.ts';
import { MadeJson } from '../../../runtime/admission/mutating-policies/made-json.ts';
import type { Mutation } from '../../../runtime/admission/mutating-policies/mutation.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { compile } from '../../../runtime/expressions/compile.ts';
import { withPatchTypes } from '../../../runtime/expressions/libraries/patch-types.ts';
import { Program } from '../../../runtime/expressions/plan/program.ts';
import { jsonValue } from '../../../runtime/expressions/values/json-values.ts';
import { admissionEnvironment, stored } from '../../../runtime/kinds/admissionregistration/expressions/admission-environments.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { LongObject } from '../../../runtime/registry/stored-objects/long-value.ts';
import { copyValue } from '../../../runtime/schema/copy.ts';
import { tableRows } from '../../harness/tables.ts';
import { workload } from '../../kinds/apps/workload.ts';
import { loadKind } from '../../kinds/kind.ts';

const test = suite('mutations');
const environment = admissionEnvironment({ params: false, authorizer: false }, stored({}));

let kind: Kind;
let deployment: ApiObject;
test.before(async () => {
  kind = await loadKind('apps/v1', 'Deployment');
  deployment = workload(kind, { replicas: 2 });
});

/** @returns the object and what it was before */
interface Given {
  readonly object?: ApiObject;
  readonly oldObject?: object | null;
  readonly worksLong?: boolean;
  readonly isDecoded?: boolean;
}

function changed(mutation: Mutation, source: string, given: Given = {}): ApiObject {
  const { object = deployment, oldObject = object, worksLong = true, isDecoded = true } = given;
  const before = copyValue(object);
  const read = (variable: string) => jsonValue(variable === 'oldObject' ? oldObject : object);
  const { value } = new Program(compile(source, withPatchTypes(environment, source))).evaluate(read, 1_000_000);
  const made = mutation(value, { object, kind, isDescribed: true, isDecoded, made: new MadeJson(worksLong) });
  assert.equal(object, before, 'the object itself has changed');
  return made;
}

type Changes = (spec: ApiObject['spec'], object: ApiObject) => void;
const template = (fields: string) =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{${fields}}}}}`;
const applied: readonly [name: string, source: string, changes: Changes][] = [
  ['nothing', 'Object{}', () => {}],
  [
    'a scalar',
    'Object{spec: Object.spec{replicas: object.spec.replicas + 3}}',
    (spec) => {
      spec.replicas = 5;
    },
  ],
  [
    'labels',
    'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
    (_spec, { metadata }) => {
      metadata.labels = { a: 'b' };
    },
  ],
  [
    'a container more, with its defaults',
    template('containers: [Object.spec.template.spec.containers{name: "d", image: "x:1"}]'),
    (spec) => {
      const added = copyValue(spec.template.spec.containers[0]);
      spec.template.spec.containers.push({ ...added, name: 'd', image: 'x:1' });
    },
  ],
  [
    'each container',
    template(
      'containers: object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers{name: c.name, image: "other/" + c.image})',
    ),
    (spec) => {
      spec.template.spec.containers[0].image = 'other/nginx:1.27';
    },
  ],
  ['what an optional value leaves out', 'Object{spec: Object.spec{?replicas: optional.none()}}', () => {}],
  ['another kind, which does not count', 'Object{kind: "Pod", apiVersion: "v1"}', () => {}],
];
for (const [name, source, changes] of applied)
  test(`an apply configuration of ${name}`, () => {
    const expected = copyValue(deployment);
    changes(expected.spec, expected);
    assert.equal(changed(applyConfiguration, source), expected);
  });

const refusedConfigurations: readonly [source: string, message: RegExp][] = [
  [
    'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"l": "v"}}}}',
    /^error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: \.spec\.selector$/,
  ],
  [
    'Object{spec: Object.specx{replicas: 1}}',
    /^type mismatch: unexpected type name "Object\.specx", expected "Object\.spec", which matches field name path from root Object type$/,
  ],
  [
    template('containers: [Object.spec.template{name: "a"}]'),
    /^type mismatch: unexpected type name "Object\.spec\.template", expected "Object\.spec\.template\.spec\.containers", /,
  ],
  [
    'Object{spec: Object.spec{replicasx: 1}}',
    /^error applying patch: failed to convert patch object to typed object: \.spec\.replicasx: field not declared in schema$/,
  ],
  [
    'Object{spec: Object.spec{replicas: "1"}}',
    /^error applying patch: failed to convert patch object to typed object: \.spec\.replicas: expected numeric/,
  ],
  [
    'Object{spec: Object.spec{replicas: null}}',
    /^error applying patch: failed to convert patch object to typed object: \.spec\.replicas: expected a value, got null$/,
  ],
  ['Object{spec: Object.spec{replicas: 4294967296}}', /cannot unmarshal number 4294967296 into Go struct field .*replicas of type int32/],
];
for (const [source, message] of refusedConfigurations)
  test(`no apply configuration ${source}`, () => assert.throws(() => changed(applyConfiguration, source), message));

test('an object that names an element twice takes no apply configuration', () => {
  const env = [{ name: 'E' }, { name: 'E' }];
  const twice = workload(kind, {
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i', env }] } },
  });
  assert.throws(
    () => changed(applyConfiguration, 'Object{spec: Object.spec{replicas: 1}}', { object: twice }),
    /^error applying patch: failed to convert original object to typed object: .*duplicate entries for key \[name="E"\]$/,
  );
});

const patched: readonly [source: string, changes: Changes][] = [
  ['[]', () => {}],
  [
    '[JSONPatch{op: "replace", path: "/spec/replicas", value: object.spec.replicas + 1}]',
    (spec) => {
      spec.replicas = 3;
    },
  ],
  [
    '[JSONPatch{op: "remove", path: "/spec/replicas"}]',
    (spec) => {
      spec.replicas = 1;
    },
  ],
  [
    '[JSONPatch{op: "add", path: "/metadata/labels", value: {}}, JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("k8s.io/x~y"), value: "true"}]',
    (_spec, { metadata }) => {
      metadata.labels = { 'k8s.io/x~y': 'true' };
    },
  ],
  [
    '[JSONPatch{op: "copy", from: "/spec/template/metadata/labels", path: "/metadata/labels"}]',
    (_spec, { metadata }) => {
      metadata.labels = { app: 'a' };
    },
  ],
  [
    '[JSONPatch{op: "test", path: "/spec/replicas", value: 2}, JSONPatch{op: "replace", path: "/spec/replicas", value: 7}]',
    (spec) => {
      spec.replicas = 7;
    },
  ],
  ['[JSONPatch{op: "test", path: "/spec/replicas", value: 100}, JSONPatch{op: "replace", path: "/spec/replicas", value: 7}]', () => {}],
  [
    '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: Object.spec.template.spec.containers{name: "x", image: "i:1", ports: [Object.spec.template.spec.containers.ports{containerPort: 80}]}}]',
    (spec) => {
      const { containers } = spec.template.spec;
      containers.push({ ...copyValue(containers[0]), name: 'x', image: 'i:1', ports: [{ containerPort: 80, protocol: 'TCP' }] });
    },
  ],
  [
    '[JSONPatch{op: "add", path: "/spec", value: Object.invalid{replicas: 9, selector: object.spec.selector, template: object.spec.template}}]',
    (spec) => {
      spec.replicas = 9;
    },
  ],
];
for (const [source, changes] of patched)
  test(`patches ${source}`, () => {
    const expected = copyValue(deployment);
    changes(expected.spec, expected);
    assert.equal(changed(jsonPatch, source), expected);
  });

const refusedPatches: readonly [source: string, message: RegExp][] = [
  [
    '[JSONPatch{op: "replace", path: "/spec/template/spec/containers/-", value: {"name": "x"}}]',
    /^JSON Patch: replace operation does not apply: doc is missing key: \/spec\/template\/spec\/containers\/-: missing value$/,
  ],
  ['[JSONPatch{op: "remove", path: "/spec/none"}]', /^JSON Patch: .*none/],
  ['[JSONPatch{op: "jump", path: "/spec"}]', /^JSON Patch: Unexpected kind: jump$/],
  ['[JSONPatch{}]', /^JSON Patch: Unexpected kind: $/],
  [
    '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: Object.spec.template.spec.containers{name: "x", ports: [Object.spec.template.spec.containers.portsZ{}]}}]',
    /^type mismatch: unexpected type name "Object\.spec\.template\.spec\.containers\.portsZ", expected "Object\.spec\.template\.spec\.containers\.ports"/,
  ],
  [
    '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: {"ports": [{"containerPortZ": 80}]}}]',
    /^Internal error occurred: strict decoding error: unknown field "spec\.template\.spec\.containers\[1\]\.ports\[0\]\.containerPortZ"$/,
  ],
  [
    '[JSONPatch{op: "replace", path: "/spec/replicas", value: "2"}]',
    /^Internal error occurred: .*cannot unmarshal string into Go struct field .*replicas/,
  ],
  ['[JSONPatch{op: "replace", path: "/kind", value: "Pod"}]', /^Internal error occurred: no kind "Pod"/],
  [
    '[JSONPatch{op: "replace", path: "/spec/replicas", value: double("NaN")}]',
    /^JSONPath valueExpression evaluated to a type that could not marshal to JSON: /,
  ],
  [
    '[JSONPatch{op: "add", path: "/spec/replicas", value: JSONPatch{op: "add"}}]',
    /^JSONPath valueExpression evaluated to a type that could not marshal to JSON: cannot convert to native type: \*structpb\.Value$/,
  ],
  ['[dyn(1), dyn(2)]', /^type mismatch: JSONPatchType\.expression should evaluate to array of JSONPatch$/],
];
for (const [source, message] of refusedPatches)
  test(`no patches ${source}`, () => assert.throws(() => changed(jsonPatch, source), message));

const MANY = 'object.spec.template.spec.containers[0].name';
const grown = (doublings: number) => {
  let source = `${MANY} + "${'x'.repeat(100)}"`;
  for (let level = 0; level < doublings; level++) source = `[${source}].map(v${level}, [v${level}, v${level}])[0]`;
  return source;
};
/** Like it, of objects: 1.32 takes no lists in lists from an apply configuration. */
const grownObject = (doublings: number) => {
  let source = `Object.spec{a: ${MANY} + "${'x'.repeat(100)}"}`;
  for (let level = 0; level < doublings; level++) source = `[${source}].map(v${level}, Object.spec{a: v${level}, b: v${level}})[0]`;
  return source;
};
/** Operations that change nothing: as many as there are parts of a text. */
const many = (count: number) => `"${'x'.repeat(count)}".split("").map(i, JSONPatch{op: "test", path: "/spec/replicas", value: 2})`;
const LONG: readonly [name: string, mutation: Mutation, source: string][] = [
  ['an apply configuration', applyConfiguration, `Object{spec: ${grownObject(10)}}`],
  ['a value', jsonPatch, `[JSONPatch{op: "add", path: "/metadata/labels", value: ${grown(10)}}]`],
  ['many operations', jsonPatch, many(200)],
];
for (const [name, mutation, source] of LONG)
  test(`${name}: what is long is left to another thread`, () => {
    assert.throws(
      () => changed(mutation, source, { worksLong: false }),
      (error: unknown) => error instanceof LongObject,
    );
  });

test('copies that make an object long are left to another thread', () => {
  const copies = Array.from(
    { length: 40 },
    (_, index) => `JSONPatch{op: "copy", from: "/metadata/annotations/a", path: "/metadata/annotations/a${index}"}`,
  );
  const annotated = { ...deployment, metadata: { ...deployment.metadata, annotations: { a: 'x'.repeat(4_000) } } };
  assert.throws(
    () => changed(jsonPatch, `[${copies.join()}]`, { object: annotated, worksLong: false }),
    (error: unknown) => error instanceof LongObject,
  );
  assert.is(Object.keys(changed(jsonPatch, `[${copies.join()}]`, { object: annotated }).metadata.annotations ?? {}).length, 41);
});

test('what would be longer than any request is refused', () => {
  assert.throws(
    () => changed(applyConfiguration, `Object{spec: ${grownObject(60)}}`),
    /policies would make more than 3145728 characters of JSON for one request$/,
  );
});

test('all that is made for one request is counted', () => {
  const made = new MadeJson(false);
  const source = `Object{metadata: Object.metadata{labels: {"a": "${'x'.repeat(60)}"}}}`;
  const { value } = new Program(compile(source, withPatchTypes(environment, source))).evaluate(() => null, 1_000_000);
  const change = () => applyConfiguration(value, { object: deployment, kind, isDescribed: true, isDecoded: true, made });
  for (let times = 0; times < 300; times++) change();
  assert.throws(
    () => {
      for (let times = 0; times < 100; times++) change();
    },
    (error: unknown) => error instanceof LongObject,
  );
});

test('more operations than any patch may have are refused', () => {
  assert.throws(() => changed(jsonPatch, many(10_001)), /^JSON Patch: The allowed maximum operations in a JSON patch is 10000, got 10001$/);
});
interface Row {
  readonly name: string;
  readonly test: string;
  readonly expression: string;
  readonly object: object;
  readonly oldObject: object | null;
  readonly expected?: object;
  readonly error?: string;
}
const MUTATIONS: Readonly<Record<string, Mutation>> = { 'json-patch': jsonPatch, 'apply-configuration': applyConfiguration };
for (const row of tableRows<Row>('admission-cel.json')) {
  const mutation = MUTATIONS[row.test];
  // what an expression must come out as is held against the types of policies
  if (mutation === undefined || row.error?.startsWith('must evaluate to') === true) continue;
  test(`table: ${row.name}`, () => {
    // the rows are without defaults, which only what comes of a mutation has here
    const given = { object: kind.normalized(row.object), oldObject: row.oldObject, isDecoded: false };
    const made = () => changed(mutation, row.expression, given);
    if (row.expected !== undefined) assert.equal(kind.decode(made()).object, kind.decode(row.expected).object);
    else assert.throws(made, (error: unknown) => (error as Error).message === row.error);
  });
}
test.run();
