/** The content of the schema files as plain data, before the model is made of it. */
import type { OpenAPIV3 } from 'openapi-types';
import type { NodeInterface } from './node-interfaces.ts';
import type { RuleFiles } from './rule-files.ts';

/** The content of all files of a tree. */
export interface Sources {
  /** Sorted by `folder`. */
  readonly documents: readonly SchemaDocument[];
  /** By full name without a leading dot, such as `io.k8s.api.core.v1.PodSpec`. */
  readonly messages: ReadonlyMap<string, Message>;
  /** The package of each .proto file that could be read, by path from the root; '' if the file states none. */
  readonly protobufPackages: ReadonlyMap<string, string>;
  /** Absent in a tree without such interfaces. */
  readonly nodeInterfaces?: readonly NodeInterface[];
  readonly ruleFiles: RuleFiles;
  /** Contents of identity.yaml, releases.yaml and feature-gates.yaml; undefined if the file is missing or no YAML. */
  readonly identity: unknown;
  readonly releases: unknown;
  readonly featureGates: unknown;
  /** Text of flags.yaml, which its emitter parses; absent if there is no such file. */
  readonly flags?: string;
  /** Text of node-agent-flags.yaml, likewise. */
  readonly nodeAgentFlags?: string;
  /** Text of default-policy.yaml, likewise. */
  readonly defaultPolicy?: string;
  /** Texts of metrics.yaml, behaviours.yaml and policy-exceptions.yaml, likewise. */
  readonly metrics?: string;
  readonly behaviours?: string;
  readonly policyExceptions?: string;
}

/** An OpenAPI document, with its references left in place. */
export interface SchemaDocument {
  /** Path below `schemas/`, such as `apps/v1`. */
  readonly folder: string;
  /** Path from the root of the tree, with slashes. */
  readonly file: string;
  readonly content: OpenAPIV3.Document;
}

export type SchemaObject = OpenAPIV3.SchemaObject;
export type SchemaOrReference = SchemaObject | OpenAPIV3.ReferenceObject;

export function isReference(schema: SchemaOrReference): schema is OpenAPIV3.ReferenceObject {
  return '$ref' in schema;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** A protobuf message. */
export interface Message {
  readonly name: string;
  /** Name with the package before it. */
  readonly fullName: string;
  readonly package: string;
  /** Path from the root of the tree. */
  readonly file: string;
  /** In the order of the file; fields whose number or name is taken or reserved come last. */
  readonly fields: readonly MessageField[];
  /** Names, and ranges of numbers from the first to the last. */
  readonly reserved: readonly (string | readonly [number, number])[];
}

/** A field of a message. */
export interface MessageField {
  readonly name: string;
  readonly number: number;
  readonly rule: 'single' | 'repeated' | 'map';
  /** A protobuf scalar such as `int64`, or the full name of a message; for a map the type of its values. */
  readonly type: string;
}

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** @returns the member if it is an object, otherwise {} */
export function objectAt(value: unknown, key: string): JsonObject {
  const member = isObject(value) ? value[key] : undefined;
  return isObject(member) ? member : {};
}
