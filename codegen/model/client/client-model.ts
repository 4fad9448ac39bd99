/**
 * The model that a typed client is written from: the resources that are asked for and the types that they lead to. Schemas and custom resource definitions are
 * both read into this form. Texts may hold identity placeholders.
 */
import type { Verb } from '../../../runtime/contract/kind.ts';

/** The part of the API that a client has. */
export interface ClientModel {
  /** Sorted by folder. A group version without resources is there for its types, which others use. */
  readonly groupVersions: readonly ClientGroupVersion[];
}

/** A folder of a client. */
export interface ClientGroupVersion {
  /** Folder within the package, such as `apps/v1`. */
  readonly folder: string;
  readonly group: string;
  readonly version: string;
  /** Files that state the group version, as the header of generated files names them. */
  readonly sources: readonly string[];
  /** If true, the texts hold no placeholders, and what looks like one is plain text. */
  readonly isLiteral?: boolean;
  /** Sorted by name. */
  readonly resources: readonly ClientResource[];
  /** Sorted by name. */
  readonly types: readonly ClientType[];
}

/** A resource, with what its functions may do. */
export interface ClientResource {
  /** Name of the resource in URLs, such as `pods`. */
  readonly name: string;
  readonly kind: string;
  /** Name of the type of its objects, which stands in the folder of the group version. */
  readonly type: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly Verb[];
  /** Paths of the members that field selectors may name, besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** Whether the server keeps objects of the resource, and does not merely answer requests. */
  readonly stored: boolean;
  /** Whether the server takes strategic merge patches. */
  readonly strategic: boolean;
  readonly description?: string;
  /** When and by what the version is replaced, for the documentation of a deprecated one; absent if it is not deprecated. */
  readonly deprecation?: string;
  readonly subresources: readonly ClientSubresource[];
  /**
   * Names of subresources that are connections or answer with other than an object, such as `exec` and `log`. Functions of the client's runtime ask for these.
   */
  readonly connections: readonly string[];
}

/** A subresource whose requests take or give an object. */
export interface ClientSubresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly object: TypeReference;
  readonly stored: boolean;
  /** Whether a create answers with a Status instead of the object. */
  readonly answersStatus: boolean;
  /** Group, version and kind of the object; absent if they are those of the resource. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Names a type of some folder. */
export interface TypeReference {
  readonly folder: string;
  readonly name: string;
}

export type ClientType = ClientStruct | ClientAlias;

interface Named {
  readonly name: string;
  readonly description?: string;
}

/** A type with members. */
export interface ClientStruct extends Named {
  readonly kind: 'struct';
  readonly fields: readonly ClientField[];
  /** Type of the values of members that are not declared; absent if there are none. */
  readonly others?: Shape;
  /** Whether a value has one owner as a whole, wherever its use does not say otherwise. */
  readonly isAtomic: boolean;
}

/** Another name for a type. */
export interface ClientAlias extends Named {
  readonly kind: 'alias';
  readonly shape: Shape;
}

/** A member of a type. */
export interface ClientField extends Named {
  readonly shape: Shape;
  /** Whether the member must be there in what is written, and always is in what is read. */
  readonly required: boolean;
  /** The value that the server sets where the member is absent. */
  readonly default?: unknown;
  readonly featureGate?: string;
}

/** The type of a member, of the elements of a list or of the values of a map. */
export type Shape =
  /** A type as TypeScript writes it, such as `string`. */
  | { readonly kind: 'text'; readonly text: string }
  /** Known texts. If `isOpen`, other texts are possible. */
  | { readonly kind: 'values'; readonly values: readonly string[]; readonly isOpen: boolean }
  | { readonly kind: 'list'; readonly element: Shape; readonly isAtomic: boolean; readonly keys?: readonly string[] }
  | { readonly kind: 'map'; readonly value: Shape; readonly isAtomic: boolean }
  | ({ readonly kind: 'type'; readonly isAtomic?: boolean } & TypeReference)
  | { readonly kind: 'either'; readonly of: readonly Shape[] };

export const text = (written: string): Shape => ({ kind: 'text', text: written });
export const NULL: Shape = text('null');

/** @returns the member `kind` or `apiVersion` of a kind, which has one value */
export function typeMember(name: string, kind: string, apiVersion: string): ClientField {
  const value = name === 'kind' ? kind : apiVersion;
  return {
    name,
    description: name === 'kind' ? `Always \`${kind}\`.` : 'Group and version of the object.',
    shape: { kind: 'values', values: [value], isOpen: false },
    required: true,
  };
}

/** @returns the types that a shape names, those of elements, values and alternatives included */
export function referencesIn(shape: Shape): TypeReference[] {
  switch (shape.kind) {
    case 'list':
      return referencesIn(shape.element);
    case 'map':
      return referencesIn(shape.value);
    case 'type':
      return [shape];
    case 'either':
      return shape.of.flatMap(referencesIn);
    default:
      return [];
  }
}

export const keyOf = ({ folder, name }: TypeReference): string => `${folder}#${name}`;
