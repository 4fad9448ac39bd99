/** Reads from another server's list of objects what is needed to delete them, and to say what holds that up. */
import { isMembers, textOf } from '../openapi/remote-swagger.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { type ListedObjects, MOST_FINALIZERS } from './object-pages.ts';

export interface ObjectListOrder {
  readonly body: Uint8Array;
}

/** Most names that are kept of one page. A server that is asked for 500 objects may send any number. */
const MOST_NAMES = 5_000;

/** Members of a wrong type are passed over. @throws SyntaxError for invalid JSON; Error if the list is no object */
export function listedObjects({ body }: ObjectListOrder): ListedObjects {
  const page = parseNativeJson<unknown>(textOf(body));
  if (!isMembers(page)) throw new Error('the list is no object');
  const items: readonly unknown[] = Array.isArray(page.items) ? page.items : [];
  const names: string[] = [];
  const finalizers = new Map<string, number>();
  let grace = 0;
  for (const item of items) {
    const metadata = isMembers(item) && isMembers(item.metadata) ? item.metadata : {};
    if (names.length < MOST_NAMES) names.push(wordOf(metadata.name));
    if (typeof metadata.deletionGracePeriodSeconds === 'number') grace = Math.max(grace, metadata.deletionGracePeriodSeconds);
    countFinalizers(metadata.finalizers, finalizers);
  }
  return { count: items.length, names, grace, finalizers, next: wordOf(isMembers(page.metadata) ? page.metadata.continue : undefined) };
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function countFinalizers(kept: unknown, counts: Map<string, number>): void {
  if (!Array.isArray(kept)) return;
  for (const each of kept) {
    if (typeof each !== 'string') continue;
    const count = counts.get(each);
    if (count !== undefined || counts.size < MOST_FINALIZERS) counts.set(each, (count ?? 0) + 1);
  }
}
