/** Reads which OpenAPI v3 documents another server has. */
import { isMembers, textOf } from '../openapi/remote-swagger.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';

export interface DocumentListOrder {
  readonly body: Uint8Array;
  /** of the wanted documents, below `/openapi/v3/` */
  readonly paths: readonly string[];
}

/** The hash of each wanted document: '' if it has none, undefined if there is no such document. @throws SyntaxError for invalid JSON */
export function listedHashes({ body, paths }: DocumentListOrder): readonly (string | undefined)[] {
  const list = parseNativeJson<unknown>(textOf(body));
  const listed = isMembers(list) && isMembers(list.paths) ? list.paths : {};
  return paths.map((path) => (Object.hasOwn(listed, path) ? hashOf(listed[path]) : undefined));
}

function hashOf(item: unknown): string {
  return hashIn(isMembers(item) ? item.serverRelativeURL : undefined);
}

/** The hash in an address such as `/openapi/v3/apis/shop.example/v1?hash=0A1B`. */
function hashIn(address: unknown): string {
  return typeof address === 'string' ? (new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('hash') ?? '') : '';
}
