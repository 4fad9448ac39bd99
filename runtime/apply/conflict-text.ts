/** The texts of conflicts for clients. */
import { goQuote } from '../contract/go-quote.ts';
import { shownPath } from './field-set.ts';
import type { Manager } from './managers.ts';
import type { FieldConflict } from './ownership.ts';

export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  readonly message: string;
  /** such as `.spec.replicas` */
  readonly field: string;
}

export function conflictCauses(conflicts: readonly FieldConflict[]): ConflictCause[] {
  return conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${shownManager(manager)}`,
    field: shownPath(path),
  }));
}

/** @param conflicts at least one; those with the same manager must be adjacent */
export function conflictMessage(conflicts: readonly FieldConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${shownManager(first.manager)}: ${shownPath(first.path)}`;
  const lines: string[] = [];
  let last: Manager | undefined;
  for (const { manager, path } of conflicts) {
    if (manager !== last) lines.push(`conflicts with ${shownManager(manager)}:`);
    lines.push(`- ${shownPath(path)}`);
    last = manager;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function shownManager({ name, operation, apiVersion, subresource }: Manager): string {
  const through = subresource === '' ? '' : ` with subresource ${goQuote(subresource)}`;
  return `${goQuote(name)}${through}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
