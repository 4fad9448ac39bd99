import { median } from '../statistics.ts';
import { requestText, type Target } from '../target.ts';
import { Connection } from './connection.ts';

/** One list, read to its end several times, one after the other. */
export interface Lists {
  readonly kind: 'lists';
  readonly target: Target;
  /** with its query, which begins with `?` */
  readonly path: string;
  readonly accept: string;
  /** the query has a limit: all pages are read, and each is counted */
  readonly paged: boolean;
  readonly repeat: number;
}

export interface ListsResult {
  /** median of one answer: the whole list, or one page */
  readonly ms: number;
  readonly slowestMs: number;
  /** of one whole list */
  readonly bytes: number;
  readonly megabytesPerSecond: number;
  /** of the answer that was refused; the figures are then worth nothing */
  readonly failure?: string;
}

/** Of a list's body as much as holds its metadata. */
const BEGINNING = 4_096;

export async function runLists({ target, path, accept, paged, repeat }: Lists): Promise<ListsResult> {
  const connection = await Connection.open(target);
  const times: number[] = [];
  let bytes = 0;
  try {
    for (let i = 0; i < repeat; i++) {
      bytes = 0;
      let token: string | undefined = '';
      while (token !== undefined) {
        const suffix: string = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
        const page = await readPage(connection, requestText(target, 'GET', path + suffix, '', { Accept: accept }));
        if (page.status !== 200)
          return { ms: 0, slowestMs: 0, bytes: 0, megabytesPerSecond: 0, failure: `${page.status} ${page.beginning}` };
        times.push(page.ms);
        bytes += page.bytes;
        token = paged ? /"continue": ?"([^"]+)"/.exec(page.beginning)?.[1] : undefined;
      }
    }
  } finally {
    connection.close();
  }
  const total = times.reduce((sum, ms) => sum + ms, 0) / repeat;
  return { ms: median(times), slowestMs: Math.max(...times), bytes, megabytesPerSecond: bytes / 1e6 / (total / 1_000) };
}

function readPage(connection: Connection, request: string): Promise<{ status: number; ms: number; bytes: number; beginning: string }> {
  return new Promise((resolve) => {
    const started = performance.now();
    let beginning = '';
    let bytes = 0;
    connection.send(request, {
      onBody: (part) => {
        bytes += part.length;
        if (beginning.length < BEGINNING) beginning += part.toString('latin1', 0, BEGINNING);
      },
      onEnd: (status) => resolve({ status, ms: performance.now() - started, bytes, beginning }),
    });
  });
}
