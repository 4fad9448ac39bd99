/** What a list of another server's objects says of them to who deletes them. */
import { isMembers, textOf } from '../openapi/remote-swagger.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { type ListedObjects, MOST_FINALIZERS } from './object-pages.ts';

export interface ObjectListOrder {
  readonly body: Uint8Array;
}

/** Of one page: who is asked for 500 objects may send any number. */
const MOST_NAMES = 5_000;

/** Another server may say anything. @throws SyntaxError for what is no JSON; Error for what is no object */
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
