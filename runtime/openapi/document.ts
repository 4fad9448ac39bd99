/** OpenAPI 3.0 documents as the generator writes them, as far as the server reads them. All of it is plain JSON. */

/** JSON Schema in the dialect of OpenAPI, with `x-kubernetes-*` members. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly nullable?: boolean;
  readonly [keyword: string]: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly schema: Schema;
  readonly [member: string]: unknown;
}

/** By media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content; readonly required?: boolean };
  /** by HTTP status */
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  readonly [member: string]: unknown;
}

export const METHODS = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'] as const;

export type PathItem = { readonly [M in (typeof METHODS)[number]]?: Operation } & {
  /** those that every operation of the path takes */
  readonly parameters?: readonly Parameter[];
};

export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    /** by definition name */
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, object>>;
  };
}

const SCHEMA_REFERENCE = '#/components/schemas/';

/** What is needed to read `value`: the definitions that it refers to, and those that they refer to, in the order of `schemas`. */
export function reachableSchemas(value: unknown, schemas: OpenapiDocument['components']['schemas']): Record<string, Schema> {
  const reached = new Set<string>();
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null) return;
    for (const [key, member] of Object.entries(each)) {
      if (key !== '$ref' || typeof member !== 'string') visit(member);
      else if (!reached.has(member)) {
        reached.add(member);
        visit(schemas[member.slice(SCHEMA_REFERENCE.length)]);
      }
    }
  };
  visit(value);
  return Object.fromEntries(Object.entries(schemas).filter(([definition]) => reached.has(SCHEMA_REFERENCE + definition)));
}
