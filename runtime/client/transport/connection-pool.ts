/** Keeps connections to one server between exchanges. The one that was used last is used first, so that surplus ones become idle and end. */
import { LastHead } from './answer-reader.ts';
import { type Connect, type ConnectionOwner, KeptConnection } from './kept-connection.ts';
import { type Carrier, type WholeAnswer, WholeExchange, type WholeRequest } from './whole-exchange.ts';

export interface PoolLimits {
  /** the most connections at a time */
  readonly open: number;
  /** the most unused connections that are kept */
  readonly idle: number;
}

interface Idle {
  readonly connection: KeptConnection;
  /** of `performance.now()` */
  readonly until: number;
}

/** Milliseconds between two searches for connections that were unused for too long. */
const LOOK = 15_000;

export class ConnectionPool implements ConnectionOwner, Carrier {
  readonly #connect: Connect;
  readonly #limits: PoolLimits;
  readonly #lastHead = new LastHead();
  readonly #open = new Set<KeptConnection>();
  /** unused connections; the one that was used last is the last */
  #idle: Idle[] = [];
  /** exchanges that wait for a free connection */
  readonly #waiting = new Set<WholeExchange>();
  #isRetired = false;
  #look: NodeJS.Timeout | undefined;

  constructor(connect: Connect, limits: PoolLimits) {
    this.#connect = connect;
    this.#limits = limits;
  }

  /** @throws OutOfTime; AnswerSyntaxError; the reason of the signal; Error of the connection */
  exchange(request: WholeRequest): Promise<WholeAnswer> {
    const exchange = new WholeExchange(request, this.#lastHead);
    const kept = this.#kept();
    if (kept === undefined) this.#carryAnew(exchange);
    else kept.carry(exchange);
    return exchange.answer;
  }

  #carryAnew(exchange: WholeExchange): void {
    if (this.#open.size >= this.#limits.open) {
      exchange.carrier = this;
      this.#waiting.add(exchange);
      return;
    }
    const connection = new KeptConnection(this, exchange);
    this.#open.add(connection);
    connection.open(this.#connect);
  }

  /** Whether it has no connections. */
  get isUnused(): boolean {
    return this.#open.size === 0;
  }

  #kept(): KeptConnection | undefined {
    const last = this.#idle.pop();
    if (last === undefined || last.until > performance.now()) return last?.connection;
    last.connection.end();
    return this.#kept();
  }

  /** Removes an exchange that waits. */
  giveUp(exchange: WholeExchange): void {
    this.#waiting.delete(exchange);
  }

  free(connection: KeptConnection, keptFor: number): void {
    const next = this.#next();
    if (next !== undefined) return connection.carry(next);
    if (this.#isRetired || this.#idle.length >= this.#limits.idle) return connection.end();
    this.#idle.push({ connection, until: performance.now() + keptFor });
    this.#look ??= setInterval(() => this.#endOld(), LOOK).unref();
  }

  gone(connection: KeptConnection, unheard?: WholeExchange): void {
    this.#open.delete(connection);
    const index = this.#idle.findIndex((each) => each.connection === connection);
    if (index !== -1) this.#idle.splice(index, 1);
    unheard?.again();
    const next = unheard ?? this.#next();
    if (next !== undefined) this.#carryAnew(next);
  }

  #next(): WholeExchange | undefined {
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }

  #endOld(): void {
    const now = performance.now();
    for (const { connection } of this.#idle.filter(({ until }) => until <= now)) connection.end();
    if (this.#idle.length > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
  }

  /** Ends unused connections at once, and the others when their exchanges have ended. Another pool replaces this one. */
  retire(): void {
    this.#isRetired = true;
    for (const { connection } of [...this.#idle]) connection.end();
  }

  /** Ends all connections, with the exchanges on them and those that wait. Resolves when all sockets are closed. */
  async close(): Promise<void> {
    this.#isRetired = true;
    clearInterval(this.#look);
    const ended = new Error('the connections are closed');
    for (const exchange of this.#waiting) exchange.fail(ended);
    this.#waiting.clear();
    const open = [...this.#open];
    for (const connection of open) connection.end();
    await Promise.all(open.map((connection) => connection.closed()));
  }
}
