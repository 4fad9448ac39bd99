/** Words of the vocabulary that change what is reported, with the words that say where: the generated function and the interpreter find the same. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConstraints } from '../../codegen/model/constraints/constraints.ts';
import type { FieldError } from '../../runtime/contract/field-error.ts';
import type { Validator } from '../../runtime/contract/kind.ts';
import { Interpreter } from '../../runtime/validation/interpreter.ts';
import { type Json, withTree } from '../codegen/tree.ts';
import { ruleContext } from '../kinds/context.ts';

const test = suite('words of constraints, where they stand');

interface Row {
  readonly name: string;
  /** of the colour of a toy, or of the toy's spec */
  readonly of: 'colour' | 'spec';
  readonly entry: object;
  readonly spec: object;
  readonly found: readonly string[];
}

const HOLDS = 'toys/colours#isBright';
const RULE = `export const isBright = (colour) => colour !== 'grey';\n`;

const rows: readonly Row[] = [
  {
    name: 'limit: what is said of the length is another number than what is tested',
    of: 'colour',
    entry: { maxLength: 3, limit: 9 },
    spec: { colour: 'green' },
    found: ['spec.colour: Too long: may not be more than 9 bytes'],
  },
  {
    name: 'limit with at',
    of: 'spec',
    entry: { at: 'colour', maxLength: 3, limit: 9 },
    spec: { colour: 'green' },
    found: ['spec.colour: Too long: may not be more than 9 bytes'],
  },
  {
    name: 'limit within all',
    of: 'spec',
    entry: {
      at: 'colour',
      all: [
        { maxLength: 3, limit: 9 },
        { neq: 'green', message: 'is taken' },
      ],
    },
    spec: { colour: 'green' },
    found: ['spec.colour: Too long: may not be more than 9 bytes', 'spec.colour: Invalid value: "green": is taken'],
  },
  {
    name: 'holds',
    of: 'colour',
    entry: { holds: HOLDS, message: 'is not bright' },
    spec: { colour: 'grey' },
    found: ['spec.colour: Invalid value: "grey": is not bright'],
  },
  { name: 'holds of what is right', of: 'colour', entry: { holds: HOLDS, message: 'is not bright' }, spec: { colour: 'red' }, found: [] },
  {
    name: 'holds with at',
    of: 'spec',
    entry: { at: 'colour', holds: HOLDS, message: 'is not bright' },
    spec: { colour: 'grey' },
    found: ['spec.colour: Invalid value: "grey": is not bright'],
  },
  {
    name: 'holds within all',
    of: 'spec',
    entry: { at: 'colour', all: [{ holds: HOLDS, message: 'is not bright' }, { maxLength: 3 }] },
    spec: { colour: 'grey' },
    found: ['spec.colour: Invalid value: "grey": is not bright', 'spec.colour: Too long: may not be more than 3 bytes'],
  },
  {
    name: 'path: the finding stands elsewhere',
    of: 'colour',
    entry: { neq: 'grey', path: 'paint', message: 'is dull' },
    spec: { colour: 'grey' },
    found: ['spec.paint: Invalid value: "grey": is dull'],
  },
  {
    name: 'path with at',
    of: 'spec',
    entry: { at: 'colour', neq: 'grey', path: 'paint', message: 'is dull' },
    spec: { colour: 'grey' },
    found: ['spec.paint: Invalid value: "grey": is dull'],
  },
  {
    name: 'path of all that stands at a member',
    of: 'spec',
    entry: { at: 'colour', path: 'paint', all: [{ neq: 'grey', message: 'is dull' }, { maxLength: 3 }] },
    spec: { colour: 'grey' },
    found: ['spec.paint: Invalid value: "grey": is dull', 'spec.paint: Too long: may not be more than 3 bytes'],
  },
];

/** Paths begin at the object, with a dot. */
const lines = (errors: readonly FieldError[]): string[] => errors.map(({ field, message }) => `${field.slice(1)}: ${message}`);

function run(validator: Validator | undefined, toy: object): string[] {
  const out: FieldError[] = [];
  validator?.(toy, undefined, ruleContext(), undefined, out);
  return lines(out);
}

for (const { name, of, entry, spec, found } of rows)
  test(name, () =>
    withTree(
      ({ openapi, raw }) => {
        const { ToySpec } = openapi['toys/v1'].components.schemas;
        const stated = of === 'spec' ? ToySpec : ToySpec.properties.colour;
        stated['x-cluster-validations'] = of === 'spec' ? ['...', entry] : [entry];
        raw['runtime/kinds/toys/colours.ts'] = RULE;
      },
      async (tree) => {
        await tree.build();
        const { kinds }: Json = await tree.import('toys/v1/kinds.ts');
        const constraints = readConstraints(await tree.model());
        const interpreter = new Interpreter({
          constraints,
          rule: () => assert.unreachable('there are no rules'),
          scope: () => assert.unreachable('there are no scopes'),
          predicate: () => (colour: unknown) => colour !== 'grey',
          pattern: (source: string) => new RegExp(source),
        } as never);
        const toy = { metadata: {}, spec };
        const definition = [...constraints.keys()].find((key) => key.endsWith('.Toy')) as string;
        assert.equal(run(kinds.Toy.validators.object, toy), found);
        assert.equal(run(interpreter.validator(definition, 'object'), toy), found);
      },
    ),
  );

test.run();
