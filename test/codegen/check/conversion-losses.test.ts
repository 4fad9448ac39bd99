/** What the check of conversions says of two versions that differ. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Json, list, own, struct, text, withTree } from '../tree.ts';
import { converted } from './cases/edits.ts';

const losses = suite('losses of conversions');

/** Members besides `colour`, which both versions have, in the spec of v1 and in that of v1beta1. */
interface Specs {
  readonly hub?: Json;
  readonly beta?: Json;
  readonly conversion?: Json;
}

const integer = (more: Json = {}): Json => ({ description: 'A number.', type: 'integer', format: 'int32', ...more });
const integer64 = integer({ format: 'int64' });
const pointer = { 'x-cluster-pointer': true };
const map = { description: 'A map.', type: 'object', additionalProperties: { type: 'string' } };
const only = (...values: string[]): Json => text({ enum: values });
const rename = (from: string, to: string): Json => ({ op: 'rename', from: `spec.${from}`, to: `spec.${to}` });
const loss = (path: string): Json => ({ path, reason: 'Nobody misses it.' });

const rows: [name: string, specs: Specs, found: string[]][] = [
  ['of versions that are the same are none', { hub: { size: integer() }, beta: { size: integer() } }, []],
  ['of a member that only the hub has', { hub: { size: integer() } }, ['CS100: Toy of toys/v1beta1 lacks spec.size of Toy of toys/v1.']],
  ['of a member that the hub lacks', { beta: { size: integer() } }, ['CS100: Toy of toys/v1 lacks spec.size of Toy of toys/v1beta1.']],
  [
    'of a member that is renamed are none',
    { hub: { size: integer() }, beta: { height: integer() }, conversion: { steps: [rename('height', 'size')] } },
    [],
  ],
  [
    'of a renamed member whose type is another',
    { hub: { size: text() }, beta: { height: integer() }, conversion: { steps: [rename('height', 'size')] } },
    [
      'CS100: Toy of toys/v1 has another type for spec.height of Toy of toys/v1beta1.',
      'CS100: Toy of toys/v1beta1 has another type for spec.size of Toy of toys/v1.',
    ],
  ],
  [
    'of a struct whose members are all moved are none',
    {
      hub: { size: integer(), span: integer() },
      beta: { body: own('Body') },
      conversion: { steps: [rename('body.height', 'size'), rename('body.width', 'span')] },
    },
    [],
  ],
  [
    'of the member of a struct that no step moves',
    { hub: { size: integer() }, beta: { body: own('Body') }, conversion: { steps: [rename('body.width', 'size')] } },
    ['CS100: Toy of toys/v1 lacks spec.body.height of Toy of toys/v1beta1.'],
  ],
  [
    'of members of elements',
    { hub: { bodies: list(own('Part')) }, beta: { bodies: list(own('Body')) } },
    [
      'CS100: Toy of toys/v1 lacks spec.bodies.height of Toy of toys/v1beta1.',
      'CS100: Toy of toys/v1 lacks spec.bodies.width of Toy of toys/v1beta1.',
      'CS100: Toy of toys/v1beta1 lacks spec.bodies.name of Toy of toys/v1.',
    ],
  ],
  [
    'of what an annotation keeps are none',
    { hub: { size: integer() }, conversion: { steps: [{ op: 'keepInAnnotation', path: 'spec.size', annotation: 'toys/size' }] } },
    [],
  ],
  [
    'of what an annotation keeps on the other way',
    { beta: { size: integer() }, conversion: { steps: [{ op: 'keepInAnnotation', path: 'spec.size', annotation: 'toys/size' }] } },
    ['CS100: Toy of toys/v1 lacks spec.size of Toy of toys/v1beta1.'],
  ],
  ['of what the function converts are none', { hub: { size: integer() }, conversion: { converts: ['spec.size'] } }, []],
  [
    'of what is below of what the function converts are none',
    { hub: { bodies: list(own('Part')) }, beta: { bodies: list(own('Body')) }, conversion: { converts: ['spec.bodies'] } },
    [],
  ],
  ['that are stated are meant', { hub: { size: integer() }, conversion: { loses: [loss('spec.parts'), loss('spec.size')] } }, []],
  [
    'that are stated, and none',
    { hub: { size: integer() }, beta: { size: integer() }, conversion: { loses: [loss('spec.parts'), loss('spec.size')] } },
    ['CS102: Nothing of spec.size is lost.'],
  ],
  [
    'of zero, where only one version tells it from absent',
    { hub: { size: integer() }, beta: { size: integer(pointer) } },
    ['CS100: Toy of toys/v1 does not tell zero from absent in spec.size of Toy of toys/v1beta1.'],
  ],
  [
    'of digits',
    { hub: { size: integer() }, beta: { size: integer64 } },
    ['CS100: Toy of toys/v1 has another type for spec.size of Toy of toys/v1beta1.'],
  ],
  [
    'of a list that is a map',
    { hub: { sizes: list({ type: 'string' }) }, beta: { sizes: map } },
    [
      'CS100: Toy of toys/v1 has another type for spec.sizes of Toy of toys/v1beta1.',
      'CS100: Toy of toys/v1beta1 has another type for spec.sizes of Toy of toys/v1.',
    ],
  ],
  [
    'of values',
    { hub: { form: only('round', 'oval') }, beta: { form: only('round', 'square') } },
    [
      'CS101: spec.form of Toy of toys/v1 is never square, as in Toy of toys/v1beta1.',
      'CS101: spec.form of Toy of toys/v1beta1 is never oval, as in Toy of toys/v1.',
    ],
  ],
  [
    'of values of an open set are none',
    { hub: { form: { ...only('round'), 'x-cluster-open': true } }, beta: { form: only('round', 'oval') } },
    [],
  ],
  [
    'of values that a step maps are none',
    {
      hub: { form: only('Round', 'oval') },
      beta: { form: only('round', 'oval') },
      conversion: { steps: [{ op: 'mapValues', path: 'spec.form', values: { round: 'Round' } }] },
    },
    [],
  ],
  [
    'of values that a step maps to none',
    {
      hub: { form: only('Round') },
      beta: { form: only('round') },
      conversion: { steps: [{ op: 'mapValues', path: 'spec.form', values: { round: 'Rund' } }] },
    },
    [
      'CS101: spec.form of Toy of toys/v1 is never Rund.',
      'CS101: spec.form of Toy of toys/v1 is never round, as in Toy of toys/v1beta1.',
      'CS101: spec.form of Toy of toys/v1beta1 is never Round, as in Toy of toys/v1.',
    ],
  ],
];

const CODES = ['CS100', 'CS101', 'CS102'];

for (const [name, { hub = {}, beta = {}, conversion = {} }, found] of rows)
  losses(name, () =>
    withTree(
      (f) => {
        for (const [folder, members] of [
          ['toys/v1', hub],
          ['toys/v1beta1', beta],
        ] as const) {
          const { schemas } = f.openapi[folder].components;
          Object.assign(schemas.ToySpec.properties, members);
          schemas.Part = struct({ name: text() });
          schemas.Body = struct({ height: integer(), width: integer() });
        }
        Object.assign(converted(f), { loses: [loss('spec.parts')] }, conversion);
      },
      async (tree) => {
        const { errors } = await tree.generate();
        const told = errors.filter(({ code }) => CODES.includes(code)).map(({ code, problem }) => `${code}: ${problem}`);
        assert.equal(told.sort(), found);
      },
    ),
  );

losses('of what files say are those towards the newest version', () =>
  withTree(
    (f) => {
      for (const folder of ['toys/v1', 'toys/v1beta1']) {
        const document = f.openapi[folder];
        document['x-cluster-group-version'].files = true;
        delete document['x-cluster-resources'];
        delete f.proto[folder];
      }
      converted(f).loses = [];
    },
    async (tree) => assert.equal((await tree.generate()).errors, []),
  ),
);

losses('of one release are told with it', () =>
  withTree(
    (f) => {
      converted(f).loses = [loss('spec.parts')];
      f.openapi['toys/v1'].components.schemas.ToySpec.properties.size = integer({ 'x-cluster-until': '1.20', 'x-cluster-number': 3 });
    },
    async (tree) => {
      const told = (await tree.generate()).errors.filter(({ code }) => CODES.includes(code)).map(({ problem }) => problem);
      assert.is(told.length, 1);
      assert.match(told[0] as string, /^In 1\.\d+: Toy of toys\/v1beta1 lacks spec\.size of Toy of toys\/v1\.$/);
    },
  ),
);
losses.run();
