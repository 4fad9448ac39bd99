/** Which OpenAPI documents in version 3 another server has. */
import { isMembers, textOf } from '../openapi/remote-swagger.ts';
import { parseNativeJson } from '../schema/native-json.ts';

export interface DocumentListOrder {
  readonly body: Uint8Array;
  /** of documents, below `/openapi/v3/` */
  readonly paths: readonly string[];
}

/** Hashes of documents, '' for one without; undefined for those that the server has not. @throws SyntaxError for what is no JSON */
export function listedHashes({ body, paths }: DocumentListOrder): readonly (string | undefined)[] {
  const list = parseNativeJson<unknown>(textOf(body));
  const listed = isMembers(list) && isMembers(list.paths) ? list.paths : {};
  return paths.map((path) => (Object.hasOwn(listed, path) ? hashOf(listed[path]) : undefined));
}

function hashOf(item: unknown): string {
  return hashIn(isMembers(item) ? item.serverRelativeURL : undefined);
}

/** Of an address such as `/openapi/v3/apis/shop.example/v1?hash=0A1B`. */
function hashIn(address: unknown): string {
  return typeof address === 'string' ? (new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('hash') ?? '') : '';
}
