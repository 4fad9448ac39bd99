import type { Library } from '../../environment/declarations.ts';
import { STANDARD_MACROS } from '../../syntax/standard-macros.ts';
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, mapOf, NULL, opaque, STRING, TIMESTAMP, UINT } from '../../types/type.ts';
import { conversions } from './conversions.ts';
import { operators, plannedOperators } from './operators.ts';
import { textFunctions } from './texts.ts';
import { timeFunctions } from './time.ts';

/** The type of types, of which nothing is known. */
const TYPE = opaque('type');

/** The declarations of every environment (language definition of CEL, section List of Standard Definitions). */
export const standardLibrary: Library = {
  name: 'standard',
  since: 0,
  functions: [...operators, ...plannedOperators, ...textFunctions, ...conversions, ...timeFunctions],
  macros: STANDARD_MACROS,
  types: [BOOL, BYTES, DOUBLE, DURATION, INT, listOf(DYN), mapOf(DYN, DYN), NULL, STRING, TIMESTAMP, TYPE, UINT],
};
