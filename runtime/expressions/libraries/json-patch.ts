/** The function of JSON Pointer keys, which only expressions of mutating policies have. */
import { byFactor } from '../costs/ranges.ts';
import type { Library, Overload } from '../environment/declarations.ts';
import { STRING } from '../types/type.ts';
import { declared, plain } from './overloads.ts';
import { TRAVERSAL, traversalUnits } from './standard/costs.ts';

/** Escapes a key for a JSON Pointer (RFC 6901, section 3). */
const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const sameSize: Overload['estimate'] = ([key]) =>
  key === undefined ? undefined : { cost: byFactor(key.size, TRAVERSAL), resultSize: key.size };

export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  since: Number.POSITIVE_INFINITY,
  functions: [
    declared('jsonpatch.escapeKey', [
      plain('string_jsonpatch_escapeKey_string', [STRING], STRING, escapeKey, { cost: traversalUnits, estimate: sameSize }),
    ]),
  ],
};
