/**
 * What a typed client is written from: the resources that are asked for and the types that they lead to, whether schemas or definitions state them.
 * Text may hold identity placeholders.
 */
import type { Verb } from '../../../runtime/contract/kind.ts';

export interface ClientModel {
  /** sorted by folder; those without resources have types that others use */
  readonly groupVersions: readonly ClientGroupVersion[];
}

export interface ClientGroupVersion {
  /** of the package, such as `apps/v1` */
  readonly folder: string;
  readonly group: string;
  readonly version: string;
  /** files that state it, as the generated ones name them */
  readonly sources: readonly string[];
  /** true: its texts hold no placeholders, and what looks like one is text */
  readonly isLiteral?: boolean;
  /** sorted by name */
  readonly resources: readonly ClientResource[];
  /** sorted by name */
  readonly types: readonly ClientType[];
}

export interface ClientResource {
  /** in URLs, such as `pods` */
  readonly name: string;
  readonly kind: string;
  /** name of its objects' type, in the folder */
  readonly type: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly Verb[];
  /** besides name and namespace */
  readonly selectableFields: readonly string[];
  /** whether the server keeps objects */
  readonly stored: boolean;
  /** whether it takes strategic merge patches */
  readonly strategic: boolean;
  readonly description?: string;
  /** what is to be said of a version that goes */
  readonly deprecation?: string;
  readonly subresources: readonly ClientSubresource[];
  /** subresources that are connections, which have functions of their own */
  readonly connections: readonly string[];
}

export interface ClientSubresource {
  readonly name: string;
  readonly verbs: readonly Verb[];
  readonly object: TypeReference;
  readonly stored: boolean;
  /** a create answers with a Status */
  readonly answersStatus: boolean;
  /** where it is of another version than the resource, or another kind */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

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
  /** of members that are not declared; absent: there are none */
  readonly others?: Shape;
  /** has one owner as a whole, wherever its use does not say otherwise */
  readonly isAtomic: boolean;
}

/** Another name for a type. */
export interface ClientAlias extends Named {
  readonly kind: 'alias';
  readonly shape: Shape;
}

export interface ClientField extends Named {
  readonly shape: Shape;
  /** must be there in what is written, and is in what is read */
  readonly required: boolean;
  /** what the server sets where it is absent */
  readonly default?: unknown;
  readonly featureGate?: string;
}

/** A type of a member, of elements or of values. */
export type Shape =
  /** as TypeScript has it, such as `string` */
  | { readonly kind: 'text'; readonly text: string }
  /** texts; `isOpen`: others are possible */
  | { readonly kind: 'values'; readonly values: readonly string[]; readonly isOpen: boolean }
  | { readonly kind: 'list'; readonly element: Shape; readonly isAtomic: boolean; readonly keys?: readonly string[] }
  | { readonly kind: 'map'; readonly value: Shape; readonly isAtomic: boolean }
  | ({ readonly kind: 'type'; readonly isAtomic?: boolean } & TypeReference)
  | { readonly kind: 'either'; readonly of: readonly Shape[] };

export const text = (written: string): Shape => ({ kind: 'text', text: written });
export const NULL: Shape = text('null');

export function typeMember(name: string, kind: string, apiVersion: string): ClientField {
  const value = name === 'kind' ? kind : apiVersion;
  return {
    name,
    description: name === 'kind' ? `Always \`${kind}\`.` : 'Group and version of the object.',
    shape: { kind: 'values', values: [value], isOpen: false },
    required: true,
  };
}

/** Types that a shape names. */
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
