/**
 * Connections of one user that list and create without pause, in a process of its own: whoever measures others beside them shares no thread with them. It
 * speaks HTTP/1.1 itself, for a crowd that costs more than the server would only measure the machine. What it is to do comes as the first message and
 * what came of it goes back as one; any other message ends it.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';

export interface CrowdOrder {
  readonly port: number;
  readonly token: string;
  readonly connections: number;
  /** of a collection */
  readonly path: string;
}

export interface CrowdReport {
  /** milliseconds of those that were answered */
  readonly answered: readonly number[];
  readonly refused: number;
  /** statuses of other answers, and errors */
  readonly others: readonly string[];
}

/** Handshakes under way at a time, while the crowd gathers. */
const GATHERING = 16;
/** Milliseconds after which those that are not answered yet are given up. */
const PATIENCE = 30_000;
const answered: number[] = [];
const others: string[] = [];
let refused = 0;
let made = 0;
let isOver = false;

function headOf({ path, token }: CrowdOrder, method: string, rest: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: crowd\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n${rest}\r\n`;
}

function nextRequest(order: CrowdOrder, lists: boolean): string {
  if (lists) return headOf(order, 'GET', '');
  const body = JSON.stringify({ metadata: { name: `crowd-${made++}` }, data: { a: 'x'.repeat(500) } });
  return headOf(order, 'POST', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) + body;
}

/** Reads answers of one connection: of each the status, when it has ended. */
class Answers {
  readonly #ended: (status: number) => void;
  #status = 0;
  /** bytes of the body that are to come; undefined: it comes in chunks */
  #left: number | undefined = 0;
  #head = '';
  #tail = '';

  constructor(ended: (status: number) => void) {
    this.#ended = ended;
  }

  read(bytes: Buffer): void {
    if (this.#status === 0) {
      this.#head += bytes.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#head.slice(0, end);
      const body = this.#head.slice(end + 4);
      this.#head = '';
      this.#status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      this.#left = length === undefined ? undefined : Number(length);
      this.#tail = '';
      this.#body(body.length, body.slice(-7));
    } else this.#body(bytes.length, bytes.toString('latin1', Math.max(0, bytes.length - 7)));
  }

  #body(length: number, end: string): void {
    if (this.#left !== undefined) this.#left -= length;
    else this.#tail = (this.#tail + end).slice(-7);
    if (this.#left === undefined ? this.#tail !== '\r\n0\r\n\r\n' : this.#left > 0) return;
    const status = this.#status;
    this.#status = 0;
    this.#ended(status);
  }
}

/** Asks until all is over. Resolves when the connection has gone. */
async function insist(order: CrowdOrder, socket: TLSSocket, lists: boolean): Promise<void> {
  let begun = performance.now();
  const ask = (): void => {
    begun = performance.now();
    socket.write(nextRequest(order, lists));
  };
  const answers = new Answers((status) => {
    if (status === 429) refused++;
    else if (status < 300) answered.push(performance.now() - begun);
    else others.push(String(status));
    if (isOver) socket.end();
    else ask();
  });
  socket.on('data', (bytes: Buffer) => answers.read(bytes));
  socket.on('error', (error) => others.push(String(error)));
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  ask();
  await closed;
  if (!isOver) others.push('a connection was closed');
}

async function gather({ port, token, connections }: CrowdOrder): Promise<TLSSocket[]> {
  const sockets: TLSSocket[] = [];
  let begun = 0;
  const come = async (): Promise<void> => {
    while (begun++ < connections) {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
      await once(socket, 'secureConnect');
      // a connection that says nothing is not kept for long
      socket.write(`GET /version HTTP/1.1\r\nHost: crowd\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      await once(socket, 'data');
      sockets.push(socket);
    }
  };
  await Promise.all(Array.from({ length: GATHERING }, come));
  return sockets;
}

const [order] = (await once(process, 'message')) as [CrowdOrder];
const sockets = await gather(order);
const members = sockets.map((socket, index) => insist(order, socket, index % 2 === 0));
process.send?.('gathered');
await once(process, 'message');
isOver = true;
await Promise.race([Promise.all(members), sleep(PATIENCE, undefined, { ref: false })]);
process.send?.({ answered, refused, others } satisfies CrowdReport);
process.channel?.unref();
