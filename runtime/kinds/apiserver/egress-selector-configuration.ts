import type { EgressSelection } from '../../../generated/apiserver/v1beta1/types.ts';
import { duplicate, type FieldError, notSupported } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';

const SELECTIONS = ['cluster', 'controlplane', 'etcd'];

/** Names of known servers, each once; their case does not matter. */
export function names(selections: readonly EgressSelection[]): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(selections, '', ({ name }, at) => {
    const canonical = name.toLowerCase();
    if (!SELECTIONS.includes(canonical)) return [notSupported(`${at}.name`, name, SELECTIONS)];
    if (seen.has(canonical)) return [duplicate(`${at}.name`, name)];
    seen.add(canonical);
    return NONE;
  });
}
