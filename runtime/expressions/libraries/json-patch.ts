/** What expressions of mutating policies may use besides. */
import type { Library } from '../environment/declarations.ts';
import { STRING } from '../types/type.ts';
import { declared, plain } from './overloads.ts';
import { traversalUnits } from './standard/costs.ts';

/** A key as a part of a JSON pointer (RFC 6901). */
const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  since: Number.POSITIVE_INFINITY,
  functions: [
    declared('jsonpatch.escapeKey', [plain('string_jsonpatch_escapeKey_string', [STRING], STRING, escapeKey)], ([key]) =>
      traversalUnits(key),
    ),
  ],
};
