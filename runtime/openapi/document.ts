/** The types of OpenAPI 3.0 documents, which the generator and the server make. They are plain JSON. */

/** JSON Schema in the dialect of OpenAPI 3.0, with `x-kubernetes-*` members. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly nullable?: boolean;
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly required?: true;
  readonly schema: Schema;
}

/** By media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Operation {
  readonly description: string;
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: true };
  /** by HTTP status */
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

export interface GroupVersionKind {
  /** empty for the core group */
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

export const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'] as const;
export type Method = (typeof METHODS)[number];

export type PathItem = { readonly [M in Method]?: Operation } & {
  /** parameters of all operations of the path */
  readonly parameters?: readonly Parameter[];
};

export interface OpenapiDocument {
  readonly openapi: '3.0.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    /** by definition name */
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, object>>;
  };
}

/** The title in both dialects, because clients check it. */
export const TITLE = 'Kubernetes';

export const SECURITY_SCHEMES = {
  BearerToken: { description: 'A bearer token in the header Authorization.', in: 'header', name: 'authorization', type: 'apiKey' },
} as const;

const SCHEMA_REFERENCE = '#/components/schemas/';

export function schemaReference(definition: string): Schema {
  return { $ref: SCHEMA_REFERENCE + definition };
}

/** The package of types that all groups use: `ObjectMeta`, `Status`, options of verbs. */
export const META_PACKAGE = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The same schema for each media type. Media types are sorted. */
export function content(mediaTypes: readonly string[], schema: Schema): Content {
  return Object.fromEntries(mediaTypes.toSorted().map((type) => [type, { schema }]));
}

/**
 * The definitions that `value` refers to, directly or indirectly, sorted by name.
 * @throws Error for a reference to an unknown definition
 */
export function referencedSchemas(value: unknown, schemas: (definition: string) => Schema | undefined): Record<string, Schema> {
  const found = new Map<string, Schema>();
  const pending = references(value);
  for (let definition = pending.pop(); definition !== undefined; definition = pending.pop()) {
    if (found.has(definition)) continue;
    const schema = schemas(definition);
    if (schema === undefined) throw new Error(`no schema ${definition}`);
    found.set(definition, schema);
    pending.push(...references(schema));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member.slice(SCHEMA_REFERENCE.length)] : references(member),
  );
}
