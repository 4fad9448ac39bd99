import type { Bench } from '../bench.ts';
import { labelledConfigMapBody, podBody } from '../objects.ts';
import { requestText } from '../target.ts';

/** Created between two reports. */
const PORTION = 20_000;
/** Seconds for a portion, enough for any machine. */
const LIMIT = 900;

/** Creates pods with the numbers 0 to count - 1. @param bytes of each body. @throws Error when one is refused */
export async function fillWithPods(bench: Bench, namespace: string, count: number, bytes?: number): Promise<void> {
  await fill(bench, `/api/v1/namespaces/${namespace}/pods`, podBody(bytes), count);
}

/** Creates labelled config maps with the numbers 0 to count - 1. @throws Error when one is refused */
export async function fillWithConfigMaps(bench: Bench, namespace: string, count: number): Promise<void> {
  await fill(bench, `/api/v1/namespaces/${namespace}/configmaps`, labelledConfigMapBody(), count);
}

/** Creates objects with the numbers 0 to count - 1, and says how far it is. @throws Error when one is refused */
export async function fill({ target, load, options, progress }: Bench, path: string, body: string, count: number): Promise<void> {
  const request = requestText(target, 'POST', path, body);
  for (let first = 0; first < count; first += PORTION) {
    const portion = Math.min(PORTION, count - first);
    const connections = Math.min(portion, options.connections);
    const limits = { first, count: portion, seconds: LIMIT };
    const result = await load.run({ kind: 'closedLoop', target, connections, request, ...limits });
    if (result.failures > 0) throw new Error(`${path} could not be filled: ${result.firstFailure}`);
    if (result.sent < portion) throw new Error(`${path} could not be filled: ${portion} objects were not created in ${LIMIT} s`);
    if (count > PORTION) progress(`${numberText(first + portion)} of ${numberText(count)} created, ${numberText(result.perSecond)}/s`);
  }
}

const numberText = (value: number): string => Math.round(value).toLocaleString('en');
