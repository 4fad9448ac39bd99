/** Checks that generated code can bear the names of types and members, and that no two of them are taken for one. */

import type { GroupVersion, StructModel } from '../model/model.ts';
import { foldName } from '../model/protobuf-names.ts';
import type { CheckContext } from './check-context.ts';
import { membersOf } from './members.ts';
import { placeOf } from './places.ts';

/** Globals that generated validators use: a type of such a name would hide one. */
const RESERVED_TYPES = new Set([
  'Array',
  'Boolean',
  'Error',
  'Function',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Record',
  'RegExp',
  'Set',
  'String',
  'Symbol',
]);

export function checkNames({ model, report }: CheckContext): void {
  for (const groupVersion of model.groupVersions) {
    checkTypeNames(groupVersion, report);
    for (const type of groupVersion.types) if (type.kind === 'struct') checkMemberNames(groupVersion, type, { model, report });
  }
}

function checkTypeNames(groupVersion: GroupVersion, report: CheckContext['report']): void {
  const folded = new Map<string, string>();
  for (const type of groupVersion.types) {
    const at = placeOf(groupVersion, type);
    if (!/^[A-Z][A-Za-z0-9]*$/.test(type.name)) report('CS016', at, `${type.name} is no name for a type.`);
    else if (type.kind === 'struct' && RESERVED_TYPES.has(type.name))
      report('CS016', at, `${type.name} is a word of the generated language.`, 'Choose another name.');
    const other = folded.get(type.name.toLowerCase());
    if (other !== undefined) report('CS017', at, `${type.name} and ${other} differ in case alone.`);
    folded.set(type.name.toLowerCase(), type.name);
  }
}

function checkMemberNames(
  groupVersion: GroupVersion,
  struct: StructModel,
  { model, report }: Pick<CheckContext, 'model' | 'report'>,
): void {
  const exact = new Map<string, string>();
  const folded = new Map<string, string>();
  for (const { field, owner } of membersOf(model, struct)) {
    const at = placeOf(groupVersion, struct, field.name);
    if (field.name === '__proto__' || field.name === '')
      report('CS016', at, `${JSON.stringify(field.name)} is no name for a member.`, 'Choose another name.');
    const other = exact.get(field.name);
    if (other !== undefined) report('CS017', at, `${owner.name} and ${other} both give ${struct.name} a member ${field.name}.`);
    const similar = owner === struct && !field.typeMeta ? folded.get(foldName(field.name)) : undefined;
    if (similar !== undefined && other === undefined) report('CS017', at, `${field.name} and ${similar} are one name in protobuf.`);
    exact.set(field.name, owner.name);
    if (owner === struct) folded.set(foldName(field.name), field.name);
  }
}
