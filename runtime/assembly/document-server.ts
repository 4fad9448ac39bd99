/** The thread for documents of other servers: it works on one after the other, and knows nothing but what it is sent. */
import { documentWorks } from '../aggregation/document-work.ts';
import type { DocumentOrder, DocumentReport } from './document-threads.ts';

const { parentPort } = process.getBuiltinModule('node:worker_threads');

parentPort?.on('message', async ({ name, order }: DocumentOrder) => {
  const work = documentWorks[name] as (order: DocumentOrder['order']) => unknown;
  try {
    tell({ result: await work(order) });
  } catch (error) {
    tell({ failed: (error as Error).message });
  }
});

function tell(report: DocumentReport): void {
  parentPort?.postMessage(report, 'result' in report ? [...memoryOf(report.result)] : []);
}

/** All that a result has of memory of its own, which need not be copied. */
function* memoryOf(value: unknown): Generator<ArrayBuffer> {
  if (value instanceof Uint8Array) {
    // short ones lie in memory that others are in too
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) yield value.buffer;
  } else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* memoryOf(each);
}
