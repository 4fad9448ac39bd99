import type { Bench } from '../bench.ts';
import { podBody } from '../objects.ts';
import { requestText } from '../target.ts';

/** milliseconds enough for any machine */
const LIMIT_SECONDS = 600;

/** Creates pods with the numbers 0 to count - 1. @throws Error when one is refused */
export async function fillWithPods({ target, load, options }: Bench, namespace: string, count: number): Promise<void> {
  const result = await load.run({
    kind: 'closedLoop',
    target,
    connections: Math.min(count, options.connections),
    request: requestText(target, 'POST', `/api/v1/namespaces/${namespace}/pods`, podBody()),
    firstNumber: 0,
    count,
    seconds: LIMIT_SECONDS,
    warmUpSeconds: 0,
  });
  if (result.failures > 0) throw new Error(`pods could not be created: ${result.firstFailure}`);
}
