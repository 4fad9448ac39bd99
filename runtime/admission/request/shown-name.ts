import type { AdmissionAttributes } from './attributes.ts';

/** The name of what is asked about; of an object that gets its name later, what it begins with. 1.32 knows none of what is deleted with a collection. */
export function shownName({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
}
