/** `validators.ts`: the constraints of a group version's types as functions. */
import type { FieldModel, GroupVersion, JsonSchema, Model, StructModel, TypeUse } from '../model/model.ts';
import { namedIn } from '../model/uses.ts';
import { CODE_POINTS_FUNCTION, compileConstraints, TYPE_KEYWORD } from './constraints.ts';
import { byName, header, moduleAlias, relativeImport, render } from './typescript.ts';

/** Definition names of all structs that have a constraint of their own or below themselves. */
export type ConstrainedTypes = ReadonlySet<string>;

export function constrainedTypes(model: Model): ConstrainedTypes {
  const users = new Map<string, string[]>();
  const found: string[] = [];
  for (const type of model.types.values()) {
    if (type.kind !== 'struct') continue;
    if (type.validation !== undefined || type.fields.some((field) => field.validation !== undefined)) found.push(type.definition);
    for (const field of type.fields) {
      const used = namedIn(field.type);
      if (used !== undefined) users.set(used, [...(users.get(used) ?? []), type.definition]);
    }
  }
  const constrained = new Set<string>();
  for (let next = found.pop(); next !== undefined; next = found.pop()) {
    if (constrained.has(next)) continue;
    constrained.add(next);
    found.push(...(users.get(next) ?? []));
  }
  return constrained;
}

/** @returns undefined where the group version has no constraint */
export function emitValidators(model: Model, groupVersion: GroupVersion, constrained: ConstrainedTypes): string | undefined {
  const structs = groupVersion.types
    .filter((type): type is StructModel => type.kind === 'struct' && constrained.has(type.definition))
    .sort(byName);
  if (structs.length === 0) return undefined;
  const schemas = new SchemaWriter(model, groupVersion.folder, constrained);
  const inherited = structs.some((struct) => struct.fields.some(({ name }) => name in Object.prototype));
  const code = compileConstraints(new Map(structs.map((struct) => [struct.name, schemas.struct(struct)])), inherited);
  return render('validators.ts.hbs', {
    header: header(`schemas/${groupVersion.folder}/openapi.yaml`),
    imports: schemas.imports(),
    code,
    codePoints: code.includes(CODE_POINTS_FUNCTION),
  });
}

class SchemaWriter {
  readonly #model: Model;
  readonly #folder: string;
  readonly #constrained: ConstrainedTypes;
  readonly #used = new Set<string>();

  constructor(model: Model, folder: string, constrained: ConstrainedTypes) {
    this.#model = model;
    this.#folder = folder;
    this.#constrained = constrained;
  }

  imports(): { alias: string; from: string }[] {
    return [...this.#used]
      .sort()
      .map((folder) => ({ alias: moduleAlias(folder), from: relativeImport(this.#folder, `${folder}/validators.ts`) }));
  }

  struct(struct: StructModel): JsonSchema {
    const properties = struct.fields
      .filter((field) => !field.inline)
      .map((field) => [field.name, this.#field(field)] as const)
      .filter(([, schema]) => schema !== undefined);
    const inlines = struct.fields.filter((field) => field.inline).map((field) => this.#type(field.type));
    const members = properties.length === 0 ? undefined : { properties: Object.fromEntries(properties) };
    return both(struct.validation, members, ...inlines) ?? {};
  }

  #field(field: FieldModel): JsonSchema | undefined {
    return both(field.validation, this.#type(field.type));
  }

  #type(use: TypeUse): JsonSchema | undefined {
    if (use.kind === 'list') return wrap('items', this.#type(use.element));
    if (use.kind === 'map') return wrap('additionalProperties', this.#type(use.value));
    if (use.kind === 'primitive' || !this.#constrained.has(use.definition)) return undefined;
    const type = this.#model.types.get(use.definition);
    if (type === undefined || type.folder === this.#folder) return { [TYPE_KEYWORD]: type?.name ?? use.definition };
    this.#used.add(type.folder);
    return { [TYPE_KEYWORD]: `${moduleAlias(type.folder)}.${type.name}` };
  }
}

function wrap(keyword: string, schema: JsonSchema | undefined): JsonSchema | undefined {
  return schema === undefined ? undefined : { [keyword]: schema };
}

function both(...schemas: readonly (JsonSchema | undefined)[]): JsonSchema | undefined {
  const [first, ...others] = schemas.filter((schema) => schema !== undefined);
  return others.length === 0 ? first : { allOf: [first, ...others] };
}
