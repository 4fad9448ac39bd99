/** Makes the counters of uses of service account tokens, which have the names of 1.32. */
import type { Count, Metrics } from '../../observability/metrics.ts';

/**
 * The kind of a use. `valid` and `stale` are uses of requested tokens whose life was extended: before and after the time at which they should have been
 * replaced. The others are uses of tokens in secrets: `generated` of a secret that a controller has made, `manual` of any other one, `shutOut` of one that is
 * marked invalid.
 */
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
