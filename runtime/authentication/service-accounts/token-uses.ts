/** How often tokens of each kind were used, counted under the names of 1.32. */
import type { Count, Metrics } from '../../observability/metrics.ts';

/** `stale`: used longer than it should be; `generated`: of a secret that a controller has made; `shutOut`: of one that is marked invalid. */
export type TokenUse = 'valid' | 'stale' | 'generated' | 'manual' | 'shutOut';

export function tokenUses(metrics: Metrics): Readonly<Record<TokenUse, Count>> {
  const count = (name: string) => metrics.counter(`serviceaccount_${name}_total`).with({});
  return {
    valid: count('valid_tokens'),
    stale: count('stale_tokens'),
    generated: count('legacy_auto_token_uses'),
    manual: count('legacy_manual_token_uses'),
    shutOut: count('invalid_legacy_auto_token_uses'),
  };
}
