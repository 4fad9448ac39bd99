/**
 * Makes a hash of everything that shapes the stored form of a kind: its members and theirs, their order, markers and defaults, the version that is stored and
 * the
 * way there. An object that was stored under another hash is decoded and encoded again before it is served.
 */
import { defaultRulesOf } from '../model/default-rules.ts';
import type { GroupVersion, Model, StructModel, TypeUse } from '../model/model.ts';
import { namedIn } from '../model/uses.ts';

/** @returns an unsigned integer of 32 bits */
export function schemaHash(model: Model, groupVersion: GroupVersion, kind: StructModel): number {
  const reached = new Set<string>();
  reach(model, kind, reached);
  const parts = [groupVersion.group, groupVersion.version, kind.name, kind.rules ?? '', kind.conversion ?? {}];
  const types = [...reached].sort().map((definition) => shapeOf(model, definition));
  return fnv1a(JSON.stringify([parts, types]));
}

function reach(model: Model, struct: StructModel, reached: Set<string>): void {
  if (reached.has(struct.definition)) return;
  reached.add(struct.definition);
  for (const field of struct.fields) {
    const type = model.types.get(namedIn(field.type) ?? '');
    if (type?.kind === 'struct') reach(model, type, reached);
    else if (type !== undefined) reached.add(type.definition);
  }
}

const shapes = new WeakMap<object, string>();

function shapeOf(model: Model, definition: string): string {
  const type = model.types.get(definition);
  if (type === undefined) return definition;
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = type.kind === 'scalar' ? `${definition} ${type.scalar}` : structShape(type);
    shapes.set(type, shape);
  }
  return shape;
}

function structShape(struct: StructModel): string {
  const fields = struct.fields.map(({ name, type, pointer, always, inline, default: published, unpublishedDefault, featureGate }) => [
    name,
    typeShape(type),
    pointer,
    always,
    inline,
    published ?? unpublishedDefault ?? null,
    featureGate ?? '',
  ]);
  const rules = defaultRulesOf(struct);
  return JSON.stringify(rules.length === 0 ? [struct.definition, fields] : [struct.definition, fields, rules]);
}

function typeShape(use: TypeUse): string {
  if (use.kind === 'named') return use.definition;
  if (use.kind === 'list') return `[]${typeShape(use.element)}`;
  return use.kind === 'map' ? `{}${typeShape(use.value)}` : use.scalar;
}

/** FNV-1a over the bytes of UTF-8. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
