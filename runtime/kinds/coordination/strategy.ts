import { type FieldError, notSupported } from '../../contract/field-error.ts';
import { qualifiedName } from '../../formats/labels.ts';
import { NONE } from '../../validation/joined.ts';
import { invalidAs } from '../findings.ts';

/** The lease goes to the candidate that emulates the oldest version. */
const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

/**
 * How the holder of a lease is chosen: a name without slash is one of ours, any other is left to the controllers that know it. 1.32 repeats
 * the member's name in the path.
 */
export function strategy(name: string): readonly FieldError[] {
  if (name.includes('/')) return invalidAs(qualifiedName(name), '.strategy', name);
  return name === OLDEST_EMULATION_VERSION ? NONE : [notSupported('.strategy', name, [OLDEST_EMULATION_VERSION])];
}
