/** All that has been stored in a namespace, as watches tell it: what a quota said at each revision, and what there was. */
import type { Client, Json } from '../../../harness/client.ts';
import { NAMESPACE } from './writers.ts';

export type Numbers = Readonly<Record<string, number>>;

interface Stored {
  readonly revision: number;
  readonly resource: string;
  readonly name: string;
  /** undefined: it has gone */
  readonly object: Json | undefined;
}

/** At one revision. */
export interface Moment {
  readonly revision: number;
  /** what the objects use */
  readonly actual: Numbers;
  /** what the quotas say of it together; undefined before both say something */
  readonly used: Numbers | undefined;
}

/** They limit different things. */
const QUOTAS = 2;

const RESOURCES = ['resourcequotas', 'configmaps', 'pods', 'services'];

/**
 * @param since revision before anything was stored. @param until the last one that counts
 * @returns undefined where a watch ended before it had told of all that
 */
export async function moments(client: Client, since: string, until: number): Promise<Moment[] | undefined> {
  const found = await Promise.all(RESOURCES.map((resource) => changesOf(client, resource, since, until)));
  if (found.includes(undefined)) return undefined;
  const stored = found.flat() as Stored[];
  const objects = new Map<string, Numbers>();
  const said = new Map<string, Numbers>();
  const result: Moment[] = [];
  for (const { revision, resource, name, object } of stored.sort((a, b) => a.revision - b.revision)) {
    if (revision > until) break;
    if (resource === 'resourcequotas') {
      if (object?.status.used !== undefined) said.set(name, numbersOf(object.status.used));
    } else if (object === undefined) objects.delete(`${resource}/${name}`);
    else objects.set(`${resource}/${name}`, usageOf(resource, object));
    result.push({ revision, actual: total(objects.values()), used: said.size === QUOTAS ? total(said.values()) : undefined });
  }
  return result;
}

/** @returns undefined where the watch is over before it says, by a bookmark two seconds before its end, that it has told of all up to `until` */
async function changesOf(client: Client, resource: string, since: string, until: number): Promise<Stored[] | undefined> {
  const watch = await client.watch(`${NAMESPACE}/${resource}?watch=1&resourceVersion=${since}&timeoutSeconds=3&allowWatchBookmarks=true`);
  const found: Stored[] = [];
  for await (const { type, object } of watch) {
    if (type === 'ERROR') throw new Error(`watching ${resource}: ${object.message}`);
    const { resourceVersion, name } = object.metadata;
    const revision = Number(resourceVersion);
    if (type !== 'BOOKMARK') found.push({ revision, resource, name, object: type === 'DELETED' ? undefined : object });
    else if (revision >= until) return found;
  }
  return undefined;
}

/** @param amounts texts such as `2` and `300m` */
function numbersOf(amounts: Readonly<Record<string, string>>): Numbers {
  return Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, numberOf(text)]));
}

/** In thousandths. */
export function numberOf(text: string): number {
  return text.endsWith('m') ? Number(text.slice(0, -1)) : Number(text) * 1_000;
}

/** In the test's own words, not those of what it tests. */
function usageOf(resource: string, { metadata, spec, status }: Json): Numbers {
  if (resource === 'configmaps') return { 'count/configmaps': 1_000 };
  if (resource === 'services') return { services: 1_000, 'count/services': 1_000, 'services.nodeports': spec.ports.length * 1_000 };
  // whoever deletes one without a grace period marks it first: between both it has ended
  if (['Succeeded', 'Failed'].includes(status.phase) || metadata.deletionGracePeriodSeconds === 0) return { 'count/pods': 1_000 };
  return { 'count/pods': 1_000, pods: 1_000, 'requests.cpu': numberOf(spec.containers[0].resources.requests.cpu) };
}

function total(usages: Iterable<Numbers>): Numbers {
  const sum: Record<string, number> = {};
  for (const usage of usages) for (const [name, amount] of Object.entries(usage)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}
