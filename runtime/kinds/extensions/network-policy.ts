import type { KindRules } from '../../contract/kind.ts';
import { defaultPolicyTypes } from '../networking/network-policy.ts';

/** Of the removed version; all else is checked in the stored one. */
export const rules: KindRules = { defaults: defaultPolicyTypes };
