/** The checks of round trips find what is wrong: each case plants one mistake. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conversionLoss, jsonDifference } from '../../../codegen/policy/conversions/conversion-loss.ts';
import { missingFields } from '../../../codegen/policy/conversions/missing-fields.ts';
import { flatFields, randomObject } from '../../../codegen/policy/conversions/random-objects.ts';
import * as d from '../../../runtime/contract/descriptor.ts';
import type { ConversionFunctions, ConversionStep } from '../../../runtime/contract/kind.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { compileType } from '../../../runtime/schema/codec/codec.ts';
import { identity } from '../../kinds/context.ts';
import { protobufLoss } from './losses.ts';

const checks = suite('checks of round trips');

function widgetType(version: string, spec: readonly d.Field[]): d.StructType {
  const Spec = d.struct(`example.${version}.WidgetSpec`, () => spec);
  const Meta = d.struct(`example.${version}.ObjectMeta`, () => [
    { name: 'name', type: d.string, number: 1 },
    { name: 'annotations', type: d.map(d.string), number: 12 },
  ]);
  return d.struct(`example.${version}.Widget`, () => [
    { name: 'kind', type: d.string },
    { name: 'apiVersion', type: d.string },
    { name: 'metadata', type: Meta, number: 1 },
    { name: 'spec', type: Spec, number: 2 },
  ]);
}

function widget(version: string, type: d.StructType, to?: { hub: Kind; steps: ConversionStep[]; functions?: ConversionFunctions }): Kind {
  const conversion = to && { group: 'example.com', version: to.hub.version, kind: 'Widget', steps: to.steps };
  return new Kind({
    group: 'example.com',
    version,
    kind: 'Widget',
    data: { type, schemaHash: 1, lifecycle: { introduced: '1.0' }, ...(conversion && { conversion }) },
    rules: {},
    identity,
    release: '1.32',
    featureEnabled: () => true,
    ...(to && { hub: to.hub, functions: to.functions }),
  });
}

const color: d.Field = { name: 'color', type: d.string, number: 1 };
const count: d.Field = { name: 'count', type: d.int32, number: 2 };
const sizes: d.Field = { name: 'sizes', type: d.list(d.int64), number: 3 };

const hub = widget('v1', widgetType('v1', [color, count, sizes]));
const object = (kind: Kind, spec: object): ApiObject => kind.normalized({ metadata: { name: 'a' }, spec });
const full = object(hub, { color: 'red', count: 3, sizes: [1, 2] });

checks('a faithful reader loses nothing', () => assert.is(protobufLoss(hub, full), undefined));

const readers: readonly [name: string, spec: readonly d.Field[], loss: RegExp][] = [
  ['another number', [{ ...color, number: 9 }, count, sizes], /^\.spec\.color: "red" became undefined$/],
  ['another type', [color, { ...count, type: d.boolean }, sizes], /^\.spec\.count: 3 became true$/],
  ['a missing field', [color, count], /^\.spec\.sizes: \[1,2\] became undefined$/],
  ['members in another order', [count, color, sizes], /^\.spec: members in another order, color,count,sizes became count,color,sizes$/],
  ['a pointer too many', [color, { ...count, go: { pointer: true } }, sizes], /^\.spec\.count: undefined became 0$/],
];

for (const [name, spec, loss] of readers)
  checks(`a reader with ${name}`, () => {
    const planted = name.startsWith('a pointer') ? object(hub, { color: 'red' }) : full;
    assert.match(protobufLoss(hub, planted, compileType(widgetType(`v1 ${name}`, spec), identity)) as string, loss);
  });

const colour: d.Field = { name: 'colour', type: d.string, number: 1 };
const renamed: ConversionStep[] = [{ op: 'rename', from: 'spec.colour', to: 'spec.color' }];
const older = widgetType('v1beta1', [colour, count, sizes]);

checks('a rename loses nothing', () => {
  const beta = widget('v1beta1', older, { hub, steps: renamed });
  assert.is(conversionLoss(hub, full, [hub, beta]), undefined);
  assert.is(conversionLoss(beta, object(beta, { colour: 'red', count: 1 }), [hub, beta]), undefined);
  assert.equal(missingFields(hub, beta), []);
  assert.equal(missingFields(beta, hub), []);
});

checks('a forgotten rename', () => {
  const beta = widget('v1beta1', older, { hub, steps: [] });
  assert.is(conversionLoss(hub, full, [hub, beta]), 'through example.com/v1beta1: .spec.color: "red" became undefined');
  assert.equal(missingFields(hub, beta), [{ path: 'spec.color', missing: 'example.com/v1beta1', zeroAlone: false }]);
  assert.equal(missingFields(beta, hub), [{ path: 'spec.colour', missing: 'example.com/v1', zeroAlone: false }]);
});

checks('a function that drops a member', () => {
  const drop = (from: ApiObject): ApiObject => ({ ...from, spec: { ...from.spec, sizes: undefined } });
  const beta = widget('v1beta1', older, { hub, steps: renamed, functions: { toHub: drop, fromHub: (from) => from } });
  assert.is(conversionLoss(hub, full, [hub, beta]), 'through example.com/v1beta1: .spec.sizes: [1,2] became undefined');
});

checks('a version that does not tell zero from absent', () => {
  const beta = widget('v1beta1', widgetType('v1beta1', [color, { ...count, go: { pointer: true } }, sizes]), { hub, steps: [] });
  assert.equal(missingFields(beta, hub), [{ path: 'spec.count', missing: 'example.com/v1', zeroAlone: true }]);
  assert.equal(missingFields(hub, beta), []);
  assert.is(conversionLoss(beta, object(beta, { count: 0 }), [hub, beta]), 'through example.com/v1: .spec.count: 0 became undefined');
});

checks('a struct whose members all moved is not missing', () => {
  const old = widgetType('v1alpha1', [{ name: 'look', type: d.struct('example.v1alpha1.Look', () => [colour]), number: 9 }, count, sizes]);
  const alpha = widget('v1alpha1', old, { hub, steps: [{ op: 'rename', from: 'spec.look.colour', to: 'spec.color' }] });
  assert.equal(missingFields(alpha, hub), []);
  assert.equal(missingFields(hub, alpha), []);
});

checks('what an annotation keeps is not missing', () => {
  const steps: ConversionStep[] = [...renamed, { op: 'keepInAnnotation', path: 'spec.sizes', annotation: 'example.com/sizes' }];
  const beta = widget('v1beta1', widgetType('v1beta1', [colour, count]), { hub, steps });
  assert.equal(missingFields(hub, beta), []);
  assert.is(conversionLoss(hub, full, [hub, beta]), undefined);
});

checks('random objects find a mistake by themselves', () => {
  const reader = compileType(widgetType('v1 planted', [color, { ...count, number: 7 }, sizes]), identity);
  const found = Array.from({ length: 100 }, (_, seed) => hub.normalized(randomObject(hub.data.type, { seed, size: 20 }))).filter(
    (each) => protobufLoss(hub, each, reader) !== undefined,
  );
  assert.ok(found.length > 10, `${found.length} of 100`);
});

checks('random objects reach every field, and nothing else', () => {
  const reached = new Set<string>();
  for (let seed = 0; seed < 100; seed++) {
    const { spec } = randomObject(hub.data.type, { seed, size: 20, leavesOut: (path) => path === 'spec.count' });
    for (const name of Object.keys(spec ?? {})) reached.add(name);
  }
  assert.equal([...reached].sort(), ['color', 'sizes']);
  assert.equal(
    flatFields(hub.data.type).map(({ name }) => name),
    ['kind', 'apiVersion', 'metadata', 'spec'],
  );
});

checks('of a seed there is always the same object', () => {
  const make = () => JSON.stringify(randomObject(hub.data.type, { seed: 42, size: 30 }));
  assert.is(make(), make());
});

checks('equal values have no difference', () => assert.is(jsonDifference({ a: [1, { b: null }] }, { a: [1, { b: null }] }), undefined));

checks.run();
