/** Extensions of the language that are in no environment of 1.32, and that the language's own tests are about. */
import type { Library } from '../environment/declarations.ts';
import { BINDING_MACROS } from '../syntax/bindings.ts';
import { twoVariableLibrary } from './comprehensions.ts';
import { encodersLibrary } from './encoders.ts';
import { mathLibrary } from './math/math.ts';
import { optionalsLibrary, optionalsOfLists } from './optionals.ts';
import { laterStringsLibrary } from './strings/strings.ts';

/** `cel.bind` */
const bindingsLibrary: Library = { name: 'cel.lib.ext.cel.bindings', since: Number.POSITIVE_INFINITY, macros: BINDING_MACROS };

export const EXTENSIONS: readonly Library[] = [
  bindingsLibrary,
  encodersLibrary,
  laterStringsLibrary,
  mathLibrary,
  optionalsLibrary,
  optionalsOfLists,
  twoVariableLibrary,
];
