/** What is told of a value that a schema refuses: the causes, their paths and their words are those of 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJson } from '../../runtime/schema/json/json-text.ts';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { SchemaCheck } from '../../runtime/structural-schema/schema-check.ts';

const test = suite('causes of schemas');

const rows: readonly { readonly name: string; readonly schema: string; readonly value: string; readonly told: readonly string[] }[] = [
  {
    name: 'members are looked at where there are too few or too many of them, too',
    schema: '{"type":"object","properties":{"a":{"type":"string"}},"minProperties":3,"maxProperties":0,"required":["b"]}',
    value: '{"a":1}',
    told: [
      ': Invalid value: 1:  in body should have at least 3 properties',
      ': Too many: 1: must have at most 0 items',
      'a: Invalid value: "integer": a in body must be of type string: "integer"',
      'b: Required value',
    ],
  },
  {
    name: 'members that the object itself does not declare have a dot before their names',
    schema: '{"type":"object","additionalProperties":{"type":"integer","minimum":2,"not":{"maximum":1}}}',
    value: '{"a":1}',
    told: [
      ': Invalid value: "": ".a" must not validate the schema (not)',
      'a: Invalid value: 1: .a in body should be greater than or equal to 2',
    ],
  },
  {
    name: 'a format without a type refuses what is neither text nor list',
    schema: '{"allOf":[{"format":"date-time"}]}',
    value: '1.5',
    told: [
      ': Invalid value: "float64":  in body must be of type date-time: "float64"',
      ': Invalid value: "": "" must validate all the schemas (allOf). None validated',
    ],
  },
  {
    name: 'one alternative is enough of any, and none of one',
    schema: '{"anyOf":[{"minimum":5},{"maximum":2}],"oneOf":[{"minimum":1},{"maximum":3}],"properties":{"a":{"type":"string"}}}',
    value: '2',
    told: [': Invalid value: "": "" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  },
  { name: 'one alternative alone', schema: '{"oneOf":[{"minimum":3},{"maximum":1}]}', value: '3', told: [] },
  {
    name: 'no alternative of those of which one shall hold',
    schema: '{"oneOf":[{"minimum":3},{"maximum":1}]}',
    value: '2',
    told: [
      ': Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
      ': Invalid value: 2:  in body should be greater than or equal to 3',
    ],
  },
  {
    name: 'no alternative of any',
    schema: '{"anyOf":[{"minimum":3},{"maximum":1}]}',
    value: '2',
    told: [
      ': Invalid value: "": "" must validate at least one schema (anyOf)',
      ': Invalid value: 2:  in body should be greater than or equal to 3',
    ],
  },
  {
    name: 'some of all schemas',
    schema: '{"allOf":[{"minimum":3},{"maximum":5}]}',
    value: '2',
    told: [
      ': Invalid value: 2:  in body should be greater than or equal to 3',
      ': Invalid value: "": "" must validate all the schemas (allOf)',
    ],
  },
  {
    name: 'lists that are too long or too short, and elements that stand twice',
    schema: '{"properties":{"a":{"minItems":1},"b":{"maxItems":1},"c":{"uniqueItems":true}}}',
    value: '{"a":[],"b":[1,2],"c":[1,1]}',
    told: [
      'a: Invalid value: 0: a in body should have at least 1 items',
      'b: Too many: 2: must have at most 1 items',
      'c: Invalid value: "": c in body shouldn\'t contain duplicates',
    ],
  },
  {
    name: 'texts of other lengths and forms',
    schema: '{"properties":{"a":{"minLength":2},"b":{"maxLength":1},"c":{"pattern":"^x$"},"d":{"pattern":"("}}}',
    value: '{"a":"\u{1f600}","b":"\u{1f600}","c":"y","d":"y"}',
    told: [
      'a: Invalid value: "\u{1f600}": a in body should be at least 2 chars long',
      'c: Invalid value: "y": c in body should match \'^x$\'',
      'd: Invalid value: "y": d in body should match \'(, but pattern is invalid: error parsing regexp: missing closing ): `(`\'',
    ],
  },
  { name: 'a format without a type takes lists and null', schema: '{"items":{"format":"date"}}', value: '[null,["x"]]', told: [] },
  {
    name: 'hyphens do not tell formats apart, and messages show the format as it is written',
    schema: '{"type":"string","format":"uu-id"}',
    value: '"\\u0001"',
    told: [': Invalid value: "\\x01":  in body must be of type uu-id: "\\x01"'],
  },
  {
    name: 'formats of numbers say nothing',
    schema: '{"type":"integer","format":"int32"}',
    value: 'true',
    told: [': Invalid value: "boolean":  in body must be of type integer: "boolean"'],
  },
  {
    name: 'null is none of the enumerated values',
    schema: '{"type":"string","nullable":true,"enum":["a",null]}',
    value: 'null',
    told: [': Unsupported value: "null": supported values: "a", "null"'],
  },
  {
    name: 'enumerated values are shown as Go writes them',
    schema: '{"enum":[1e21,1.0,-0.0,{"b":"<","9":1,"10":2}]}',
    value: '{"b":"\\u0007","é":1e21}',
    told: [
      ': Unsupported value: map[string]interface {}{"b":"\\a", "é":1e+21}: supported values: "1e+21", "1", "-0", "{\\"10\\":2,\\"9\\":1,\\"b\\":\\"\\\\u003c\\"}"',
    ],
  },
  {
    name: 'a number that is written as a double is one',
    schema: '{"type":"number","multipleOf":0.5,"minimum":2.5}',
    value: '2.0',
    told: [': Invalid value: 2:  in body should be greater than or equal to 2.5'],
  },
  {
    name: 'of alternatives the one counts to which most of the schema applies, whether it is right or not',
    schema: '{"anyOf":[{"properties":{"a":{"minimum":5}}},{"properties":{"a":{"maximum":1},"b":{"minLength":3}}}]}',
    value: '{"a":3,"b":"x"}',
    told: [
      ': Invalid value: "": "" must validate at least one schema (anyOf)',
      'a: Invalid value: 3: a in body should be less than or equal to 1',
      'b: Invalid value: "x": b in body should be at least 3 chars long',
    ],
  },
  {
    name: 'what is wrong with an expression is told with its place, even if that is empty',
    schema: '{"type":"string","pattern":"\\\\"}',
    value: '"a"',
    told: [
      ': Invalid value: "a":  in body should match \'\\, but pattern is invalid: error parsing regexp: trailing backslash at end of expression: ``\'',
    ],
  },
];

for (const { name, schema, value, told } of rows)
  test(name, () => {
    const findings = new SchemaCheck(parseJson(schema).value as CustomSchema).findings(parseJson(value).value, undefined);
    assert.equal(
      findings.map(({ field, message }) => `${field}: ${message}`),
      told,
    );
  });

test.run();
