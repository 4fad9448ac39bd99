/** Writes `index.ts` of a group version. A resource is a constant of a few texts, with a type that says what can be done with it. */
import type { AppliedForms } from '../../model/client/applied.ts';
import type { ClientGroupVersion, ClientResource, ClientSubresource, TypeReference } from '../../model/client/client-model.ts';
import { pascal, UniqueNames } from '../../model/client/type-names.ts';
import { header, literal, propertyName, quote, render } from '../typescript.ts';
import { comment, deprecationOf, documentationOf } from './documentation.ts';
import { ModuleAliases } from './module-aliases.ts';
import type { Wording } from './wording.ts';

/** @param contract import path of the module that types resources */
export function emitResources(groupVersion: ClientGroupVersion, forms: AppliedForms, wording: Wording, contract: string): string {
  const { sources, resources } = groupVersion;
  if (resources.length === 0) return render('client/resources.ts.hbs', { header: header(...sources), imports: [], declarations: [] });
  const writer = new ResourceWriter(groupVersion, forms, wording);
  const declarations = resources.flatMap((resource) => [writer.types(resource), writer.constant(resource)]);
  const imports = [`import type { Resource } from ${quote(contract)};`, ...writer.imports];
  return render('client/resources.ts.hbs', { header: header(...sources), imports, declarations });
}

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

class ResourceWriter {
  readonly #groupVersion: ClientGroupVersion;
  readonly #forms: AppliedForms;
  readonly #wording: Wording;
  /** Names of the types and constants that the module exports, by the names of resources. */
  readonly #typeNames: ReadonlyMap<string, string>;
  readonly #constantNames: ReadonlyMap<string, string>;
  /** Name under which the module imports the types of its own folder. */
  readonly #ownTypes: string;
  readonly #aliases: ModuleAliases;

  constructor(groupVersion: ClientGroupVersion, forms: AppliedForms, wording: Wording) {
    const { folder, types, resources } = groupVersion;
    this.#groupVersion = groupVersion;
    this.#forms = forms;
    this.#wording = wording;
    // The module exports its types beside those of `types.ts`, so their names must differ.
    const typeNames = new UniqueNames(types.flatMap(({ name }) => [name, forms.nameOf({ folder, name })]));
    const others = new UniqueNames();
    this.#typeNames = new Map(resources.map(({ name, type }) => [name, typeNames.claim(`${type}Resource`)]));
    this.#constantNames = new Map(resources.map(({ name }) => [name, others.claim(constantName(name))]));
    this.#ownTypes = others.claim('types');
    this.#aliases = new ModuleAliases(folder, others);
  }

  /** Imports of the modules whose types were named. */
  get imports(): string[] {
    const own = this.#ownTypes;
    return [...this.#aliases.imports, `import type * as ${own} from './types.ts';`];
  }

  types(resource: ClientResource): string {
    const { type, scope, verbs, selectableFields, stored, strategic, subresources, connections, name } = resource;
    const { folder } = this.#groupVersion;
    const fields = scope === 'Namespaced' ? METADATA_FIELDS : METADATA_FIELDS.slice(0, 1);
    const parts = subresources.map((part) => `    ${propertyName(part.name)}: ${this.#part(part, resource)};\n`).join('');
    return [
      `${comment([`Types of the resource \`${name}\`.`])}export interface ${this.#typeNames.get(name)} {`,
      ...this.#object({ folder, name: type }).map((member) => `  ${member};`),
      `  scope: ${quote(scope)};`,
      `  verbs: ${union(verbs)};`,
      `  fields: ${union([...fields, ...selectableFields])};`,
      `  stored: ${stored};`,
      `  strategic: ${strategic};`,
      parts === '' ? '  subresources: Record<never, never>;' : `  subresources: {\n${parts}  };`,
      `  connections: ${union(connections)};`,
      '}',
    ].join('\n');
  }

  constant(resource: ClientResource): string {
    const { name, kind, scope, deprecation, subresources } = resource;
    const { group, version } = this.#groupVersion;
    const others = subresources.flatMap(({ name: part, kind: of }) => {
      if (of === undefined || (of.group === group && of.version === version && of.kind === kind)) return [];
      return [[part, { ...of, group: this.#wording.data(of.group) }]];
    });
    const data = {
      group: this.#wording.data(group),
      version,
      name,
      kind,
      scope,
      ...(others.length > 0 && { subresources: Object.fromEntries(others) }),
    };
    const documentation = comment([...documentationOf(resource, this.#wording), ...deprecationOf(deprecation, this.#wording)]);
    return `${documentation}export const ${this.#constantNames.get(name)}: Resource<${this.#typeNames.get(name)}> = ${literal(data)};`;
  }

  #object(type: TypeReference): string[] {
    return [`object: ${this.#name(type)}`, `apply: ${this.#name({ ...type, name: this.#forms.nameOf(type) })}`];
  }

  #part({ object, verbs, stored, answersStatus }: ClientSubresource, { strategic }: ClientResource): string {
    const members = [
      ...this.#object(object),
      `verbs: ${union(verbs)}`,
      `stored: ${stored}`,
      `strategic: ${strategic}`,
      `answer: ${answersStatus ? "{ kind: 'Status'; status?: string }" : this.#name(object)}`,
    ];
    return `{ ${members.join('; ')} }`;
  }

  #name(type: TypeReference): string {
    const name = this.#aliases.nameOf(type);
    return type.folder === this.#groupVersion.folder ? `${this.#ownTypes}.${name}` : name;
  }
}

function union(texts: readonly string[]): string {
  return texts.length === 0 ? 'never' : [...new Set(texts)].map(quote).join(' | ');
}

/** Definitions may name resources with hyphens, which no identifier holds. */
function constantName(resource: string): string {
  const name = `${resource.charAt(0)}${pascal(`-${resource}`).slice(1)}`;
  return /^[A-Za-z]/.test(name) && !RESERVED.has(name) ? name : `_${name}`;
}

/** Words that cannot be names of constants, but may be names of resources. */
const RESERVED: ReadonlySet<string> = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if import in instanceof let new null return super switch this throw true try typeof undefined var void while with yield static implements interface package private protected public'.split(
    ' ',
  ),
);
