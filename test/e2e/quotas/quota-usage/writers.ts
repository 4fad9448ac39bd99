/** Writers that create, change and delete what a quota limits, all at once, on few names, so that they meet. */
import fc from 'fast-check';
import type { Answer, Client } from '../../../harness/client.ts';

export const NAMESPACE = '/api/v1/namespaces/limited';
export const NAMES = 6;

/** Resources that are written. */
export const KINDS = ['configmaps', 'pods', 'services'] as const;

/** One request. What it is about, and how much of it is wanted. */
export interface Step {
  readonly what: (typeof KINDS)[number];
  readonly how: 'create' | 'delete' | 'change' | 'try';
  readonly name: number;
  readonly amount: number;
}

/** More creates than deletes: the limits are to be reached. */
const HOW = fc.constantFrom<Step['how'][]>('create', 'create', 'create', 'delete', 'change', 'try');

export const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...KINDS),
  how: HOW,
  name: fc.nat(NAMES - 1),
  amount: fc.integer({ min: 1, max: 4 }),
});

const METADATA = (name: string) => ({ metadata: { name } });
const ports = (amount: number) => Array.from({ length: amount }, (_, index) => ({ name: `p${index}`, port: 80 + index }));

function objectOf({ what, amount }: Step, name: string): object {
  if (what === 'configmaps') return METADATA(name);
  if (what === 'services') return { ...METADATA(name), spec: { type: 'NodePort', ports: ports(amount) } };
  const resources = { requests: { cpu: `${amount}00m` } };
  return { ...METADATA(name), spec: { containers: [{ name: 'c', image: 'i', resources }] } };
}

/** @returns what the server answers; undefined where it is gone before it answers */
export async function take(client: Client, each: Step): Promise<Answer | undefined> {
  try {
    return await send(client, each);
  } catch {
    return undefined;
  }
}

function send(client: Client, each: Step): Promise<Answer> {
  const { what, how, amount } = each;
  const name = `${what}-${each.name}`;
  const path = `${NAMESPACE}/${what}`;
  if (how === 'create') return client.post(path, objectOf(each, name));
  if (how === 'try') return client.post(`${path}?dryRun=All`, objectOf(each, `${name}-tried`));
  if (how === 'delete') return client.delete(`${path}/${name}`, what === 'pods' ? { gracePeriodSeconds: 0 } : undefined);
  if (what === 'services') return client.patch(`${path}/${name}`, { spec: { ports: ports(amount) } });
  if (what === 'pods') return client.patch(`${path}/${name}/status`, { status: { phase: amount % 2 === 0 ? 'Succeeded' : 'Failed' } });
  return client.patch(`${path}/${name}`, { data: { a: String(amount) } });
}
