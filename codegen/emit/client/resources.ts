/** `index.ts` of a group version: its resources, as data of a few texts and as types that say what can be done with them. */
import type { AppliedForms } from '../../model/client/applied.ts';
import type { ClientGroupVersion, ClientResource, ClientSubresource, TypeReference } from '../../model/client/client-model.ts';
import { header, literal, moduleAlias, propertyName, quote, relativeImport, render } from '../typescript.ts';
import { comment, documentationOf } from './documentation.ts';
import type { Wording } from './wording.ts';

/** @param contract import path of the module that types resources */
export function emitResources(groupVersion: ClientGroupVersion, forms: AppliedForms, wording: Wording, contract: string): string {
  const { folder, sources, resources } = groupVersion;
  if (resources.length === 0) return render('client/resources.ts.hbs', { header: header(...sources), imports: [], declarations: [] });
  const writer = new ResourceWriter(groupVersion, forms, wording);
  const declarations = resources.flatMap((resource) => [writer.types(resource), writer.constant(resource)]);
  const others = [...writer.used]
    .sort()
    .map((used) => `import type * as ${moduleAlias(used)} from ${quote(relativeImport(folder, `${used}/types.ts`))};`);
  const imports = [`import type { Resource } from ${quote(contract)};`, ...others, "import type * as types from './types.ts';"];
  return render('client/resources.ts.hbs', { header: header(...sources), imports, declarations });
}

const METADATA_FIELDS = ['metadata.name', 'metadata.namespace'];

class ResourceWriter {
  /** other folders whose types are named */
  readonly used = new Set<string>();
  readonly #groupVersion: ClientGroupVersion;
  readonly #forms: AppliedForms;
  readonly #wording: Wording;

  constructor(groupVersion: ClientGroupVersion, forms: AppliedForms, wording: Wording) {
    this.#groupVersion = groupVersion;
    this.#forms = forms;
    this.#wording = wording;
  }

  types(resource: ClientResource): string {
    const { kind, scope, verbs, selectableFields, stored, strategic, subresources, connections, name } = resource;
    const { folder } = this.#groupVersion;
    const fields = scope === 'Namespaced' ? METADATA_FIELDS : METADATA_FIELDS.slice(0, 1);
    const parts = subresources.map((part) => `    ${propertyName(part.name)}: ${this.#part(part, resource)};\n`).join('');
    return [
      `${comment([`Types of the resource \`${name}\`.`])}export interface ${kind}Resource {`,
      ...this.#object({ folder, name: kind }),
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
    const lines = documentationOf(resource, this.#wording);
    const warning = deprecation === undefined ? [] : [`@deprecated ${this.#wording.text(deprecation)}`];
    return `${comment([...lines, ...warning])}export const ${constantName(name)}: Resource<${kind}Resource> = ${literal(data)};`;
  }

  #object(type: TypeReference): string[] {
    const name = this.#name(type);
    return [`  object: ${name};`, `  apply: ${name}${this.#forms.has(type) ? 'Apply' : ''};`];
  }

  #part({ object, verbs, stored, answersStatus }: ClientSubresource, { strategic }: ClientResource): string {
    const name = this.#name(object);
    const members = [
      `object: ${name}`,
      `apply: ${name}${this.#forms.has(object) ? 'Apply' : ''}`,
      `verbs: ${union(verbs)}`,
      `stored: ${stored}`,
      `strategic: ${strategic}`,
      `answer: ${answersStatus ? "{ kind: 'Status'; status?: string }" : name}`,
    ];
    return `{ ${members.join('; ')} }`;
  }

  #name({ folder, name }: TypeReference): string {
    if (folder === this.#groupVersion.folder) return `types.${name}`;
    this.used.add(folder);
    return `${moduleAlias(folder)}.${name}`;
  }
}

function union(texts: readonly string[]): string {
  return texts.length === 0 ? 'never' : [...new Set(texts)].map(quote).join(' | ');
}

/** A resource's name is no identifier where definitions put hyphens into it. */
function constantName(resource: string): string {
  const name = resource.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, next: string) => next.toUpperCase());
  return /^[A-Za-z]/.test(name) && !RESERVED.has(name) ? name : `_${name}`;
}

const RESERVED: ReadonlySet<string> = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with yield let static implements interface package private protected public'.split(
    ' ',
  ),
);
