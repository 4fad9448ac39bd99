/** Writes the files of a group version of structural schemas: its definitions, the module of its kinds, and its OpenAPI document. */
import { hash } from 'node:crypto';
import type { CustomDefinition } from '../../runtime/custom-resources/definition.ts';
import { customOpenapi } from '../../runtime/custom-resources/openapi.ts';
import type { OpenapiDocument } from '../../runtime/openapi/document.ts';
import type { GroupVersion, Model, ResourceModel, StructModel } from '../model/model.ts';
import { structuralDefinitions } from '../model/structural/definitions.ts';
import { byName, header, literal, propertyName, relativeImport, render } from './typescript.ts';

/**
 * @param machinery the OpenAPI document of the types that all kinds use
 * @returns the texts by file name
 * @throws Error if there is no such document
 */
export function emitStructural(
  model: Model,
  groupVersion: GroupVersion,
  machinery: OpenapiDocument | undefined,
): [name: string, text: string][] {
  if (machinery === undefined) throw new Error('no schema describes the machinery');
  const definitions = structuralDefinitions(model, new Set([groupVersion.folder]));
  return [
    ['definitions.json', `${JSON.stringify(definitions)}\n`],
    ['kinds.ts', kindsModule(groupVersion, definitions)],
    ['openapi.json', openapiText(groupVersion, definitions, machinery)],
  ];
}

function kindsModule({ folder, version, types, structural = [] }: GroupVersion, definitions: readonly CustomDefinition[]): string {
  const lifecycleOf = (name: string | undefined) => (types.find((type) => type.name === name) as StructModel).lifecycle;
  const from = (file: string): string => relativeImport(`generated/${folder}`, file);
  const kinds = structural.toSorted(byName).map(({ name }) => {
    const definition = definitions.find(({ spec }) => spec.names.kind === name);
    return {
      name: propertyName(name),
      parts: literal({
        schemaHash: Number.parseInt(hash('sha256', JSON.stringify(definition)).slice(0, 8), 16),
        lifecycle: lifecycleOf(name),
        listLifecycle: lifecycleOf(`${name}List`),
      }),
    };
  });
  return render('structural-kinds.ts.hbs', {
    header: header(`schemas/${folder}/openapi.yaml`),
    contract: from('runtime/contract/kind.ts'),
    structural: from('runtime/custom-resources/structural-kinds.ts'),
    metadata: from('generated/meta/v1/descriptors.ts'),
    version: literal(version),
    kinds,
  });
}

/** Stands for the dollar of texts that look like placeholders while the document is made. These are plain text here, and are written with an escaped dollar. */
const DOLLAR = '\uE000';

/** The document is what the server makes of definitions, with members in the order of their names. */
function openapiText({ version, resources }: GroupVersion, definitions: readonly CustomDefinition[], machinery: OpenapiDocument): string {
  const parts = resources.toSorted(byName).map((resource) => partOf(resource, version, definitions, machinery));
  const members = (name: 'paths' | 'schemas'): string => {
    const all = Object.assign({}, ...parts.map((part) => part[name])) as Readonly<Record<string, unknown>>;
    const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',\n');
  };
  const text = [
    `{"openapi":"3.0.0","info":${JSON.stringify(parts[0]?.info)},"paths":{\n${members('paths')}},`,
    `"components":{"schemas":{\n${members('schemas')}}}}\n`,
  ].join('\n');
  return text.replaceAll(`${DOLLAR}{`, '\\u0024{');
}

function partOf(resource: ResourceModel, version: string, definitions: readonly CustomDefinition[], machinery: OpenapiDocument) {
  const definition = definitions.find(({ spec }) => spec.names.plural === resource.name) as CustomDefinition;
  const marked = JSON.parse(JSON.stringify(definition).replaceAll('${', `${DOLLAR}{`)) as CustomDefinition;
  const stated = marked.spec.versions.find(({ name }) => name === version) as CustomDefinition['spec']['versions'][number];
  // The media type of YAML is always there; servers of a dialect without YAML leave it out.
  return customOpenapi({
    definition: marked,
    version: stated,
    resource,
    identity: { groupDomain: '${groupDomain}', yaml: true, text: String },
    machinery,
  });
}
