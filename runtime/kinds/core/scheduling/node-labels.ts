/** Labels of nodes that have a new name. */
import type { NodeSelectorTerm } from '../../../../generated/core/v1/types.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';

const RENAMED: readonly { readonly key: string; readonly since: string; readonly now: string }[] = [
  { key: 'beta.${labelDomain}/arch', since: 'v1.14', now: '${labelDomain}/arch' },
  { key: 'beta.${labelDomain}/os', since: 'v1.14', now: '${labelDomain}/os' },
  { key: 'failure-domain.beta.${labelDomain}/region', since: 'v1.17', now: 'topology.${labelDomain}/region' },
  { key: 'failure-domain.beta.${labelDomain}/zone', since: 'v1.17', now: 'topology.${labelDomain}/zone' },
  { key: 'beta.${labelDomain}/instance-type', since: 'v1.17', now: 'node.${labelDomain}/instance-type' },
];

/** The label's name of today; undefined for one that was never renamed. */
export function renamedLabel(key: string, context: RuleContext): string | undefined {
  const entry = RENAMED.find((label) => context.text(label.key) === key);
  return entry === undefined ? undefined : context.text(entry.now);
}

/** @param beginning of the sentence: the path, as the caller words it */
export function deprecatedLabelWarning(key: string, beginning: string, context: RuleContext): string[] {
  const entry = RENAMED.find((label) => context.text(label.key) === key);
  if (entry === undefined) return [];
  return [`${beginning}deprecated since ${entry.since}; use ${JSON.stringify(context.text(entry.now))} instead`];
}

/** @param term of a node selector */
export function deprecatedTermWarnings({ matchExpressions = [] }: NodeSelectorTerm, path: string, context: RuleContext): string[] {
  return matchExpressions.flatMap(({ key = '' }, index) =>
    deprecatedLabelWarning(key, `${path}.matchExpressions[${index}].key: ${key} is `, context),
  );
}
