/** The flags of authorization, and which of them may be combined. */
import type { DelegatingServerFlags } from '../outbound/delegating-server.ts';

export interface AuthorizationFlags {
  readonly 'authorization-mode': readonly string[];
  readonly 'authorization-config': string;
  readonly 'authorization-policy-file': string;
  readonly 'authorization-webhook-config-file': string;
  readonly 'authorization-webhook-version': string;
  /** milliseconds */
  readonly 'authorization-webhook-cache-authorized-ttl': number;
  readonly 'authorization-webhook-cache-unauthorized-ttl': number;
}

/** Flags of an aggregated server, which asks another API server. */
export interface DelegationFlags extends DelegatingServerFlags {
  readonly 'delegated-authentication': boolean;
  readonly 'authorization-always-allow-paths': readonly string[];
}

/** Name, in metrics and errors, of the one service that flags can configure. */
export const FLAGS_WEBHOOK_NAME = 'default';

const MODES = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];
const EXCLUDED_BY_FILE = /^authorization-(mode|webhook-.*)$/;

/** Flags that name files, each with the mode that reads the file. */
const FILES = [
  ['ABAC', 'authorization-policy-file', 'authorization policy file'],
  ['Webhook', 'authorization-webhook-config-file', 'authorization config file'],
] as const;

/**
 * @param given names of the flags on the command line
 * @throws Error that names the flags that are wrong
 */
export function checkAuthorizationFlags(flags: AuthorizationFlags, given: ReadonlySet<string>): void {
  if (flags['authorization-config'] !== '') {
    if ([...given].some((name) => EXCLUDED_BY_FILE.test(name)))
      throw new Error(
        '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
      );
    return;
  }
  const modes = flags['authorization-mode'];
  checkModes(modes);
  for (const [mode, flag, file] of FILES) {
    if (modes.includes(mode) && flags[flag] === '') throw new Error(`authorization-mode ${mode}'s ${file} not passed: --${flag} is needed`);
    if (!modes.includes(mode) && flags[flag] !== '') throw new Error(`cannot specify --${flag} without mode ${mode}`);
  }
  const version = flags['authorization-webhook-version'];
  if (version !== 'v1' && version !== 'v1beta1')
    throw new Error(`--authorization-webhook-version: ${JSON.stringify(version)} is neither v1 nor v1beta1`);
}

function checkModes(modes: readonly string[]): void {
  if (modes.length === 0) throw new Error('at least one authorization-mode must be passed');
  const unknown = modes.find((mode) => !MODES.includes(mode));
  if (unknown !== undefined)
    throw new Error(`authorization-mode ${JSON.stringify(unknown)} is not a valid mode: it is none of ${MODES.join(', ')}`);
  const repeated = modes.find((mode, index) => modes.indexOf(mode) !== index);
  if (repeated !== undefined) throw new Error(`authorization-mode ${JSON.stringify(repeated)} has mode specified more than once`);
}
