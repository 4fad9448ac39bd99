import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';

const ENFORCE = '${labelDomain}/enforce-mountable-secrets';

/** Secrets of an account are in its own namespace: nothing of a reference counts but the name. */
function keepNames(object: ApiObject): void {
  for (const reference of (object.secrets ?? []) as Struct[])
    for (const member of Object.keys(reference)) if (member !== 'name') delete reference[member];
}

export const rules: KindRules = {
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
  warnings({ metadata }, _old, context) {
    const key = context.text(ENFORCE);
    if (metadata.annotations?.[key] === undefined) return [];
    return [`metadata.annotations[${key}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`];
  },
};
