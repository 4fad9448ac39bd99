import type { ValidatingAdmissionPolicyBinding } from '../../../../generated/admissionregistration/v1/types.ts';
import type { LabelSelector } from '../../../../generated/meta/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';

/** Name of a policy's parameters with their namespace, `*` where the binding names none, or which are meant. Bindings of mutating policies have them as well. */
export const cell: CellFunction<ValidatingAdmissionPolicyBinding> = ({ spec }) => {
  const { name, namespace, selector } = spec?.paramRef ?? {};
  if (name) return `${namespace || '*'}/${name}`;
  return selector === undefined ? '' : goSelector(selector);
};

/** A selector as Go prints the protobuf message. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels).sort();
  const pairs = labels.map((key) => `${key}: ${matchLabels[key]},`).join('');
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}
