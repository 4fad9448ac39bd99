/**
 * Selectors of disruption budgets that v1 and v1beta1 read differently: `{}` picks every pod in v1 and none in v1beta1. Each version says
 * the other's meaning with a requirement on a label that no pod has.
 */
import type { LabelSelector } from '../../../generated/meta/v1/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';

export function markerLabel(identity: Identity): string {
  return identity.text('pdb.${labelDomain}/deprecated-v1beta1-empty-selector-match');
}

/** True for the selector that consists of one requirement on the label alone. */
export function isMarker(selector: LabelSelector | undefined, label: string, operator: 'Exists' | 'DoesNotExist'): boolean {
  if (selector === undefined || Object.keys(selector.matchLabels ?? {}).length > 0) return false;
  const requirements = selector.matchExpressions ?? [];
  const only = requirements[0];
  return requirements.length === 1 && only?.key === label && only.operator === operator && (only.values ?? []).length === 0;
}

export function marker(label: string, operator: 'Exists' | 'DoesNotExist'): LabelSelector {
  return { matchExpressions: [{ key: label, operator }] };
}

/** Takes the label out of a selector that a user has combined it with; changes `object`. */
export function dropMarker({ spec }: ApiObject, label: string): void {
  const selector: LabelSelector | undefined = spec?.selector;
  if (selector === undefined || isMarker(selector, label, 'Exists')) return;
  if (selector.matchLabels?.[label] !== undefined) {
    const { [label]: _dropped, ...kept } = selector.matchLabels;
    if (Object.keys(kept).length > 0) selector.matchLabels = kept;
    else delete selector.matchLabels;
  }
  const requirements = selector.matchExpressions ?? [];
  if (!requirements.some(({ key }) => key === label)) return;
  const kept = requirements.filter(({ key }) => key !== label);
  if (kept.length > 0) selector.matchExpressions = kept;
  else delete selector.matchExpressions;
}
