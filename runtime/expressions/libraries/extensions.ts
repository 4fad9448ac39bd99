/** Extensions of CEL that few or no environments of 1.32 have, but that the conformance tests of CEL cover. */
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
