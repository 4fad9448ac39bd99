/** Writes `descriptors.ts`: every struct of a group version as data that the interpreters of the runtime read. */
import { defaultRulesOf } from '../model/default-rules.ts';
import type { FieldModel, GroupVersion, ListUse, Model, NamedScalar, StructModel, TypeUse } from '../model/model.ts';
import { byName, header, literal, moduleAlias, quote, relativeImport, render, schemaSources } from './typescript.ts';

export function emitDescriptors(model: Model, groupVersion: GroupVersion): string {
  const names = new TypeNames(groupVersion.folder);
  const writer = new DescriptorWriter(model, names);
  const structs = groupVersion.types
    .filter((type): type is StructModel => type.kind === 'struct')
    .sort(byName)
    .map((struct) => writer.struct(struct));
  return render('descriptors.ts.hbs', {
    header: header(...schemaSources(groupVersion)),
    contract: relativeImport(`generated/${groupVersion.folder}`, 'runtime/contract/descriptor.ts'),
    imports: names.imports(),
    structs,
  });
}

/** Gives structs of other folders the names by which one file refers to them. */
export interface StructNames {
  /** @returns an expression */
  nameOf(type: StructModel): string;
}

class TypeNames implements StructNames {
  readonly #folder: string;
  readonly #used = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  nameOf({ folder, name }: StructModel): string {
    if (folder === this.#folder) return name;
    this.#used.add(folder);
    return `${moduleAlias(folder)}.${name}`;
  }

  /** Imports of the other group versions whose structs were named so far. */
  imports(): { alias: string; from: string }[] {
    return [...this.#used]
      .sort()
      .map((folder) => ({ alias: moduleAlias(folder), from: relativeImport(this.#folder, `${folder}/descriptors.ts`) }));
  }
}

/** Writes structs as expressions of `runtime/contract/descriptor.ts`. */
export class DescriptorWriter {
  readonly #model: Pick<Model, 'types'>;
  readonly #names: StructNames;

  constructor(model: Pick<Model, 'types'>, names: StructNames) {
    this.#model = model;
    this.#names = names;
  }

  struct(struct: StructModel): object {
    const defaults = defaultRulesOf(struct);
    const options = { ...(struct.mapType === 'atomic' && { mapType: struct.mapType }), ...(defaults.length > 0 && { defaults }) };
    return {
      name: struct.name,
      definition: quote(struct.definition),
      options: Object.keys(options).length === 0 ? '' : `, ${literal(options)}`,
      fields: struct.fields.map((field) => this.field(field)),
    };
  }

  /** @param more members that the expression gets besides */
  field(field: FieldModel, more: object = {}): string {
    const { name, number, patchStrategies, patchMergeKey, featureGate, whileGated, ungated, gating, droppedAnnotations } = field;
    const before = literal({ name }).slice(0, -2);
    const after = literal({
      number,
      go: goField(field),
      default: field.default ?? field.unpublishedDefault,
      patchStrategies,
      patchMergeKey,
      featureGate,
      whileGated,
      ungated,
      gating,
      droppedAnnotations,
      ...more,
    });
    return `${before}, type: ${this.#type(field.type)}${after === '{}' ? ' }' : `, ${after.slice(2)}`}`;
  }

  #type(use: TypeUse): string {
    if (use.kind === 'named' || use.typeName === undefined) return this.#plainType(use);
    return `d.named(${quote(use.typeName)}, ${this.#plainType(use)})`;
  }

  #plainType(use: TypeUse): string {
    if (use.kind === 'primitive') return `d.${use.scalar}`;
    if (use.kind === 'list') return this.#list(use);
    if (use.kind === 'map') return `d.${use.ownership?.mapType === 'atomic' ? 'atomicMap' : 'map'}(${this.#type(use.value)})`;
    const type = this.#model.types.get(use.definition);
    if (type === undefined) throw new Error(`the model has no type ${use.definition}`);
    if (type.kind === 'scalar') return this.#scalar(type);
    const name = this.#names.nameOf(type);
    const { mapType: ofType = 'granular' } = type;
    const { mapType = ofType } = use.ownership ?? {};
    return mapType === ofType ? name : `d.${mapType}(${name})`;
  }

  #scalar({ scalar, struct, definition, name }: NamedScalar): string {
    const type = struct === undefined ? undefined : this.#model.types.get(definition.slice(0, -name.length) + struct);
    return type?.kind === 'struct' ? `d.union(${quote(scalar)}, () => ${this.#names.nameOf(type)})` : `d.${scalar}`;
  }

  #list({ element, ownership: { listType, listMapKeys = [] } = {} }: ListUse): string {
    if (listType === 'map') return `d.keyedList(${this.#type(element)}, ${literal(listMapKeys)})`;
    return `d.${listType === 'set' ? 'set' : 'list'}(${this.#type(element)})`;
  }
}

/** @returns what is particular about the field because its struct mirrors one of Go; undefined if nothing is */
function goField({ pointer, always, inline, wrapped, go: internal }: FieldModel): object | undefined {
  const stated = { pointer: pointer || undefined, always: always || undefined, inline: inline || undefined, wrapped, internal };
  return Object.values(stated).some((value) => value !== undefined) ? stated : undefined;
}
