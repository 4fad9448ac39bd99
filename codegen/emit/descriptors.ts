/** `descriptors.ts`: every struct of a group version as the data that the interpreters of the runtime read. */
import { defaultRulesOf } from '../model/default-rules.ts';
import type { FieldModel, GroupVersion, ListUse, Model, StructModel, TypeUse } from '../model/model.ts';
import { byName, header, literal, moduleAlias, quote, relativeImport, render, schemaSources } from './typescript.ts';

export function emitDescriptors(model: Model, groupVersion: GroupVersion): string {
  const writer = new DescriptorWriter(model, groupVersion.folder);
  const structs = groupVersion.types
    .filter((type): type is StructModel => type.kind === 'struct')
    .sort(byName)
    .map((struct) => writer.struct(struct));
  return render('descriptors.ts.hbs', {
    header: header(...schemaSources(groupVersion)),
    contract: relativeImport(`generated/${groupVersion.folder}`, 'runtime/contract/descriptor.ts'),
    imports: writer.imports(),
    structs,
  });
}

class DescriptorWriter {
  readonly #model: Model;
  readonly #folder: string;
  readonly #used = new Set<string>();

  constructor(model: Model, folder: string) {
    this.#model = model;
    this.#folder = folder;
  }

  /** of the other group versions that the descriptors written so far refer to */
  imports(): { alias: string; from: string }[] {
    return [...this.#used]
      .sort()
      .map((folder) => ({ alias: moduleAlias(folder), from: relativeImport(this.#folder, `${folder}/descriptors.ts`) }));
  }

  struct(struct: StructModel): object {
    const defaults = defaultRulesOf(struct);
    const options = { ...(struct.mapType === 'atomic' && { mapType: struct.mapType }), ...(defaults.length > 0 && { defaults }) };
    return {
      name: struct.name,
      definition: quote(struct.definition),
      options: Object.keys(options).length === 0 ? '' : `, ${literal(options)}`,
      fields: struct.fields.map((field) => this.#field(field)),
    };
  }

  #field(field: FieldModel): string {
    const { name, number, patchStrategies, patchMergeKey, featureGate, whileGated } = field;
    const before = literal({ name }).slice(0, -2);
    const after = literal({
      number,
      go: goField(field),
      default: field.default ?? field.unpublishedDefault,
      patchStrategies,
      patchMergeKey,
      featureGate,
      whileGated,
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
    if (type.kind === 'scalar')
      return type.struct === undefined ? `d.${type.scalar}` : `d.union(${quote(type.scalar)}, () => ${type.struct})`;
    const name = this.#nameOf(type);
    const { mapType: ofType = 'granular' } = type;
    const { mapType = ofType } = use.ownership ?? {};
    return mapType === ofType ? name : `d.${mapType}(${name})`;
  }

  #list({ element, ownership: { listType, listMapKeys = [] } = {} }: ListUse): string {
    if (listType === 'map') return `d.keyedList(${this.#type(element)}, ${literal(listMapKeys)})`;
    return `d.${listType === 'set' ? 'set' : 'list'}(${this.#type(element)})`;
  }

  #nameOf({ folder, name }: StructModel): string {
    if (folder === this.#folder) return name;
    this.#used.add(folder);
    return `${moduleAlias(folder)}.${name}`;
  }
}

/** What the field is because its struct is one of Go's; undefined where it is nothing in particular. */
function goField({ pointer, always, inline, wrapped, go: internal }: FieldModel): object | undefined {
  const stated = { pointer: pointer || undefined, always: always || undefined, inline: inline || undefined, wrapped, internal };
  return Object.values(stated).some((value) => value !== undefined) ? stated : undefined;
}
