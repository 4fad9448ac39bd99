/**
 * The environment of device selectors: the type of a device, and the limits of the sizes of its parts
 * (dynamic-resource-allocation/cel/compile.go of 1.32).
 */
import type { SizeAt } from '../costs/estimate.ts';
import { Environment } from '../environment/environment.ts';
import { ANY, mapOf, STRING, struct, type Type } from '../types/type.ts';
import { bindingsLibrary } from './bindings.ts';
import { kubernetesLibraries, NEW_EXPRESSIONS } from './kubernetes.ts';
import { QUANTITY } from './quantity/quantity-value.ts';
import { deviceSemverLibrary } from './semver.ts';

const VARIABLE = 'device';

const DEVICE: Type = struct('kubernetes.DRADevice', {
  driver: STRING,
  attributes: mapOf(STRING, mapOf(STRING, ANY)),
  capacity: mapOf(STRING, mapOf(STRING, QUANTITY)),
});

export function deviceEnvironment(): Environment {
  return new Environment({
    libraries: [...kubernetesLibraries(NEW_EXPRESSIONS), deviceSemverLibrary, bindingsLibrary],
    mixedLiterals: true,
    variables: { [VARIABLE]: DEVICE },
  });
}

/** Limit of the characters of a text, or of the entries of a map. */
interface Sized {
  readonly size: bigint;
  readonly keys?: Sized;
  readonly values?: Sized;
  /** limits of entries with a certain name */
  readonly member?: (name: string) => Sized | undefined;
}

/** most attributes, or capacities, of a device */
const MOST_PROPERTIES = 32n;
const DOMAIN: Sized = { size: 63n };
const IDENTIFIER: Sized = { size: 32n };
const ATTRIBUTE: Sized = { size: 64n };
const CAPACITY: Sized = { size: 0n };
/** In 1.32, an attribute that is selected by name has the limit of any attribute, while a capacity has no known size. */
const ATTRIBUTES: Sized = { size: MOST_PROPERTIES, keys: IDENTIFIER, values: ATTRIBUTE, member: () => ATTRIBUTE };
const CAPACITIES: Sized = { size: MOST_PROPERTIES, keys: IDENTIFIER, values: CAPACITY };
const PARTS = new Map<string, Sized>([
  ['driver', DOMAIN],
  ['attributes', { size: MOST_PROPERTIES, keys: DOMAIN, values: ATTRIBUTES }],
  ['capacity', { size: MOST_PROPERTIES, keys: DOMAIN, values: CAPACITIES }],
]);
const WHOLE: Sized = { size: 0n, member: (name) => PARTS.get(name) };

export const deviceSizes: SizeAt = (path) => {
  const [root, ...parts] = path ?? [];
  let at = root === VARIABLE ? WHOLE : undefined;
  for (const part of parts) {
    if (part === '@values' || part === '@items') at = at?.values;
    else at = part === '@keys' ? at?.keys : at?.member?.(part);
  }
  return at && { min: 0n, max: at.size };
};
