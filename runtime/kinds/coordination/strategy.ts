import { type FieldError, invalid, notSupported } from '../../contract/field-error.ts';
import { qualifiedName } from '../../formats/labels.ts';

/** The lease goes to the candidate that emulates the oldest version. */
export const OLDEST_EMULATION_VERSION = 'OldestEmulationVersion';

/** How the holder of a lease is chosen: a name without slash is one of ours, any other is left to the controllers that know it. */
export function validateStrategy(strategy: string, path: string): FieldError[] {
  // 1.32 repeats the member's name in the path.
  const field = `${path}.strategy`;
  if (strategy.includes('/')) return qualifiedName(strategy).map((message) => invalid(field, strategy, message));
  return strategy === OLDEST_EMULATION_VERSION ? [] : [notSupported(field, strategy, [OLDEST_EMULATION_VERSION])];
}
