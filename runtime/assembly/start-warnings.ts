/** What the log has of flags and feature gates that were given, once for each start. */
import { chosenGates } from './chosen-gates.ts';
import type { Setup } from './setup.ts';

/** What goes is told unless --deprecation-warnings=false (specification: Deprecation rules 6 and 10). @throws Error for gates that cannot be set so */
export function startWarnings({ values, warnings, deprecations }: Setup['parsed']): string[] {
  const gates = chosenGates(values).warnings;
  return [...(values['deprecation-warnings'] ? [...deprecations, ...gates] : []), ...warnings];
}
