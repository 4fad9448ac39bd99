import type { Bench } from '../bench.ts';
import { labelledConfigMapBody, podBody } from '../objects.ts';
import { requestText } from '../target.ts';

/** seconds, enough for any machine */
const LIMIT = 900;

/** Creates pods with the numbers 0 to count - 1. @param bytes of each body. @throws Error when one is refused */
export async function fillWithPods(bench: Bench, namespace: string, count: number, bytes?: number): Promise<void> {
  await fill(bench, `/api/v1/namespaces/${namespace}/pods`, podBody(bytes), count);
}

/** Creates labelled config maps with the numbers 0 to count - 1. @throws Error when one is refused */
export async function fillWithConfigMaps(bench: Bench, namespace: string, count: number): Promise<void> {
  await fill(bench, `/api/v1/namespaces/${namespace}/configmaps`, labelledConfigMapBody(), count);
}

/** Creates objects with the numbers 0 to count - 1. @throws Error when one is refused */
export async function fill({ target, load, options }: Bench, path: string, body: string, count: number): Promise<void> {
  const result = await load.run({
    kind: 'closedLoop',
    target,
    connections: Math.min(count, options.connections),
    request: requestText(target, 'POST', path, body),
    firstNumber: 0,
    count,
    seconds: LIMIT,
    warmUpSeconds: 0,
  });
  if (result.failures > 0) throw new Error(`${path} could not be filled: ${result.firstFailure}`);
  if (result.sent < count) throw new Error(`${path} could not be filled in ${LIMIT} s`);
}
