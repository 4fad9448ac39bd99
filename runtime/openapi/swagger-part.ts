/**
 * The part that one OpenAPI 3.0 document contributes to the Swagger 2.0 document of all, as texts of members. It is made once as long as
 * that document is served, so that a change of one definition makes only one part again.
 */
import type { OpenapiDocument, Schema } from './document.ts';
import { inSlices, slices } from './gnostic/slices.ts';
import { jsonSlices } from './json-slices.ts';
import { memberOfText, memberText } from './member-text.ts';
import { bodyTypesOf, convertSchema, PathConverter, schemaSlices } from './swagger.ts';

/** Members of the whole document to which all parts contribute. */
export type Shared = 'paths' | 'definitions' | 'parameters' | 'securityDefinitions';

export interface SwaggerPart {
  readonly info: OpenapiDocument['info'];
  /** texts of `memberText`, by name */
  readonly members: Readonly<Record<Shared, ReadonlyMap<string, Buffer>>>;
}

/** texts of schemas that many documents share under the same name */
const definitions = new WeakMap<Schema, Buffer>();
/** texts of parameters, whose names contain a hash of their contents */
const parameters = new Map<string, Buffer>();
/** Parameters that are remembered at most. */
const MOST_PARAMETERS = 1_000;

/**
 * @param document schemas that it shares with other documents must be the same objects
 * @param isMuchWork whether one of its schemas is long
 * @param sharesParameters see `PathConverter`
 */
export async function swaggerPart(
  { info, paths, components }: OpenapiDocument,
  { isMuchWork = false, sharesParameters = true } = {},
): Promise<SwaggerPart> {
  const pause = slices();
  const converter = new PathConverter(sharesParameters, bodyTypesOf(paths));
  const members: Record<Shared, Map<string, Buffer>> = {
    paths: new Map(),
    definitions: new Map(),
    parameters: new Map(),
    securityDefinitions: new Map(),
  };
  for (const [path, item] of Object.entries(paths)) {
    members.paths.set(path, memberText(path, converter.pathItem(item)));
    await pause();
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    members.definitions.set(name, isMuchWork ? await inSlices(definitionSlices(name, schema)) : definitionOf(name, schema));
    await pause();
  }
  for (const [name, parameter] of converter.parameters) members.parameters.set(name, parameterOf(name, parameter));
  for (const [name, scheme] of Object.entries(components.securitySchemes ?? {}))
    members.securityDefinitions.set(name, memberText(name, scheme));
  return { info, members };
}

function definitionOf(name: string, schema: Schema): Buffer {
  const known = definitions.get(schema);
  if (known !== undefined) return known;
  const made = memberText(name, convertSchema(schema));
  definitions.set(schema, made);
  return made;
}

function* definitionSlices(name: string, schema: Schema): Generator<void, Buffer, void> {
  const made = definitions.get(schema) ?? memberOfText(name, yield* jsonSlices(yield* schemaSlices(schema)));
  definitions.set(schema, made);
  return made;
}

function parameterOf(name: string, parameter: object): Buffer {
  const known = parameters.get(name);
  if (known !== undefined) return known;
  const made = memberText(name, parameter);
  if (parameters.size < MOST_PARAMETERS) parameters.set(name, made);
  return made;
}

/** The members of all parts, sorted by name; of several with the same name, the first. */
export function mergedMembers(parts: readonly SwaggerPart[], name: Shared): [string, Buffer][] {
  const merged = new Map<string, Buffer>();
  for (const { members } of parts) for (const [key, text] of members[name]) if (!merged.has(key)) merged.set(key, text);
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1));
}
