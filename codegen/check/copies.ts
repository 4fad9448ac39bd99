/** Checks that a type that is the same in two versions of a group is stated once: the schema of the older version refers to that of the newer one. */

import { versionPriority } from '../../runtime/contract/version-priority.ts';
import type { FieldModel, GroupVersion, StructModel, TypeUse } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { placeOf } from './places.ts';

interface Statement {
  readonly groupVersion: GroupVersion;
  readonly struct: StructModel;
}

export function checkCopies({ model: { all }, report }: CheckContext): void {
  const groups = Map.groupBy(all.groupVersions, ({ group, files }) => `${files} ${group}`);
  for (const versions of groups.values()) {
    const newestFirst = versions.toSorted((a, b) => versionPriority(b.version) - versionPriority(a.version));
    const statements = newestFirst.flatMap((groupVersion) => statedIn(groupVersion));
    for (const same of Map.groupBy(statements, ({ struct }) => struct.name).values())
      for (const [index, older] of same.entries()) {
        const newer = same.slice(0, index).find((each) => isCopy(older, each));
        if (newer !== undefined) {
          const at = placeOf(older.groupVersion, older.struct);
          report('CS085', at, `${older.struct.name} is a copy of that of ${newer.groupVersion.version}.`);
        }
      }
  }
}

function statedIn(groupVersion: GroupVersion): Statement[] {
  // The model has only the first members of structural kinds, so it cannot tell whether two are the same.
  if (groupVersion.structural !== undefined) return [];
  return groupVersion.types.flatMap((struct) =>
    struct.kind === 'struct' && struct.statedAt === undefined ? [{ groupVersion, struct }] : [],
  );
}

/** Numbers are those of each version's message, and lifecycles and conversions each version's own. Descriptions may be worded differently. */
function isCopy(older: Statement, newer: Statement): boolean {
  const own = new Set(older.groupVersion.types.map(({ name }) => name));
  const { package: from } = newer.groupVersion;
  /** The type to which a reference of the newer version's schema leads if the older version refers to that schema. */
  const resolved = (definition: string): string => {
    const name = definition.slice(from.length + 1);
    return definition === `${from}.${name}` && own.has(name) ? `${older.groupVersion.package}.${name}` : definition;
  };
  return shapeOf(older.struct, (definition) => definition) === shapeOf(newer.struct, resolved);
}

type Resolve = (definition: string) => string;

function shapeOf(struct: StructModel, resolve: Resolve): string {
  const {
    definition: _definition,
    folder: _folder,
    description: _description,
    lifecycle: _lifecycle,
    conversion: _conversion,
    ...others
  } = struct;
  const { reserved: _reserved, list: _list, since: _since, until: _until, fields, ...compared } = others;
  return JSON.stringify([compared, fields.map((field) => fieldShape(field, resolve))]);
}

function fieldShape({ description: _description, number: _number, before, type, ...others }: FieldModel, resolve: Resolve): unknown {
  const forms = before?.map(({ until, field }) => [until, fieldShape(field, resolve)]);
  return [sorted(others), forms, useShape(type, resolve)];
}

function useShape(use: TypeUse, resolve: Resolve): unknown {
  if (use.kind === 'named') return [resolve(use.definition), use.ownership];
  if (use.kind === 'primitive') return sorted(use);
  return [use.kind, use.typeName, use.ownership, useShape(use.kind === 'list' ? use.element : use.value, resolve)];
}

function sorted(members: object): [string, unknown][] {
  return Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));
}
