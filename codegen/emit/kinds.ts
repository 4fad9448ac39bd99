/** Writes `kinds.ts`: the module of a group version, which ties its generated parts together. */

import type { Constraints } from '../model/constraints/constraints.ts';
import type { GroupVersion, Model, StructModel } from '../model/model.ts';
import { schemaHash } from './schema-hash.ts';
import { byName, header, literal, relativeImport, render, schemaSources } from './typescript.ts';

export function emitKinds(model: Model, groupVersion: GroupVersion, constraints: Constraints): string {
  const kinds = groupVersion.types
    .filter((type): type is StructModel => type.kind === 'struct' && type.topLevel)
    .sort(byName)
    .map((kind) => ({ name: kind.name, members: kindMembers(model, groupVersion, kind, ofModules(kind, constraints)) }));
  return render('kinds.ts.hbs', {
    header: header(...schemaSources(groupVersion)),
    contract: relativeImport(`generated/${groupVersion.folder}`, 'runtime/contract/kind.ts'),
    modules: ['conversions', 'descriptors', 'tables', 'validators'].filter((module) =>
      kinds.some((kind) => kind.members.some((member) => member.includes(` ${module}.`))),
    ),
    kinds,
  });
}

/** Expressions for the parts of a kind that stand in other modules. */
interface KindParts {
  readonly type: string;
  readonly table: string;
  readonly conversion: string;
  /** Whether the module of validators has any for the kind. */
  readonly validators: boolean;
}

const ofModules = ({ name, definition }: StructModel, constraints: Constraints): KindParts => ({
  type: `descriptors.${name}`,
  table: `tables.${name}`,
  conversion: `conversions.${name}`,
  validators: constraints.has(definition),
});

/** @returns the members of the kind's `KindData`, as text */
export function kindMembers(model: Model, groupVersion: GroupVersion, kind: StructModel, parts: KindParts): string[] {
  const lines = [
    `type: ${parts.type}`,
    `schemaHash: ${hex(schemaHash(model, groupVersion, kind))}`,
    `lifecycle: ${literal(kind.lifecycle)}`,
  ];
  if (kind.list !== undefined) lines.push(`list: ${literal(kind.list)}`);
  if (parts.validators) lines.push(`validators: validators.${kind.name}`);
  if (kind.table !== undefined) lines.push(`table: ${parts.table}`);
  if (kind.conversion !== undefined) lines.push(`conversion: ${parts.conversion}`);
  if (kind.rules !== undefined) lines.push(`rules: ${literal(kind.rules)}`);
  return lines;
}

function hex(hash: number): string {
  return `0x${hash.toString(16).padStart(8, '0')}`;
}
