/** Documents of what stands outside group versions: one for each path, as 1.32 has them. */
import { type OpenapiDocument, referencedSchemas } from './document.ts';

/**
 * @param server all paths outside group versions in one document, with the dialect's names
 * @returns by path below `/openapi/v3/`, such as `version`, `apis/apps`
 */
export function serverDocuments(server: OpenapiDocument): Map<string, OpenapiDocument> {
  const documents = new Map<string, OpenapiDocument>();
  for (const [path, item] of Object.entries(server.paths)) {
    const schemas = referencedSchemas(item, (definition) => server.components.schemas[definition]);
    documents.set(path.replace(/^\/|\/$/g, ''), { ...server, paths: { [path]: item }, components: { ...server.components, schemas } });
  }
  return documents;
}

/** @param path as of `serverDocuments`. @param groups names of the groups that are served; the core group is the empty one */
export function isServed(path: string, groups: ReadonlySet<string>): boolean {
  return path === 'api' ? groups.has('') : !path.startsWith('apis/') || groups.has(path.slice('apis/'.length));
}
