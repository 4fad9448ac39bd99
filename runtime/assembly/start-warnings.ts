/** Warnings of a start about flags, feature gates, the server's own keys, and who can reach its files. Each is logged once. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exposedKeys, replacedKeys } from '../server/certificates/own-key-warnings.ts';
import { certificateFolder } from '../server/listener/serving-certificates.ts';
import { chosenGates } from './setup/chosen-gates.ts';
import type { Flags } from './setup/flags.ts';
import type { Setup } from './setup/setup.ts';
import { exposedData } from './store/exposed-data.ts';
import { ADMINISTRATORS_CONFIGURATION } from './store/store-folder.ts';

/**
 * Deprecation warnings are left out if --deprecation-warnings=false (deprecation policy, rules 6 and 10).
 * @throws Error for feature gates that cannot be set so
 */
export function startWarnings({ values, warnings, deprecations }: Setup['parsed']): string[] {
  const gates = chosenGates(values).warnings;
  return [...(values['deprecation-warnings'] ? [...deprecations, ...gates] : []), ...warnings];
}

/** Flags that name the keys by which tokens are signed. */
const TOKEN_KEYS = [
  'service-account-signing-key-file',
  'service-account-key-file',
  'service-account-signing-endpoint',
  'tls-private-key-file',
] as const;

/** Of the files that a server has left. Must be called before missing keys are made, because it looks which ones are missing. */
export function fileWarnings(flags: Flags, directory: string): string[] {
  const folder = certificateFolder(flags, directory);
  const hasGivenTokenKey = TOKEN_KEYS.some((flag) => flags[flag].length > 0);
  const isFirstStart = !existsSync(join(directory, ADMINISTRATORS_CONFIGURATION));
  const replaced = isFirstStart ? [] : replacedKeys(folder, (name) => name === 'service-account' && hasGivenTokenKey);
  return [...exposedData(directory, folder), ...exposedKeys(folder), ...replaced];
}
