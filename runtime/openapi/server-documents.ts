/** The documents of paths outside of group versions, one for each path as in 1.32. */
import { type OpenapiDocument, referencedSchemas } from './document.ts';

/**
 * @param server document with all these paths and the dialect's names
 * @returns documents by path below `/openapi/v3/`, such as `version`, `apis/apps`
 */
export function serverDocuments(server: OpenapiDocument): Map<string, OpenapiDocument> {
  const documents = new Map<string, OpenapiDocument>();
  for (const [path, item] of Object.entries(server.paths)) {
    const schemas = referencedSchemas(item, (definition) => server.components.schemas[definition]);
    documents.set(path.replace(/^\/|\/$/g, ''), { ...server, paths: { [path]: item }, components: { ...server.components, schemas } });
  }
  return documents;
}

/** @param path see `serverDocuments` @param groups names of the served groups; '' is the core group */
export function isServed(path: string, groups: ReadonlySet<string>): boolean {
  return path === 'api' ? groups.has('') : !path.startsWith('apis/') || groups.has(path.slice('apis/'.length));
}
