/** Describes parameters. Query parameters are made from the members of option kinds, so that they are stated only once. */
import { META_PACKAGE, METHODS, type Operation, type Parameter, type PathItem, type Schema } from '../document.ts';

/** Finds a published schema by its definition name. */
export type SchemaLookup = (definition: string) => Schema | undefined;

export const PRETTY: Parameter = {
  name: 'pretty',
  in: 'query',
  description: '`true` indents the answer. The default is `false`, but `true` for browsers and for curl and wget.',
  schema: { type: 'string', uniqueItems: true },
};

export const NAMESPACE: Parameter = pathParameter('namespace', 'Namespace that the object or the collection stands in.');
export const SUBPATH: Parameter = pathParameter('path', 'Path that the request is passed on to.');

export function nameParameter(kind: string): Parameter {
  return pathParameter('name', `Name of the ${kind}.`);
}

function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', description, required: true, schema: { type: 'string', uniqueItems: true } };
}

export type OptionKind = 'CreateOptions' | 'DeleteOptions' | 'ListOptions' | 'PatchOptions' | 'UpdateOptions';

export function optionParameters(kind: OptionKind, schemas: SchemaLookup): Parameter[] {
  return membersAsParameters(`${META_PACKAGE}.${kind}`, schemas);
}

/** The parameters of a read of one object: that of lists of the same meaning. */
export function readParameters(schemas: SchemaLookup): Parameter[] {
  return optionParameters('ListOptions', schemas).filter(({ name }) => name === 'resourceVersion');
}

/** The parameters of deletecollection: those that select objects in lists, and those of deletions, but none of watches. */
export function deleteCollectionParameters(schemas: SchemaLookup): Parameter[] {
  const selecting = optionParameters('ListOptions', schemas).filter(({ name }) => name !== 'watch' && name !== 'allowWatchBookmarks');
  return [...selecting, ...optionParameters('DeleteOptions', schemas)];
}

/**
 * Makes query parameters from the members of an option kind: single values, and lists as repeated parameters.
 * @throws Error for a kind without a schema
 */
export function membersAsParameters(definition: string, schemas: SchemaLookup): Parameter[] {
  const schema = schemas(definition);
  if (schema === undefined) throw new Error(`no schema ${definition} to make parameters of`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const type = member.type === 'array' ? member.items?.type : member.type;
    if (type === undefined || type === 'object' || name === 'kind' || name === 'apiVersion') return [];
    const { description } = member as { description?: string };
    return [{ name, in: 'query' as const, ...(description !== undefined && { description }), schema: { type, uniqueItems: true } }];
  });
}

/** Makes a path item from operations. Parameters that all operations have are moved to the path item. Members and parameters are sorted. */
export function pathItem(operations: Readonly<Partial<Record<string, Operation>>>): PathItem {
  const all = METHODS.flatMap((method) => operations[method] ?? []);
  const [first, ...others] = all.map(
    (operation) => new Map((operation.parameters ?? []).map((parameter) => [parameterKey(parameter), parameter])),
  );
  const shared = [...(first ?? [])].filter(([key]) => others.every((other) => other.has(key)));
  const sharedKeys = new Set(shared.map(([key]) => key));
  const item: Record<string, unknown> = {};
  for (const method of METHODS) {
    const operation = operations[method];
    if (operation !== undefined)
      item[method] = withParameters(
        operation,
        (operation.parameters ?? []).filter((own) => !sharedKeys.has(parameterKey(own))),
      );
  }
  if (shared.length > 0) item.parameters = shared.map(([, parameter]) => parameter).sort(byName);
  return item as PathItem;
}

function withParameters({ parameters: _, ...operation }: Operation, parameters: Parameter[]): Operation {
  return parameters.length === 0 ? operation : { ...operation, parameters: parameters.sort(byName) };
}

/** Parameters of the same name are only shared if their descriptions are the same, too. */
function parameterKey(parameter: Parameter): string {
  return `${parameter.in} ${parameter.name} ${parameter.description}`;
}

function byName(a: Parameter, b: Parameter): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.in < b.in ? -1 : 1;
}
