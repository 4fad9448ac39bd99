import { type Row, SPEC, spec, V1 } from './edits.ts';

const COLOUR = `${SPEC}.properties.colour`;

/** What is told of them in full is in `stated-values.test.ts`. */
export const statedValuesCases: readonly Row[] = [
  ['a default above the maximum', 'CS103', V1, COLOUR, (f) => Object.assign(spec(f).colour, { maxLength: 2, default: 'red' })],
  [
    'a default that a wrong pattern cannot tell',
    'CS024',
    V1,
    'components.schemas.ToySpec',
    (f) => Object.assign(spec(f).colour, { pattern: '(', default: 'red' }),
  ],
  ['an example above the maximum', 'CS104', V1, COLOUR, (f) => Object.assign(spec(f).colour, { maxLength: 2, example: 'red' })],
];
