/** Documents of what stands outside group versions: one for each path, as 1.32 has them. */
import { type OpenapiDocument, reachableSchemas } from './document.ts';

/**
 * @param server all paths outside group versions in one document, with the dialect's names
 * @param groups names of the groups that are served; the core group is the empty one
 * @returns by path below `/openapi/v3/`, such as `version`, `apis/apps`
 */
export function serverDocuments(server: OpenapiDocument, groups: ReadonlySet<string>): Map<string, OpenapiDocument> {
  const documents = new Map<string, OpenapiDocument>();
  for (const [path, item] of Object.entries(server.paths)) {
    const name = path.replace(/^\/|\/$/g, '');
    if (name === 'api' ? !groups.has('') : name.startsWith('apis/') && !groups.has(name.slice('apis/'.length))) continue;
    const schemas = reachableSchemas(item, server.components.schemas);
    documents.set(name, { ...server, paths: { [path]: item }, components: { ...server.components, schemas } });
  }
  return documents;
}
