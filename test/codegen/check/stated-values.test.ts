/** Defaults and examples that the schema beside them does not allow, and those that it does. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Json, list, own, type SchemaFiles, struct, text, withTree } from '../tree.ts';
import { schemas, spec } from './cases/edits.ts';

const values = suite('defaults and examples');

const integer = (more: Json): Json => ({ description: 'A number.', type: 'integer', format: 'int32', ...more });
const COLOUR = 'components.schemas.ToySpec.properties.colour';
const TOY = 'components.schemas.Toy';

/** The text of a property of the spec, with what it states besides. */
const colour =
  (more: Json): Edit =>
  (f) =>
    Object.assign(spec(f).colour, more);

/** Another property in the place of the text. */
const instead =
  (schema: Json): Edit =>
  (f) => {
    spec(f).colour = schema;
    schemas(f).Part = struct({
      name: text({ maxLength: 3 }),
      size: integer({ minimum: 1, default: 1 }),
      note: text({ 'x-cluster-required': true }),
    });
  };

/** The example of the kind, whose spec has these members. */
const toy =
  (example: Json): Edit =>
  (f) => {
    Object.assign(schemas(f).Toy, { example });
    Object.assign(spec(f).colour, { enum: ['red', 'blue'], 'x-cluster-required': true });
    Object.assign(schemas(f).Part.properties, { size: integer({ minimum: 1, default: 1 }) });
    Object.assign(schemas(f).ToySpec, {
      'x-cluster-validations': ['...', { when: { colour: 'blue' }, forbidden: true, at: 'parts', message: 'is for red toys' }],
    });
  };

const V1 = { kind: 'Toy', apiVersion: 'toys.${groupDomain}/v1' };

type Edit = (files: SchemaFiles) => void;

const rows: [name: string, edit: Edit, found: string[]][] = [
  ['a default as the constraints want it', colour({ minLength: 1, pattern: '[a-z]+', default: 'red' }), []],
  [
    'a default that is too long',
    colour({ maxLength: 2, default: 'red' }),
    [`CS103 ${COLOUR}: colour: Too long: may not be more than 2 bytes.`],
  ],
  [
    'a default that is not published, below the minimum',
    instead(integer({ minimum: 5, 'x-cluster-default': 4 })),
    [`CS103 ${COLOUR}: colour: Invalid value: 4: must be greater than or equal to 5.`],
  ],
  [
    'a dependent default of another format',
    colour({ 'x-cluster-format': 'dnsLabel', 'x-cluster-default-when': { value: 'Red' } }),
    [`CS103 ${COLOUR}: colour: Invalid value: "Red"`],
  ],
  ['a default for a value that is required', colour({ 'x-cluster-required': true, default: 'red' }), []],
  [
    'a default that a neighbour may forbid',
    colour({ 'x-cluster-validations': [{ when: { parts: false }, forbidden: true }], default: 'red' }),
    [],
  ],
  ['a default of a struct, whose members have defaults', instead({ ...own('Part'), default: { name: 'leg', note: 'n' } }), []],
  [
    'a default of a struct with a wrong member',
    instead({ ...own('Part'), default: { name: 'wheel', note: 'n' } }),
    [`CS103 ${COLOUR}: colour.name: Too long: may not be more than 3 bytes.`],
  ],
  [
    'a default of a list with a wrong element',
    instead({ ...list(own('Part')), default: [{ name: 'leg' }, { size: 0 }] }),
    [`CS103 ${COLOUR}: colour[1].size: Invalid value: 0: must be greater than or equal to 1.`],
  ],
  [
    'a default of a list whose elements need what their own defaults may give, and what holds with a gate alone',
    instead({
      ...list(own('Part')),
      default: [{ name: 'leg' }],
      'x-cluster-validations': [
        {
          items: [
            {
              within: [
                { at: 'note', required: true },
                { at: 'size', gate: 'ToyColours', forbidden: true },
              ],
            },
          ],
        },
      ],
    }),
    [],
  ],
  [
    'a default of a list whose elements are held against a pattern that is none',
    instead({
      ...list(own('Part')),
      default: [{ name: 'leg' }],
      'x-cluster-validations': [{ items: [{ within: [{ at: 'name', pattern: '(' }] }] }],
    }),
    ['CS024 components.schemas.ToySpec: colour[].name: The pattern ( is none: Invalid regular expression: /(/: Unterminated group.'],
  ],
  ['an example of a member', colour({ enum: ['red'], example: 'red' }), []],
  ['an example of another type', colour({ example: 3 }), [`CS104 ${COLOUR}: 3 is not of type string.`]],
  ['an example that is no known value', colour({ enum: ['red'], example: 'blue' }), [`CS104 ${COLOUR}: "blue" is not in the enum red.`]],
  ['an example that breaks a constraint', colour({ minLength: 4, example: 'red' }), [`CS104 ${COLOUR}: colour: Invalid value: "red"`]],
  ['an example of a kind', toy({ ...V1, metadata: { name: 'a' }, spec: { colour: 'red', parts: [{ name: 'leg' }] } }), []],
  ['an example of a kind with an unknown member', toy({ ...V1, specs: {} }), [`CS104 ${TOY}: Toy has no member specs.`]],
  [
    'an example of another version',
    toy({ ...V1, apiVersion: 'toys/v2', spec: { colour: 'red' } }),
    [`CS104 ${TOY}: It is not of kind Toy and apiVersion toys.\${groupDomain}/v1.`],
  ],
  ['an example without what is required', toy({ ...V1, spec: { parts: [] } }), [`CS104 ${TOY}: spec.colour: Required value.`]],
  [
    'an example with what its neighbour forbids',
    toy({ ...V1, spec: { colour: 'blue', parts: [{ name: 'leg' }] } }),
    [`CS104 ${TOY}: spec.parts: Forbidden: is for red toys.`],
  ],
  [
    'an example with a wrong element',
    toy({ ...V1, spec: { colour: 'red', parts: [{ name: 'leg', size: -1 }] } }),
    [`CS104 ${TOY}: spec.parts[0].size: Invalid value: -1: must be greater than or equal to 1.`],
  ],
];

for (const [name, edit, found] of rows)
  values(name, () =>
    withTree(edit, async (tree) => {
      const { errors } = await tree.generate();
      const told = errors
        .filter(({ code }) => ['CS013', 'CS024', 'CS103', 'CS104'].includes(code))
        .map(({ code, path, problem }) => `${code} ${path}: ${problem}`);
      assert.is(told.length, found.length, told.join('\n'));
      for (const [index, each] of found.entries()) assert.ok(told[index]?.startsWith(each), `${told[index]} instead of ${each}`);
    }),
  );

values('examples are published', () =>
  withTree(
    (f) => {
      spec(f).colour.example = 'red';
      schemas(f).Toy.example = { ...V1, spec: { colour: 'red' } };
    },
    async (tree) => {
      const { files, errors } = await tree.generate();
      assert.equal(errors, []);
      const published = JSON.parse(files.get('toys/v1/openapi.json') ?? '').components.schemas;
      assert.is(published['test.toys.v1.ToySpec'].properties.colour.example, 'red');
      assert.equal(published['test.toys.v1.Toy'].example, { ...V1, spec: { colour: 'red' } });
    },
  ),
);
values.run();
