import { text } from '../../tree.ts';
import { converted, type Row, spec } from './edits.ts';

const BETA = 'schemas/toys/v1beta1/openapi.yaml';
const AT = 'components.schemas.Toy.x-cluster-conversion';

/** What these say in full, and what they say nothing of, is in `conversion-losses.test.ts`. */
export const conversionCases: readonly Row[] = [
  ['a member that the older version lacks', 'CS100', BETA, AT, (f) => (converted(f).loses = [])],
  [
    'a value that the older version lacks',
    'CS101',
    BETA,
    AT,
    (f) => {
      converted(f).loses = [{ path: 'spec.parts', reason: 'Toys had no parts.' }];
      spec(f).colour = text({ enum: ['red', 'blue'] });
      f.openapi['toys/v1beta1'].components.schemas.ToySpec.properties.colour = text({ enum: ['red'] });
    },
  ],
  [
    'values that a step makes one',
    'CS101',
    BETA,
    `${AT}.steps.0`,
    (f) => (converted(f).steps = [{ op: 'mapValues', path: 'spec.colour', values: { red: 'rouge', vermilion: 'rouge' } }]),
  ],
  ['a loss that is none', 'CS102', BETA, AT, (f) => converted(f).loses.push({ path: 'metadata.name', reason: 'Nobody knows.' })],
  ['a function that converts no member', 'CS045', BETA, AT, (f) => (converted(f).converts = ['spec.size'])],
];
