/** Makes the client's model of custom resource definitions. An object within an object gets a type of its own, named by the way to it from the kind. */
import type { Verb } from '../../../runtime/contract/kind.ts';
import type { DefinedSchema, DefinedVersion, Definition } from '../../read/definitions.ts';
import {
  type ClientField,
  type ClientGroupVersion,
  type ClientResource,
  type ClientStruct,
  type ClientSubresource,
  NULL,
  type Shape,
  type TypeReference,
  text,
  typeMember,
} from './client-model.ts';
import { appliedName, kindTypeNames, pascal, UniqueNames } from './type-names.ts';

const VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const PART_VERBS: readonly Verb[] = ['get', 'patch', 'update'];
const METADATA: Shape = { kind: 'type', folder: 'meta/v1', name: 'ObjectMeta' };
const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/**
 * @param folderOf gives the folder of a group version in the client
 * @returns a group version for each that is served, sorted by folder
 */
export function definedGroupVersions(
  definitions: readonly Definition[],
  folderOf: (group: string, version: string) => string,
): ClientGroupVersion[] {
  const served = definitions.flatMap((definition) => definition.versions.map((version) => ({ definition, version })));
  const byFolder = Map.groupBy(served, ({ definition, version }) => folderOf(definition.group, version.name));
  return [...byFolder]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, parts]) => {
      const [{ definition, version }] = parts as [(typeof parts)[number]];
      const types = new DefinedTypes(
        folder,
        parts.map((part) => part.definition.kind),
      );
      for (const part of parts) types.addKind(part.definition, part.version);
      const resource = (part: (typeof parts)[number]): ClientResource =>
        resourceOf(part.definition, part.version, { folder, name: types.nameOf(part.definition.kind) });
      return {
        folder,
        group: definition.group,
        version: version.name,
        sources: [`definitions of ${definition.group}`],
        resources: parts.map(resource).sort(byName),
        types: types.all.sort(byName),
      };
    });
}

function resourceOf({ plural, kind, scope }: Definition, version: DefinedVersion, object: TypeReference): ClientResource {
  const { schema, deprecation, selectableFields } = version;
  return {
    name: plural,
    kind,
    type: object.name,
    scope,
    verbs: VERBS,
    selectableFields,
    stored: true,
    strategic: false,
    ...(schema.description !== undefined && { description: schema.description }),
    ...(deprecation !== undefined && { deprecation }),
    subresources: subresourcesOf(version, object),
    connections: [],
  };
}

function subresourcesOf({ hasStatus, hasScale }: DefinedVersion, object: ClientSubresource['object']): ClientSubresource[] {
  const common = { verbs: PART_VERBS, stored: true, answersStatus: false };
  return [
    ...(hasScale ? [{ ...common, name: 'scale', object: { folder: 'autoscaling/v1', name: 'Scale' }, kind: SCALE }] : []),
    ...(hasStatus ? [{ ...common, name: 'status', object }] : []),
  ];
}

class DefinedTypes {
  readonly #folder: string;
  readonly #types = new Map<string, ClientStruct>();
  /** The names that are given already, to types and to their forms for applying. */
  readonly #names = new UniqueNames();
  readonly #kinds: ReadonlyMap<string, string>;

  /** @param kinds the kinds of the group version; their types get their names before any type of a member can take one of them */
  constructor(folder: string, kinds: readonly string[]) {
    this.#folder = folder;
    this.#kinds = kindTypeNames(kinds, this.#names);
    for (const name of this.#kinds.values()) this.#names.claim(appliedName(name));
  }

  /** @param kind one of the kinds that the constructor got */
  nameOf(kind: string): string {
    return this.#kinds.get(kind) as string;
  }

  get all(): ClientStruct[] {
    return [...this.#types.values()];
  }

  addKind({ kind, group }: Definition, { name: version, schema }: DefinedVersion): void {
    const { kind: _kind, apiVersion: _version, metadata: _metadata, ...properties } = schema.properties ?? {};
    const required = (schema.required ?? []).filter((member) => Object.hasOwn(properties, member));
    const name = this.nameOf(kind);
    const own = this.#struct(name, { ...schema, properties, required });
    const members = ['kind', 'apiVersion'].map((member) => typeMember(member, kind, `${group}/${version}`));
    const metadata: ClientField = {
      name: 'metadata',
      description: 'Name, labels and what else every object has.',
      shape: METADATA,
      required: true,
    };
    this.#types.set(name, { ...own, fields: [...members, metadata, ...own.fields] });
  }

  #struct(name: string, schema: DefinedSchema): ClientStruct {
    const { description, properties = {}, required = [] } = schema;
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || schema['x-kubernetes-embedded-resource'] === true;
    const embedded =
      schema['x-kubernetes-embedded-resource'] === true ? EMBEDDED.filter((field) => !Object.hasOwn(properties, field.name)) : [];
    const fields = Object.entries(properties).map(([member, of]) => this.#field(name, member, of, required.includes(member)));
    return {
      kind: 'struct',
      name,
      ...(description !== undefined && { description }),
      fields: [...embedded, ...fields],
      ...(isOpen && { others: text('unknown') }),
      isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    };
  }

  #field(owner: string, name: string, schema: DefinedSchema, required: boolean): ClientField {
    const { description, default: preset } = schema;
    return {
      name,
      ...(description !== undefined && { description }),
      shape: this.#shape(`${owner}${pascal(name)}`, schema),
      required: required && preset === undefined,
      ...(preset !== undefined && { default: preset }),
    };
  }

  #shape(name: string, schema: DefinedSchema): Shape {
    const shape = this.#plainShape(name, schema);
    return schema.nullable === true ? { kind: 'either', of: [shape, NULL] } : shape;
  }

  #plainShape(name: string, schema: DefinedSchema): Shape {
    if (schema['x-kubernetes-int-or-string'] === true) return text('number | string');
    switch (schema.type) {
      case 'object':
        return this.#object(name, schema);
      case 'array':
        return this.#list(name, schema);
      case 'integer':
      case 'number':
        return enumeratedNumber(schema);
      case 'string':
        return enumeratedText(schema);
      case 'boolean':
        return text('boolean');
      default:
        return text('unknown');
    }
  }

  #object(name: string, schema: DefinedSchema): Shape {
    const { properties = {}, additionalProperties } = schema;
    const isAtomic = schema['x-kubernetes-map-type'] === 'atomic';
    const isStruct = Object.keys(properties).length > 0 || schema['x-kubernetes-embedded-resource'] === true;
    if (isStruct) return { kind: 'type', ...this.#named(name, schema) };
    const value = typeof additionalProperties === 'object' ? this.#shape(name, additionalProperties) : text('unknown');
    return { kind: 'map', value, isAtomic };
  }

  #list(name: string, schema: DefinedSchema): Shape {
    const { items, 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys } = schema;
    const element = items === undefined || Array.isArray(items) ? text('unknown') : this.#shape(name, items as DefinedSchema);
    const isAtomic = listType === undefined || listType === 'atomic';
    return { kind: 'list', element, isAtomic, ...(listType === 'map' && keys !== undefined && { keys }) };
  }

  /** Two ways from a kind may lead to one name, such as `a.bC` and `aB.c`; the later type gets a number. */
  #named(wanted: string, schema: DefinedSchema): { folder: string; name: string } {
    const name = this.#names.claim(wanted, (free) => [appliedName(free)]);
    this.#types.set(name, this.#struct(name, schema));
    return { folder: this.#folder, name };
  }
}

/** The members that an embedded object has, whatever its kind. */
const EMBEDDED: readonly ClientField[] = [
  { name: 'kind', description: 'Kind of the object.', shape: text('string'), required: true },
  { name: 'apiVersion', description: 'Group and version of the object.', shape: text('string'), required: true },
  { name: 'metadata', description: 'Name, labels and what else every object has.', shape: METADATA, required: false },
];

/** @returns the values of `enum`, without null: `nullable` states that, and null may stand in `enum` as well; [] if there is no `enum` */
const listed = ({ enum: values = [], nullable }: DefinedSchema): unknown[] => values.filter((value) => !(nullable && value === null));

function enumeratedNumber(schema: DefinedSchema): Shape {
  const values = listed(schema);
  return text(values.length > 0 && values.every(Number.isFinite) ? values.join(' | ') : 'number');
}

function enumeratedText(schema: DefinedSchema): Shape {
  const values = listed(schema);
  if (values.length === 0 || !values.every((value) => typeof value === 'string')) return text('string');
  return { kind: 'values', values, isOpen: false };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
