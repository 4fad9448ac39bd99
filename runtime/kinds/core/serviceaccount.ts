import type { ObjectReference, ServiceAccount } from '../../../generated/core/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';

const ENFORCE = '${labelDomain}/enforce-mountable-secrets';

/** Secrets of an account are in its own namespace: nothing of a reference counts but the name. */
function keepNames(account: ServiceAccount): void {
  for (const reference of account.secrets ?? [])
    for (const member of Object.keys(reference) as (keyof ObjectReference)[]) if (member !== 'name') delete reference[member];
}

export const rules: KindRules<ServiceAccount> = {
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
  warnings({ metadata }, old, context) {
    const key = context.text(ENFORCE);
    if (metadata.annotations?.[key] === undefined || old?.metadata.annotations?.[key] !== undefined) return [];
    return [`metadata.annotations[${key}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`];
  },
};
