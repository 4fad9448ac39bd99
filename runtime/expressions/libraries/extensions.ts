/** Extensions of the language that are in few environments of 1.32, or in none, and that the language's own tests are about. */
import type { Library } from '../environment/declarations.ts';
import { bindingsLibrary } from './bindings.ts';
import { twoVariableLibrary } from './comprehensions.ts';
import { encodersLibrary } from './encoders.ts';
import { mathLibrary } from './math/math.ts';
import { optionalsLibrary, optionalsOfLists } from './optionals.ts';
import { laterStringsLibrary } from './strings/strings.ts';

export const EXTENSIONS: readonly Library[] = [
  bindingsLibrary,
  encodersLibrary,
  laterStringsLibrary,
  mathLibrary,
  optionalsLibrary,
  optionalsOfLists,
  twoVariableLibrary,
];
