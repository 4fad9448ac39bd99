/** Writes a custom resource definition that answers as a kind of the schemas does, as far as definitions can. */
import type { SubresourceData } from '../../../runtime/contract/kind.ts';
import type { TableColumn } from '../../../runtime/contract/table.ts';
import type { CustomColumn, CustomDefinition, CustomScale, CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import { type Constraints, readConstraints } from '../../model/constraints/constraints.ts';
import type { GroupVersion, Model, ResourceModel, StructModel } from '../../model/model.ts';
import { structuralDefinitions } from '../../model/structural/definitions.ts';
import { ConstraintWriter } from './constraint-writer.ts';
import { withoutRefused } from './refused-parts.ts';
import { nodeAt, type SchemaNode, type TellLoss } from './schema-node.ts';
import { gateIsOn, SchemaWriter } from './schema-writer.ts';

/** Which definitions are wanted, and who is told what they do not say. */
export interface DefinitionRequest {
  readonly model: Model;
  readonly groupVersion: GroupVersion;
  /** Name of the only kind that is wanted; absent: all kinds that are stored. */
  readonly kind?: string;
  /** Group of the definitions; absent: that of the schemas. */
  readonly group?: string;
  /** Fills in the names of a dialect. */
  readonly text: (template: string) => string;
  /** Takes what the definition of a kind does not say. `path` is the member, '' for the kind as a whole. */
  readonly tell: (kind: string, path: string, what: string) => void;
}

/** @returns a definition for each resource whose objects are stored, in the order of the schemas */
export function definitionsOfVersion(request: DefinitionRequest): CustomDefinition[] {
  const { model, groupVersion, kind, text, group = text(groupVersion.group) } = request;
  if (groupVersion.structural !== undefined) {
    const names = groupVersion.resources.map(({ name }) => name);
    const folders = new Set(model.groupVersions.filter((each) => each.group === groupVersion.group).map(({ folder }) => folder));
    return structuralDefinitions(model, folders)
      .filter(({ spec }) => names.includes(spec.names.plural) && (kind === undefined || spec.names.kind === kind))
      .map(({ spec }) => ({ spec: { ...spec, group } }));
  }
  const constraints = readConstraints(model);
  const wanted = groupVersion.resources.filter((resource) => kind === undefined || resource.kind === kind);
  return wanted.flatMap((resource) => {
    const tell: TellLoss = (path, what) => request.tell(resource.kind, path, what);
    if (resource.storage !== undefined) return new KindDefinition(request, constraints, resource, tell).write(group);
    tell('', 'is not stored: no definition says what is made of it');
    return [];
  });
}

class KindDefinition {
  readonly #request: DefinitionRequest;
  readonly #constraints: Constraints;
  readonly #resource: ResourceModel;
  readonly #tell: TellLoss;

  constructor(request: DefinitionRequest, constraints: Constraints, resource: ResourceModel, tell: TellLoss) {
    this.#request = request;
    this.#constraints = constraints;
    this.#resource = resource;
    this.#tell = tell;
  }

  write(group: string): CustomDefinition {
    const { name: plural, kind, singular, scope, shortNames, categories } = this.#resource;
    const struct = this.#struct(kind);
    this.#tellWhole(struct);
    const version = withoutRefused(this.#version(struct), this.#tell);
    return {
      spec: {
        group,
        scope,
        names: {
          plural,
          singular,
          kind,
          listKind: struct.list ?? `${kind}List`,
          ...(shortNames.length > 0 && { shortNames }),
          ...(categories.length > 0 && { categories }),
        },
        versions: [version],
      },
    };
  }

  #struct(kind: string): StructModel {
    return this.#request.groupVersion.types.find(({ name }) => name === kind) as StructModel;
  }

  /** Tells what a custom resource does differently, whatever its schema. */
  #tellWhole({ rules, conversion }: StructModel): void {
    const { model, groupVersion } = this.#request;
    const { storage, unconditionalUpdate, putCreates, nameFormat, verbs, handler, generation } = this.#resource;
    const tell = (what: string): void => this.#tell('', what);
    if (rules !== undefined) tell(`runtime/kinds/${rules}.ts says more of it`);
    if (conversion !== undefined) tell(`is stored as ${conversion.version} has it, which other constraints may hold`);
    const others = model.groupVersions.filter(
      (each) =>
        each !== groupVersion && each.resources.some((other) => other.storage !== undefined && other.storage.prefix === storage?.prefix),
    );
    if (others.length > 0) tell(`is served in ${others.map(({ folder }) => folder).join(', ')} too: the definition has this version alone`);
    if (!generation.includes('*'))
      tell(
        `counts generations by ${generation.length === 0 ? 'nothing' : generation.join(', ')}: a custom resource counts every change but those of metadata and status`,
      );
    if (unconditionalUpdate) tell('may be replaced without a resourceVersion: a custom resource may not');
    if (putCreates) tell('is created by a PUT: a custom resource is not');
    if (nameFormat === 'pathSegment') tell('may have names that are no DNS subdomains: a custom resource may not');
    if (handler !== undefined || !verbs.includes('create')) tell('does not have the verbs of custom resources');
  }

  #version(struct: StructModel): CustomVersion {
    const { model, groupVersion, text } = this.#request;
    const { subresources, selectableFields } = this.#resource;
    const schema = this.#schema(struct);
    const scale = subresources.find(({ name }) => name === 'scale')?.scale;
    const status = subresources.some(({ name }) => name === 'status');
    for (const { name } of subresources)
      if (name !== 'status' && name !== 'scale')
        this.#tell('', `has a subresource ${name}: a custom resource has none but status and scale`);
    const columns = (struct.table?.columns ?? []).flatMap((column) => this.#column(column));
    const fields = selectableFields.filter((path) => !path.startsWith('metadata.'));
    const deprecated = struct.lifecycle?.deprecated;
    return {
      name: groupVersion.version,
      served: true,
      storage: true,
      ...(deprecated !== undefined && isPast(model, deprecated) && { deprecated: true }),
      schema: { openAPIV3Schema: schema as NonNullable<CustomVersion['schema']>['openAPIV3Schema'] & object },
      ...((status || scale !== undefined) && {
        subresources: { ...(status && { status: {} }), ...(scale !== undefined && { scale: this.#scale(scale, schema) }) },
      }),
      ...(columns.length > 0 && {
        additionalPrinterColumns: columns.map(({ description, ...column }) => ({
          ...column,
          ...(description !== undefined && { description: text(description) }),
        })),
      }),
      ...(fields.length > 0 && { selectableFields: fields.map((path) => ({ jsonPath: `.${path}` })) }),
    };
  }

  #schema(struct: StructModel): SchemaNode {
    const { model, text } = this.#request;
    const root = new SchemaWriter({ model, text, tell: this.#tell }).kind(struct);
    const parts = { constraints: this.#constraints, text, tell: this.#tell, isOn: (gate: string) => gateIsOn(model, gate) };
    new ConstraintWriter(parts).write(struct.definition, root, '', ['object', 'changes', 'status']);
    const { nameFormat } = this.#resource;
    if (nameFormat === 'dnsLabel' || nameFormat === 'dns1035Label') {
      const pattern = nameFormat === 'dnsLabel' ? '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' : '^[a-z]([-a-z0-9]*[a-z0-9])?$';
      root.properties = {
        ...root.properties,
        metadata: { type: 'object', properties: { name: { type: 'string', pattern, maxLength: 63 } } },
      };
    }
    return root;
  }

  /** The scale of a custom resource reads its selector as a text, so a selector in another form is told and left out. */
  #scale({ specReplicas, statusReplicas, selector }: NonNullable<SubresourceData['scale']>, schema: SchemaNode): CustomScale {
    const pathTo = (path: string): string => `.${path.replace(/^\./, '')}`;
    const isText = nodeAt(schema, pathTo(selector).slice(1).split('.'))?.type === 'string';
    if (selector !== '' && !isText) this.#tell('', 'has a selector that is no text: its scale has none');
    return {
      specReplicasPath: pathTo(specReplicas),
      statusReplicasPath: pathTo(statusReplicas),
      ...(isText && { labelSelectorPath: pathTo(selector) }),
    };
  }

  /** The name is a column of every custom resource, so a definition does not state it. */
  #column(column: TableColumn): CustomColumn[] {
    const { name, type, format, description, priority, path, age, function: made, ...others } = column;
    const plain = Object.keys(others).filter((member) => !['absent', 'since', 'until'].includes(member)).length === 0 && made === undefined;
    if (path === '.metadata.name' && format === 'name') return [];
    const source = typeof age === 'string' ? age : path;
    if (!plain || source === undefined || !source.startsWith('.')) {
      this.#tell('', `has a column ${name} that is no member: it is left out`);
      return [];
    }
    return [
      {
        name,
        type: age === undefined ? type : 'date',
        ...(format !== undefined && format !== '' && COLUMN_FORMATS.has(format) && { format }),
        ...(description !== undefined && { description }),
        ...(priority !== undefined && priority > 0 && { priority }),
        jsonPath: source,
      },
    ];
  }
}

const COLUMN_FORMATS = new Set(['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']);

function isPast({ releases, release }: Model, other: string): boolean {
  const names = releases.map(({ name }) => name);
  return names.indexOf(other) >= 0 && names.indexOf(other) <= names.indexOf(release);
}
