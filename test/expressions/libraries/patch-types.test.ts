/** What expressions of mutating policies make, and how they read it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../runtime/expressions/compile.ts';
import { Environment } from '../../../runtime/expressions/environment/environment.ts';
import { kubernetesLibraries, NEW_EXPRESSIONS } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { withPatchTypes } from '../../../runtime/expressions/libraries/patch-types.ts';
import { Program } from '../../../runtime/expressions/plan/program.ts';
import { plainValue } from './evaluation.ts';

const test = suite('types of patches');
const environment = new Environment({ libraries: kubernetesLibraries(NEW_EXPRESSIONS), mixedLiterals: true });

function evaluated(source: string): { value: unknown; cost: number } {
  const program = new Program(compile(source, withPatchTypes(environment, source)));
  const { value, cost } = program.evaluate(() => null, Number.POSITIVE_INFINITY);
  return { value: plainValue(value), cost };
}

const values: readonly [source: string, expected: unknown][] = [
  ['Object{a: 1}.a', 1n],
  ['Object{}.a == null', true],
  ['has(Object{a: 1}.a)', true],
  ['has(Object{}.a)', false],
  ['Object{a: Object.a{b: 1}}.a.b', 1n],
  ['Object{a: Object.a{b: 1}}.a == {"b": 1}', true],
  ['Object{a: Object.a{}}.a.b', 'error: no such key: b'],
  ['Object{list: [1, 2, 3]}.list.sum()', 6n],
  ['Object{?a: optional.none()}.?a.hasValue()', false],
  ['Object{?a: optional.of(1)}.?a.hasValue()', true],
  ['optional.ofNonZeroValue(Object{}).hasValue()', false],
  ['optional.ofNonZeroValue(Object{a: 1}).hasValue()', true],
  ['Object{} == Object{}', true],
  ['Object{a: "x"} == Object{a: "x"}', true],
  ['Object{a: "x"} == Object{a: "y"}', false],
  ['Object{a: "x"} == Object{}', false],
  ['dyn(Object.a{}) == dyn(Object.b{})', false],
  ['JSONPatch{op: "o"}.op + JSONPatch{path: "p"}.path + JSONPatch{from: "f"}.from', 'opf'],
  ['JSONPatch{}.op', ''],
  ['string(JSONPatch{value: "v"}.value)', 'v'],
  ['JSONPatch{}.value', 'error: no such key: value'],
  ['has(JSONPatch{op: "o"}.op) && has(JSONPatch{value: null}.value)', true],
  ['has(JSONPatch{}.op) || has(JSONPatch{}.path) || has(JSONPatch{}.from) || has(JSONPatch{}.value)', false],
  ['JSONPatch{} == JSONPatch{op: ""}', true],
  ['JSONPatch{op: "add", value: 1} == JSONPatch{op: "add", value: 1}', true],
  ['JSONPatch{op: "add", value: 1} == JSONPatch{op: "add", value: 2}', false],
  ['JSONPatch{op: "add", value: 1} == JSONPatch{op: "add"}', false],
  ['JSONPatch{op: dyn(1)}.op', "error: unexpected type int64 for JSONPatchType 'op' field"],
  ['JSONPatch{path: dyn([1])}.op', "error: unexpected type []ref.Val for JSONPatchType 'path' field"],
  ['jsonpatch.escapeKey("k8s.io/x~y")', 'k8s.io~1x~0y'],
];
for (const [source, expected] of values) test(source, () => assert.equal(evaluated(source).value, expected));

const costs: readonly [source: string, expected: number][] = [
  ['Object{}', 40],
  ['Object{spec: Object.spec{a: 1}}', 80],
  ['[JSONPatch{op: "add", path: "/a", value: 1}]', 50],
];
for (const [source, expected] of costs) test(`cost of ${source}`, () => assert.is(evaluated(source).cost, expected));

const refused: readonly [source: string, message: RegExp][] = [
  ['Invalid{}', /undeclared reference to 'Invalid'/],
  ['Objects{}', /undeclared reference to 'Objects'/],
  // what is wrong with a field is told where its colon stands
  ['JSONPatch{what: 1}', /<input>:1:15: expected type of field 'what' is '' but provided type is 'int'/],
  ['JSONPatch{op: 1}', /<input>:1:13: expected type of field 'op' is 'string' but provided type is 'int'/],
];
for (const [source, message] of refused) test(`no ${source}`, () => assert.throws(() => evaluated(source), message));
test.run();
