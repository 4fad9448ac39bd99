import { percentile } from '../statistics.ts';
import { requestText, type Target } from '../target.ts';
import { type Connection, openConnections } from './connection.ts';

/** One list, read to its end again and again. */
export interface Lists {
  readonly kind: 'lists';
  readonly target: Target;
  /** with its query, which begins with `?` */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** the query has a limit: all pages are read, and each is counted */
  readonly paged: boolean;
  /** connections that read the list at the same time; a round ends with the last of them */
  readonly atOnce: number;
  /** rounds at least */
  readonly repeat: number;
  /** rounds go on for this long */
  readonly seconds: number;
}

export interface ListsResult {
  /** of one answer, a whole list or a page; of a whole round where several lists are read at once */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** whole lists and pages that were read */
  readonly answers: number;
  /** of one whole list */
  readonly bytes: number;
  readonly megabytesPerSecond: number;
  /** of the answer that was refused; the figures are then worth nothing */
  readonly failure?: string;
}

interface Answer {
  /** 0: the server broke it off */
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
  readonly beginning: string;
}

/** Of a list's body as much as holds its metadata. */
const BEGINNING = 4_096;

export async function runLists(load: Lists): Promise<ListsResult> {
  const connections = await openConnections(load.target, load.atOnce);
  const until = performance.now() + load.seconds * 1_000;
  const times: number[] = [];
  let rounds = 0;
  let count = 0;
  let bytes = 0;
  let milliseconds = 0;
  try {
    for (; rounds < load.repeat || performance.now() < until; rounds++) {
      const started = performance.now();
      const answers = (await Promise.all(connections.map((connection) => readList(connection, load)))).flat();
      const took = performance.now() - started;
      const refused = answers.find(({ status }) => status !== 200);
      if (refused !== undefined) return refusal(refused);
      for (const answer of answers) bytes += answer.bytes;
      count += answers.length;
      milliseconds += took;
      if (load.atOnce > 1) times.push(took);
      else for (const { ms } of answers) times.push(ms);
    }
  } finally {
    for (const connection of connections) connection.close();
  }
  times.sort((a, b) => a - b);
  return {
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    answers: count,
    bytes: bytes / rounds / load.atOnce,
    megabytesPerSecond: bytes / 1_000 / milliseconds,
  };
}

function refusal({ status, ms, beginning }: Answer): ListsResult {
  const failure = status === 0 ? `broken off after ${(ms / 1_000).toFixed(0)} s` : `${status} ${beginning}`;
  return { p50Ms: 0, p99Ms: 0, answers: 0, bytes: 0, megabytesPerSecond: 0, failure };
}

/** All pages of a list, or its one answer. */
async function readList(connection: Connection, { target, path, headers, paged }: Lists): Promise<Answer[]> {
  const answers: Answer[] = [];
  let token: string | undefined = '';
  while (token !== undefined) {
    const suffix: string = token === '' ? '' : `&continue=${encodeURIComponent(token)}`;
    const answer = await readAnswer(connection, requestText(target, 'GET', path + suffix, '', headers));
    answers.push(answer);
    token = paged && answer.status === 200 ? /"continue": ?"([^"]+)"/.exec(answer.beginning)?.[1] : undefined;
  }
  return answers;
}

function readAnswer(connection: Connection, request: string): Promise<Answer> {
  return new Promise((resolve) => {
    const started = performance.now();
    let beginning = '';
    let bytes = 0;
    connection.onClose(() => resolve({ status: 0, ms: performance.now() - started, bytes, beginning }));
    connection.send(request, {
      onBody: (part) => {
        bytes += part.length;
        if (beginning.length < BEGINNING) beginning += part.toString('latin1', 0, BEGINNING);
      },
      onEnd: (status) => resolve({ status, ms: performance.now() - started, bytes, beginning }),
    });
  });
}
