/** `descriptors.ts`: every struct of a group version as the data that the interpreters of the runtime read. */
import { defaultRulesOf } from '../model/default-rules.ts';
import type { FieldModel, GroupVersion, Model, StructModel, TypeUse } from '../model/model.ts';
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
    const options = { ...(struct.mapType !== undefined && { mapType: struct.mapType }), ...(defaults.length > 0 && { defaults }) };
    return {
      name: struct.name,
      definition: quote(struct.definition),
      options: Object.keys(options).length === 0 ? '' : `, ${literal(options)}`,
      fields: struct.fields.map((field) => this.#field(field)),
    };
  }

  #field(field: FieldModel): string {
    const { name, number, listType, listMapKeys, mapType, patchStrategies, patchMergeKey, featureGate, whileGated, go } = field;
    const before = literal({ name }).slice(0, -2);
    const after = literal({
      number,
      pointer: field.pointer || undefined,
      always: field.always || undefined,
      inline: field.inline || undefined,
      default: field.default ?? field.unpublishedDefault,
      listType,
      listMapKeys,
      mapType,
      patchStrategies,
      patchMergeKey,
      featureGate,
      whileGated,
      go,
    });
    return `${before}, type: ${this.#type(field.type)}${after === '{}' ? ' }' : `, ${after.slice(2)}`}`;
  }

  #type(use: TypeUse): string {
    if (use.kind === 'named' || use.typeName === undefined) return this.#plainType(use);
    return `d.named(${quote(use.typeName)}, ${this.#plainType(use)})`;
  }

  #plainType(use: TypeUse): string {
    if (use.kind === 'primitive') return `d.${use.scalar}`;
    if (use.kind === 'list') return `d.list(${this.#type(use.element)})`;
    if (use.kind === 'map') return `d.map(${this.#type(use.value)})`;
    const type = this.#model.types.get(use.definition);
    if (type === undefined) throw new Error(`the model has no type ${use.definition}`);
    if (type.kind === 'scalar')
      return type.struct === undefined ? `d.${type.scalar}` : `d.union(${quote(type.scalar)}, () => ${type.struct})`;
    if (type.folder === this.#folder) return type.name;
    this.#used.add(type.folder);
    return `${moduleAlias(type.folder)}.${type.name}`;
  }
}
