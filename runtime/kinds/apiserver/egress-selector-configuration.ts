import type { EgressSelection } from '../../../generated/apiserver/v1beta1/types.ts';
import { duplicate, type FieldError, notSupported } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';

const SELECTIONS = ['cluster', 'controlplane', 'etcd'];
/** Without its case; `master` is what `controlplane` was called. */
export const selectionOf = (name: string): string => (name === 'master' ? 'controlplane' : name.toLowerCase());
/** Names of known servers, each once. */
export function names(selections: readonly EgressSelection[]): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(selections, '', ({ name }, at) => {
    const canonical = selectionOf(name);
    if (!SELECTIONS.includes(canonical)) return [notSupported(`${at}.name`, name, SELECTIONS)];
    if (seen.has(canonical)) return [duplicate(`${at}.name`, name)];
    seen.add(canonical);
    return NONE;
  });
}
