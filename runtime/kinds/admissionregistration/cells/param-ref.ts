import type { CellFunction } from '../../../contract/table.ts';
import type { Struct } from '../../struct.ts';

/** Name of a policy's parameters, or which are meant. */
export const cell: CellFunction = ({ spec }) => {
  const { name, namespace, selector } = spec?.paramRef ?? {};
  if (name) return namespace ? `${namespace}/${name}` : name;
  return selector === undefined ? '' : goSelector(selector);
};

/** A selector as Go prints the protobuf message. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: Struct): string {
  const labels = Object.keys(matchLabels).sort();
  const pairs = labels.map((key) => `${key}: ${matchLabels[key]},`).join('');
  const requirements = matchExpressions.map(
    ({ key, operator, values = [] }: Struct) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${pairs}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
}
