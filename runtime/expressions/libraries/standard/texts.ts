/** Functions of texts and sizes. */
import type { FunctionDeclaration, Overload } from '../../environment/declarations.ts';
import { BOOL, BYTES, INT, listOf, mapOf, parameter, STRING, type Type } from '../../types/type.ts';
import { costSize } from '../../values/describe.ts';
import { ErrorValue, type Value } from '../../values/value.ts';
import { compilePattern, finderOf, statedPattern } from '../patterns.ts';
import { containsUnits, matchUnits, traversalUnits } from './costs.ts';
import { containment, match, traversalOf } from './estimates.ts';

const member = (
  id: string,
  run: (text: string, other: string) => Value,
  rest: Pick<Overload, 'cost' | 'estimate' | 'specialize'>,
): FunctionDeclaration['overloads'] => [{ id, member: true, parameters: [STRING, STRING], result: BOOL, run, ...rest }];

export function matches(text: string, pattern: string): Value {
  const compiled = compilePattern(pattern);
  return compiled instanceof ErrorValue ? compiled : compiled.matcher(text).find();
}

/** compiles a constant pattern once */
const matchingStated = statedPattern((compiled) => finderOf(compiled));

const SIZED: readonly (readonly [name: string, type: Type])[] = [
  ['bytes', BYTES],
  ['list', listOf(parameter('A'))],
  ['map', mapOf(parameter('A'), parameter('B'))],
  ['string', STRING],
];
const size = (value: Value): Value => BigInt(costSize(value));

export const textFunctions: readonly FunctionDeclaration[] = [
  {
    name: 'size',
    takers: ['bytes', 'list', 'map'],
    overloads: [
      ...SIZED.map(([name, type]) => ({ id: `size_${name}`, parameters: [type], result: INT, run: size })),
      ...SIZED.map(([name, type]) => ({ id: `${name}_size`, member: true, parameters: [type], result: INT, run: size })),
    ],
  },
  {
    name: 'contains',
    takers: 'any',
    overloads: member('contains_string', (text, part) => text.includes(part), { cost: containsUnits, estimate: containment }),
  },
  {
    name: 'endsWith',
    takers: 'any',
    overloads: member('ends_with_string', (text, part) => text.endsWith(part), { cost: traversalUnits, estimate: traversalOf(1) }),
  },
  {
    name: 'startsWith',
    takers: 'any',
    overloads: member('starts_with_string', (text, part) => text.startsWith(part), { cost: traversalUnits, estimate: traversalOf(1) }),
  },
  {
    name: 'matches',
    takers: [],
    overloads: [
      { id: 'matches', parameters: [STRING, STRING], result: BOOL, run: matches, specialize: matchingStated },
      ...member('matches_string', matches, { cost: matchUnits, estimate: match, specialize: matchingStated }),
    ],
  },
];
