import type { DiagnosticCode } from '../../../../codegen/check/codes.ts';
import { type Json, list, own, type SchemaFiles, struct, text } from '../../tree.ts';
import { proto, type Row, SPEC, schemas, spec, V1 } from './edits.ts';

const flag = { description: 'A flag.', type: 'boolean' };

/** Members of every sort besides `colour` and `parts`. */
function extend(files: SchemaFiles): void {
  Object.assign(spec(files), {
    shade: text({ enum: ['dark', 'light'] }),
    size: { description: 'A number.', type: 'integer', format: 'int32', 'x-cluster-pointer': true },
    flag,
    labels: { description: 'A map.', type: 'object', additionalProperties: { type: 'string' } },
    inner: { ...own('Inner'), 'x-cluster-pointer': true },
    plain: own('Inner'),
  });
  schemas(files).Inner = struct({ text: text(), more: list({ type: 'string' }) });
  proto(
    files,
    'repeated Part parts = 2;',
    `repeated Part parts = 2; optional string shade = 3; optional int32 size = 4; optional bool flag = 5;
     map<string, string> labels = 6; optional Inner inner = 7; optional Inner plain = 8;`,
  );
  files.proto['toys/v1'] += 'message Inner {\n  optional string text = 1; repeated string more = 2;\n}\n';
}

/** Of a rule that stands beside `colour`. */
const beside = (name: string, code: DiagnosticCode, rule: Json, place = `${SPEC}.properties.colour`): Row => [
  name,
  code,
  V1,
  place,
  (files) => {
    extend(files);
    spec(files).colour['x-cluster-default-when'] = rule;
  },
];

/** Of rules that the schema states. */
const below = (name: string, code: DiagnosticCode, rules: Json, place = SPEC): Row => [
  name,
  code,
  V1,
  place,
  (files) => {
    extend(files);
    schemas(files).ToySpec['x-cluster-defaults'] = rules;
  },
];

const MARK = `${SPEC}.properties.colour.x-cluster-default-when`;

export const defaultsCases: readonly Row[] = [
  beside('a key that a default does not have', 'CS012', { valu: 'red' }, MARK),
  beside('a test that a condition does not have', 'CS012', { when: { shade: { is: 'dark' } }, value: 'red' }, `${MARK}.when.shade`),
  beside('a condition of a wrong form', 'CS013', { when: { shade: [] }, value: 'red' }, `${MARK}.when.shade`),
  beside('a format that there is not', 'CS013', { from: 'shade', as: 'upperCase' }, `${MARK}.as`),
  beside('a dependent default of another type', 'CS019', { when: { shade: 'dark' }, value: 3 }),
  below('a default below for no member', 'CS045', { 'parts[*].size': { value: 3 } }),
  below('a default for a struct that is always there', 'CS045', { plain: { value: {} } }),
  beside('a default from no member', 'CS045', { from: 'shadow' }),
  beside('a default behind an unknown gate', 'CS053', { gate: '!ToyPart', value: 'red' }),
  beside('a default behind one that is always set', 'CS090', [{ value: 'red' }, { when: { shade: 'dark' }, value: 'blue' }]),
  below('a default of a member that has another', 'CS090', { 'parts[*].name': [{ value: 'a' }, { value: 'b' }] }),
  beside('a condition on no member', 'CS091', { when: { shadow: 'dark' }, value: 'red' }),
  beside('a condition on a value of another type', 'CS091', { when: { size: ['3'] }, value: 'red' }),
  beside('a condition on a value outside the enum', 'CS091', { when: { shade: { not: ['grey'] } }, value: 'red' }),
  beside('a condition on a zero that is left out', 'CS091', { when: { flag: false }, value: 'red' }),
  beside('a condition on the absence of a struct that is always there', 'CS091', { when: { plain: { present: false } }, value: 'red' }),
  beside('a limit of what is no number', 'CS091', { when: { shade: { above: 3 } }, value: 'red' }),
  beside('a condition through a list', 'CS091', { when: { 'parts[*].name': 'a' }, value: 'red' }),
  beside('a default without a value', 'CS092', { when: { shade: 'dark' } }),
  beside('two values of one default', 'CS092', { value: 'red', from: 'shade' }),
  beside('a format of nothing', 'CS092', { value: 'red', as: 'lowerCase' }),
  beside('a default from a member of another type', 'CS092', { from: 'size' }),
  beside('a format of what is no text', 'CS092', { from: 'size', as: 'lowerCase' }),
  beside('entries of what is no map', 'CS092', { entriesFrom: ['shade'] }),
];
