/** The thread that reads documents of other API servers. It works on one order at a time and knows only what the order contains. */
import { documentWorks } from '../../aggregation/document-work.ts';
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

/** The buffers of a result that can be transferred to the other thread instead of copied. */
function* memoryOf(value: unknown): Generator<ArrayBuffer> {
  if (value instanceof Uint8Array) {
    // short values share a buffer of Node's pool with others, which must not be transferred
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) yield value.buffer;
  } else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* memoryOf(each);
}
