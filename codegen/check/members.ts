/** Finds the members of a struct as its JSON object has them, and the types to which paths lead. */
import type { PathStep } from '../../runtime/schema/json/json-path.ts';
import type { FieldModel, ModelData, StructModel, TypeUse } from '../model/model.ts';

/** A member of a struct's JSON object. */
export interface Member {
  readonly field: FieldModel;
  /** The struct that declares the member: an inline one, or the struct itself. */
  readonly owner: StructModel;
}

/** @returns the members of a struct. Those of an inline struct replace the inline field; a struct that is inline in itself is not repeated */
export function membersOf(model: ModelData, struct: StructModel, within: readonly StructModel[] = []): Member[] {
  return struct.fields.flatMap((field): Member[] => {
    if (!field.inline) return [{ field, owner: struct }];
    const inner = structOf(model, field.type);
    return inner === undefined || inner === struct || within.includes(inner) ? [] : membersOf(model, inner, [...within, struct]);
  });
}

/** @returns the struct that a use names; undefined if it names no struct, such as a list or a scalar */
export function structOf(model: ModelData, use: TypeUse): StructModel | undefined {
  const type = use.kind === 'named' ? model.types.get(use.definition) : undefined;
  return type?.kind === 'struct' ? type : undefined;
}

/**
 * @param name such as `Pod`
 * @returns undefined if the schemas have no such top-level kind
 */
export function findKind(model: ModelData, group: string, version: string, name: string): StructModel | undefined {
  for (const each of model.groupVersions) {
    const type = each.group === group && each.version === version ? each.types.find((one) => one.name === name) : undefined;
    if (type?.kind === 'struct' && type.topLevel) return type;
  }
  return undefined;
}

/**
 * Follows a path of member names, such as `spec.replicas`, through structs only.
 * @returns undefined if there is no such member
 */
export function memberAtPath(model: ModelData, struct: StructModel, path: string): Member | undefined {
  const [name, ...rest] = path.split('.');
  const member = membersOf(model, struct).find(({ field }) => field.name === name);
  if (member === undefined || rest.length === 0) return member;
  const inner = structOf(model, member.field.type);
  return inner === undefined ? undefined : memberAtPath(model, inner, rest.join('.'));
}

/**
 * Follows a path such as `.spec.replicas`, `spec.containers[*].name` or `metadata.labels.a`; the leading dot may be missing.
 * A key of a map always exists, and so does anything below a value of any form.
 * @returns the type to which the path leads; `anything` for a map's key and below a value of any form; undefined if there is no such member
 */
export function typeAtPath(model: ModelData, struct: StructModel, path: string): TypeUse | 'anything' | undefined {
  const steps = path
    .replace(/^\./, '')
    .replaceAll(/\[(\*|\d+)?\]/g, '.[]')
    .split('.');
  let at: TypeUse = { kind: 'named', definition: struct.definition };
  for (const step of steps) {
    if (at.kind === 'map') return 'anything';
    if (step === '[]') {
      if (at.kind !== 'list') return undefined;
      at = at.element;
      continue;
    }
    if (isFree(model, at)) return 'anything';
    const inner = structOf(model, at);
    const member = inner === undefined ? undefined : membersOf(model, inner).find(({ field }) => field.name === step);
    if (member === undefined) return undefined;
    at = member.field.type;
  }
  return at;
}

/** @returns the type at a JSONPath, as `typeAtPath` does; but a key of a map leads to the type of the map's values */
export function typeAtSteps(model: ModelData, from: TypeUse, steps: readonly PathStep[]): TypeUse | 'anything' | undefined {
  let at: TypeUse | undefined = from;
  for (const step of steps) {
    if (isFree(model, at)) return 'anything';
    at = step.kind === 'member' ? memberType(model, at, step.name) : elementType(at, step);
    if (at === undefined) return undefined;
    const element = at;
    if (step.kind === 'filter' && step.conditions.some(({ path }) => typeAtSteps(model, element, path) === undefined)) return undefined;
  }
  return isFree(model, at) ? 'anything' : at;
}

function memberType(model: ModelData, holder: TypeUse, name: string): TypeUse | undefined {
  if (holder.kind === 'map') return holder.value;
  const struct = structOf(model, holder);
  return struct && membersOf(model, struct).find(({ field }) => field.name === name)?.field.type;
}

function elementType(holder: TypeUse, { kind }: PathStep): TypeUse | undefined {
  if (holder.kind === 'list') return holder.element;
  return holder.kind === 'map' && kind !== 'element' ? holder.value : undefined;
}

const FREE = new Set(['rawExtension', 'fieldsV1', 'json', 'structOrBoolean', 'structOrList', 'structOrNames']);

function isFree(model: ModelData, use: TypeUse): boolean {
  if (use.kind === 'primitive') return FREE.has(use.scalar);
  const type = use.kind === 'named' ? model.types.get(use.definition) : undefined;
  return type?.kind === 'scalar' && FREE.has(type.scalar);
}
