/** The content of the schema files as plain data, before the model is made. */
import type { OpenAPIV3 } from 'openapi-types';
import type { NodeInterface } from './node-interfaces.ts';
import type { RuleFiles } from './rule-files.ts';

export interface Sources {
  /** sorted by `folder` */
  readonly documents: readonly SchemaDocument[];
  /** by full name without a leading dot, such as `io.k8s.api.core.v1.PodSpec` */
  readonly messages: ReadonlyMap<string, Message>;
  /** package of each .proto file that could be read, '' where it states none; by path from the root */
  readonly protobufPackages: ReadonlyMap<string, string>;
  /** absent in a tree without such interfaces */
  readonly nodeInterfaces?: readonly NodeInterface[];
  readonly ruleFiles: RuleFiles;
  /** contents of identity.yaml, releases.yaml and feature-gates.yaml */
  readonly identity: unknown;
  readonly releases: unknown;
  readonly featureGates: unknown;
  /** text of flags.yaml, which its emitter reads itself; absent where there is none */
  readonly flags?: string;
  /** text of node-agent-flags.yaml, likewise */
  readonly nodeAgentFlags?: string;
  /** text of default-policy.yaml, likewise */
  readonly defaultPolicy?: string;
  /** text of metrics.yaml, behaviours.yaml and policy-exceptions.yaml, where they are */
  readonly metrics?: string;
  readonly behaviours?: string;
  readonly policyExceptions?: string;
}

export interface SchemaDocument {
  /** path below `schemas/`, such as `apps/v1` */
  readonly folder: string;
  /** path from the root of the tree, with slashes */
  readonly file: string;
  readonly content: OpenAPIV3.Document;
}

export type SchemaObject = OpenAPIV3.SchemaObject;
export type SchemaOrReference = SchemaObject | OpenAPIV3.ReferenceObject;

export function isReference(schema: SchemaOrReference): schema is OpenAPIV3.ReferenceObject {
  return '$ref' in schema;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Message {
  readonly name: string;
  /** full name */
  readonly fullName: string;
  readonly package: string;
  /** path from the root of the tree */
  readonly file: string;
  /** in the order of the file; those whose number or name another one has, or is reserved, come last */
  readonly fields: readonly MessageField[];
  /** names, and ranges of numbers from the first to the last */
  readonly reserved: readonly (string | readonly [number, number])[];
}

export interface MessageField {
  readonly name: string;
  readonly number: number;
  readonly rule: 'single' | 'repeated' | 'map';
  /** a protobuf scalar such as `int64`, or the full name of a message; of a map its values' */
  readonly type: string;
}

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** @returns the member if it is an object, otherwise an empty one */
export function objectAt(value: unknown, key: string): JsonObject {
  const member = isObject(value) ? value[key] : undefined;
  return isObject(member) ? member : {};
}
