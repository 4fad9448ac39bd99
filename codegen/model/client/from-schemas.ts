/** Makes the client's model of what the schemas of this tree state. */
import { readDefinition } from '../../read/definitions.ts';
import type { FieldModel, GroupVersion, Model, NamedType, ResourceModel, StructModel, TypeUse } from '../model.ts';
import { SCALAR_TYPES } from '../scalar-types.ts';
import { structuralDefinitions } from '../structural/definitions.ts';
import {
  type ClientField,
  type ClientGroupVersion,
  type ClientResource,
  type ClientSubresource,
  type ClientType,
  NULL,
  type Shape,
  text,
  typeMember,
} from './client-model.ts';
import { definedGroupVersions } from './from-definitions.ts';

/** Handlers of subresources that are connections or answer with other than an object, with the name by which the client's runtime knows each. */
const CONNECTIONS: Readonly<Record<string, string>> = {
  attach: 'attach',
  exec: 'exec',
  log: 'log',
  portforward: 'portforward',
  'proxy/node': 'proxy',
  'proxy/pod': 'proxy',
  'proxy/service': 'proxy',
};
const ANSWERING_STATUS: ReadonlySet<string | undefined> = new Set(['binding', 'eviction']);

/** @returns every group version that is served, with all of its types */
export function clientGroupVersions(model: Model): ClientGroupVersion[] {
  const shapes = new ShapeReader(model);
  return model.groupVersions
    .filter(({ files }) => !files)
    .map((groupVersion) =>
      groupVersion.structural === undefined ? groupVersionOf(groupVersion, model, shapes) : ofDefinitions(groupVersion, model),
    );
}

function groupVersionOf(groupVersion: GroupVersion, model: Model, shapes: ShapeReader): ClientGroupVersion {
  const { folder, group, version, types } = groupVersion;
  return {
    folder,
    group,
    version,
    sources: [`schemas/${folder}/openapi.yaml`],
    resources: groupVersion.resources.map((resource) => resourceOf(resource, groupVersion, model)).sort(byName),
    types: types.map((type) => shapes.type(type, groupVersion)).sort(byName),
  };
}

/** Makes the group version of one whose kinds are stated as custom resource definitions state theirs, by way of such definitions. */
function ofDefinitions({ folder, source, group, version }: GroupVersion, model: Model): ClientGroupVersion {
  const definitions = structuralDefinitions(model, new Set([folder])).map((definition) => readDefinition(definition, source));
  const [made] = definedGroupVersions(definitions, () => folder);
  return { ...(made ?? { folder, group, version, resources: [], types: [] }), sources: [source] };
}

function resourceOf(resource: ResourceModel, groupVersion: GroupVersion, model: Model): ClientResource {
  const { name, scope, verbs, selectableFields, subresources, storage } = resource;
  const kind = groupVersion.types.find((type) => type.name === resource.kind);
  const deprecation = kind?.kind === 'struct' ? deprecationOf(kind) : undefined;
  return {
    name,
    kind: resource.kind,
    type: resource.kind,
    scope,
    verbs,
    selectableFields,
    stored: storage !== undefined,
    strategic: true,
    ...(kind?.description !== undefined && { description: kind.description }),
    ...(deprecation !== undefined && { deprecation }),
    subresources: subresources
      .filter(({ handler = '' }) => CONNECTIONS[handler] === undefined)
      .flatMap((part) => subresourceOf(part, groupVersion, model) ?? []),
    connections: subresources.flatMap(({ handler = '' }) => CONNECTIONS[handler] ?? []),
  };
}

function deprecationOf({ lifecycle }: StructModel): string | undefined {
  if (lifecycle?.deprecated === undefined) return undefined;
  const { deprecated, removed, replacement } = lifecycle;
  const until = removed === undefined ? '' : `, gone in ${removed}`;
  const instead =
    replacement && `; use ${replacement.kind} of ${replacement.group === '' ? '' : `${replacement.group}/`}${replacement.version}`;
  return `since ${deprecated}${until}${instead ?? ''}`;
}

/** @returns undefined if nothing that is served states the kind */
function subresourceOf(part: ResourceModel['subresources'][number], own: GroupVersion, model: Model): ClientSubresource | undefined {
  const { name, verbs, kind, handler } = part;
  const { group = own.group, version = own.version } = part;
  // A kind of files may have the same group and version as one of the API.
  const holder = model.groupVersions.find((each) => !each.files && each.group === group && each.version === version);
  if (holder === undefined || !holder.types.some((type) => type.name === kind)) return undefined;
  return {
    name,
    verbs,
    object: { folder: holder.folder, name: kind },
    stored: handler === undefined,
    answersStatus: ANSWERING_STATUS.has(handler),
    kind: { group, version, kind },
  };
}

class ShapeReader {
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  type(type: NamedType, { group, version, folder }: GroupVersion): ClientType {
    const { name, description } = type;
    const named = { name, ...(description !== undefined && { description }) };
    if (type.kind === 'scalar') {
      const single = type.scalar === 'structOrList' ? `${type.struct}[]` : SCALAR_TYPES[type.scalar];
      const struct: Shape[] = type.struct === undefined ? [] : [{ kind: 'type', folder, name: type.struct }];
      return { kind: 'alias', ...named, shape: { kind: 'either', of: [...struct, text(single)] } };
    }
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return {
      kind: 'struct',
      ...named,
      isAtomic: type.mapType === 'atomic',
      fields: this.#fields(type).map(({ field, isMetadata }) => this.#field(field, { name, apiVersion, isMetadata })),
    };
  }

  /** @returns the fields whose members stand in the struct's JSON object: members of inline structs take the place of the inline field */
  #fields(struct: StructModel): { field: FieldModel; isMetadata: boolean }[] {
    return struct.fields.flatMap((field) => {
      if (!field.inline) return [{ field, isMetadata: struct.topLevel && field.name === 'metadata' }];
      const inlined = field.type.kind === 'named' ? this.#model.types.get(field.type.definition) : undefined;
      return inlined?.kind === 'struct' ? this.#fields(inlined) : [];
    });
  }

  #field(field: FieldModel, kind: { name: string; apiVersion: string; isMetadata: boolean }): ClientField {
    if (field.typeMeta) return typeMember(field.name, kind.name, kind.apiVersion);
    const shape = this.#shape(field.type);
    const preset = field.default ?? field.unpublishedDefault;
    return {
      name: field.name,
      ...(field.description !== undefined && { description: field.description }),
      shape: this.#mayBeNull(field) ? { kind: 'either', of: [shape, NULL] } : shape,
      required: field.required || kind.isMetadata,
      ...(preset !== undefined && { default: preset }),
      ...(field.featureGate !== undefined && { featureGate: field.featureGate }),
    };
  }

  /** Whether the member may be null in an answer: one that is always written is null where it has no value, and so is a time that is not set. */
  #mayBeNull(field: FieldModel): boolean {
    const type = field.type.kind === 'named' ? this.#model.types.get(field.type.definition) : undefined;
    const isTime = type?.kind === 'scalar' && (type.scalar === 'time' || type.scalar === 'microTime');
    const hasNull = field.pointer || field.type.kind === 'list' || field.type.kind === 'map';
    const needsValue = Boolean(field.constraints?.['x-cluster-required']);
    return (field.always && hasNull && !needsValue) || (isTime && !field.pointer);
  }

  #shape(use: TypeUse): Shape {
    const { ownership = {} } = use;
    switch (use.kind) {
      case 'list': {
        const { listType, listMapKeys } = ownership;
        const isMap = listType === 'map' && listMapKeys !== undefined;
        return {
          kind: 'list',
          element: this.#shape(use.element),
          isAtomic: listType === undefined || listType === 'atomic',
          ...(isMap && { keys: listMapKeys }),
        };
      }
      case 'map':
        return { kind: 'map', value: this.#shape(use.value), isAtomic: ownership.mapType === 'atomic' };
      case 'named': {
        const type = this.#model.types.get(use.definition);
        if (type === undefined) return text('unknown');
        const { mapType } = ownership;
        return { kind: 'type', folder: type.folder, name: type.name, ...(mapType !== undefined && { isAtomic: mapType === 'atomic' }) };
      }
      default: {
        const values = use.scalar === 'string' ? (use.enum ?? use.constants ?? []) : [];
        return values.length === 0 ? text(SCALAR_TYPES[use.scalar]) : { kind: 'values', values, isOpen: use.closed !== true };
      }
    }
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
