/**
 * Makes the Swagger 2.0 document of all group versions from their OpenAPI 3.0 documents by the rules of 1.32: defaults are dropped,
 * references are unwrapped, values of two types become texts, and equal parameters are shared.
 */
import { createHash } from 'node:crypto';
import { atOnce } from '../schema/at-once.ts';
import { setMember } from '../schema/json/member.ts';
import { type Content, METHODS, type OpenapiDocument, type Operation, type Parameter, type PathItem, type Schema } from './document.ts';
import { statedRequired } from './stated-required.ts';

const ANY_BODY = ['*/*'];

/** What bodies of new objects may be. As in 1.32 whatever operates on such objects says so, with a body or without. */
export function bodyTypesOf(paths: OpenapiDocument['paths']): readonly string[] {
  const creating = Object.values(paths).find(({ post }) => post?.requestBody !== undefined)?.post;
  return creating === undefined ? ANY_BODY : Object.keys(creating.requestBody?.content ?? {});
}

/** Converts the paths of one document. */
export class PathConverter {
  /** the parameters to which converted paths refer, by name */
  readonly parameters = new Map<string, object>();
  readonly #sharedReferences = new Map<string, object>();
  readonly #shares: boolean;
  readonly #consumed: readonly string[];

  /**
   * @param shares whether parameters are listed once, and referred to, instead of at each operation
   * @param consumed the media types that operations without a body are said to take
   */
  constructor(shares = true, consumed: readonly string[] = ANY_BODY) {
    this.#shares = shares;
    this.#consumed = consumed;
  }

  pathItem(item: PathItem): object {
    const converted: Record<string, unknown> = {};
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) converted[method] = this.#operation(operation);
    }
    if (item.parameters !== undefined) converted.parameters = item.parameters.map((parameter) => this.#stated(convertParameter(parameter)));
    return converted;
  }

  #operation({ parameters = [], requestBody, responses, ...operation }: Operation): object {
    const [body] = requestBody === undefined ? [] : Object.values(requestBody.content);
    const all: SwaggerParameter[] = parameters.map(convertParameter);
    if (body !== undefined) {
      const required = requestBody?.required === true && { required: true };
      all.push({ name: 'body', in: 'body', ...required, schema: convertSchema(body.schema) });
      all.sort(byNameAndPlace);
    }
    const produces = new Set(Object.values(responses).flatMap((response) => Object.keys(response.content ?? {})));
    return {
      ...operation,
      consumes: requestBody === undefined ? this.#consumed : consumedBy(requestBody.content),
      produces: [...produces].sort(),
      schemes: ['https'],
      ...(all.length > 0 && { parameters: all.map((parameter) => this.#stated(parameter)) }),
      responses: Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, convertResponse(response)])),
    };
  }

  /** Shared parameters are listed once, under names that contain their hashes. */
  #stated(parameter: SwaggerParameter): object {
    if (!this.#shares || isOfOperation(parameter)) return parameter;
    const text = JSON.stringify(parameter);
    let reference = this.#sharedReferences.get(text);
    if (reference === undefined) {
      const name = `${parameter.name}-${createHash('sha256').update(text).digest('base64url').slice(0, 8)}`;
      this.parameters.set(name, parameter);
      reference = { $ref: `#/parameters/${name}` };
      this.#sharedReferences.set(text, reference);
    }
    return reference;
  }
}

/** Forms of patches stand as 1.32 has come to know them: those of apply behind the others. */
function consumedBy(content: Content): readonly string[] {
  const isApply = (type: string): boolean => type.includes('/apply-patch');
  const types = Object.keys(content);
  return [...types.filter((type) => !isApply(type)), ...types.filter(isApply)];
}

interface SwaggerParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  /** of bodies alone */
  readonly schema?: Schema;
}

function convertParameter({ schema, ...place }: Parameter): SwaggerParameter {
  return { ...place, ...schema };
}

function byNameAndPlace(a: SwaggerParameter, b: SwaggerParameter): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.in < b.in ? -1 : 1;
}

/** Clients of early releases look for these at each operation, to know what a server can do. */
const LOOKED_FOR: ReadonlySet<string> = new Set(['dryRun', 'fieldValidation']);
const OF_ALL_KINDS = '#/definitions/io.k8s.apimachinery';

/** Whether each operation says a parameter itself, as in 1.32: one that tells of its kind, for others of the same name say something else. */
function isOfOperation({ name, in: place, schema }: SwaggerParameter): boolean {
  if (place === 'body') return schema?.$ref?.startsWith(OF_ALL_KINDS) !== true;
  return name === 'name' || (place === 'query' && LOOKED_FOR.has(name));
}

function convertResponse({ content, ...response }: { readonly description: string; readonly content?: Content }): object {
  const [first] = Object.values(content ?? {});
  return first === undefined ? response : { ...response, schema: convertSchema(first.schema) };
}

/** Keywords of 3.0 that 2.0 does not have. */
const DROPPED = new Set(['default', 'anyOf', 'oneOf', 'allOf', 'not', 'nullable', 'writeOnly', 'deprecated', 'discriminator']);

/** Like `schemaSlices`, in one go. */
export const convertSchema = (schema: Schema): Schema => atOnce(schemaSlices(schema));

/** Converts a schema; yields between its pieces. */
export function* schemaSlices(schema: Schema): Generator<void, Schema, void> {
  yield;
  const converted: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema))
    if (!DROPPED.has(keyword)) converted[keyword] = yield* convertKeyword(keyword, value);
  const [wrapped, ...others] = schema.allOf ?? [];
  if (wrapped?.$ref !== undefined && others.length === 0) converted.$ref = convertReference(wrapped.$ref);
  // a value of several types is described as text
  if (isChoiceOfTypes(schema.oneOf)) converted.type = 'string';
  return withoutLimits(schema, converted);
}

const MARKS_OF_KINDS = ['x-kubernetes-group-version-kind', 'x-kubernetes-selectable-fields'];

/** The members of a schema that describe a kind as a whole. */
function marksOfKind(schema: Schema): Schema {
  return Object.fromEntries(MARKS_OF_KINDS.flatMap((mark) => (schema[mark] === undefined ? [] : [[mark, schema[mark]]])));
}

/**
 * Readers of 2.0 such as kubectl refuse null and members that a schema does not name. So values that may be null, or may have unknown
 * members, are not described any further: the former have no type, and neither have objects of the latter. A list without known elements
 * has no type either. A member that may be null is not required.
 */
function withoutLimits(schema: Schema, converted: Record<string, unknown>): Schema {
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isOpen && schema['x-kubernetes-group-version-kind'] !== undefined) return { type: 'object', ...marksOfKind(schema) };
  if (schema.nullable === true || isOpen) {
    delete converted.items;
    delete converted.properties;
  }
  if (schema.nullable === true || (isOpen && schema.type === 'object')) delete converted.type;
  if (converted.type === 'array' && converted.items === undefined) delete converted.type;
  const stated = statedRequired(schema);
  if (stated !== undefined) {
    const { additionalProperties: others, properties } = schema;
    const mayBeNull = (name: string) => properties?.[name]?.nullable === true || (typeof others === 'object' && others.nullable === true);
    const required = stated.filter((name) => !mayBeNull(name));
    if (required.length > 0) converted.required = required;
    else delete converted.required;
  }
  return converted;
}

function* convertKeyword(keyword: string, value: unknown): Generator<void, unknown, void> {
  switch (keyword) {
    case '$ref':
      return convertReference(value as string);
    case 'items':
      return yield* schemaSlices(value as Schema);
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : yield* schemaSlices(value as Schema);
    case 'properties':
      return yield* convertMembers(value as Record<string, Schema>);
    default:
      return value;
  }
}

function* convertMembers(members: Readonly<Record<string, Schema>>): Generator<void, Record<string, Schema>, void> {
  const converted: Record<string, Schema> = {};
  for (const name of Object.keys(members)) setMember(converted, name, yield* schemaSlices(members[name] as Schema));
  return converted;
}

function convertReference(reference: string): string {
  return reference.replace('#/components/schemas/', '#/definitions/');
}

function isChoiceOfTypes(choices: unknown): boolean {
  return Array.isArray(choices) && choices.every((choice) => Object.keys(choice).length === 1 && typeof choice.type === 'string');
}
