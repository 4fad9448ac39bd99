/** Runs commands in containers of pods, or attaches to what runs there, over WebSocket (`exec`, `attach`). */
import type { Readable, Writable } from 'node:stream';
import { errorOfStatus } from '../objects/api-error.ts';
import { parseJson } from '../objects/json.ts';
import type { Status } from '../objects/status.ts';
import type { ResourcePlace } from '../resources/methods.ts';
import type { QueryParameters } from '../resources/query.ts';
import type { ResourceTypes } from '../resources/resource.ts';
import type { ResourceRequests } from '../resources/resource-requests.ts';
import { ConnectionError } from '../transport/transport.ts';
import { handshake, WebSocketConnection } from '../transport/web-socket.ts';

export interface CommandOptions {
  /** may be absent if the pod has a single container or names a default one */
  readonly container?: string;
  /** input of the command; its end ends the command's input */
  readonly stdin?: Readable | Buffer | string;
  /** gets the output, and is not ended; absent: the result contains the output */
  readonly stdout?: Writable;
  /** gets the error output likewise; a terminal has none */
  readonly stderr?: Writable;
  /** true gives the command a terminal, which has a single output */
  readonly tty?: boolean;
  /** sizes of the terminal, one for each time that it changes */
  readonly sizes?: AsyncIterable<TerminalSize>;
  /** ends the command's connection, with its reason */
  readonly signal?: AbortSignal;
  /** the most bytes of output in the result; default 64 MiB */
  readonly maxOutput?: number;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface CommandResult {
  /** 0 for success */
  readonly exitCode: number;
  /** '' if the output went elsewhere */
  readonly stdout: string;
  readonly stderr: string;
}

/** The part of a client that a function needs: one namespace of a resource with the connection `N`. */
export type Connectable<R extends ResourceTypes, N extends string> = ResourcePlace<R> & (N extends R['connections'] ? unknown : never);

/**
 * Runs a command, without a shell, and waits for its end.
 * @param pods such as `client.resource(pods).in('default')`
 * @throws ApiError where the server or the node refuses; ConnectionError; the reason of the signal
 */
export function exec<R extends ResourceTypes>(
  pods: Connectable<R, 'exec'>,
  name: string,
  command: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return run(pods, 'exec', name, options, command);
}

/** Attaches to what a container runs, and waits for its end. @throws what `exec` throws */
export function attach<R extends ResourceTypes>(
  pods: Connectable<R, 'attach'>,
  name: string,
  options: CommandOptions = {},
): Promise<CommandResult> {
  return run(pods, 'attach', name, options, []);
}

/** Numbers of channels. */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const OUTCOME = 3;
const SIZES = 4;
/** The channel whose messages end another channel: each contains the number of that channel. */
const ENDED = 255;
/** Protocol versions: the one that can end channels, and the one before, in which the input cannot end. */
const VERSION_5 = 'v5.channel.${groupDomain}';
const VERSION_4 = 'v4.channel.${groupDomain}';
const MAX_OUTPUT = 64 * 1024 * 1024;
/** The most bytes of input in one message. */
const MAX_INPUT = 32 * 1024;

async function run<R extends ResourceTypes>(
  pods: ResourcePlace<R>,
  subresource: string,
  name: string,
  options: CommandOptions,
  command: readonly string[],
): Promise<CommandResult> {
  const { signal, stdin } = options;
  signal?.throwIfAborted();
  // whoever reads it later throws the error; until then nobody else hears of it, and Node would end the process
  if (typeof stdin === 'object' && 'on' in stdin) stdin.on('error', () => {});
  const socket = await open(pods as unknown as ResourceRequests, subresource, name, options, command);
  const session = new CommandSession(socket, options);
  const end = (): void => session.end(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  try {
    return await session.run();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
    socket.destroy();
  }
}

async function open(
  requests: ResourceRequests,
  subresource: string,
  name: string,
  { container, stdin, tty = false, signal }: CommandOptions,
  command: readonly string[],
): Promise<WebSocketConnection> {
  const { client } = requests;
  const parameters: QueryParameters = { container, stdin: stdin !== undefined, stdout: true, stderr: !tty, tty, command };
  const path = requests.subresource(subresource).path(name, parameters);
  const offered = (stdin === undefined ? [VERSION_5, VERSION_4] : [VERSION_5]).map((version) => client.identity.text(version));
  const { headers, check } = handshake(offered);
  const switched = await client.switchProtocols(path, headers, signal);
  check(switched);
  return new WebSocketConnection(switched);
}

class CommandSession {
  readonly #socket: WebSocketConnection;
  readonly #options: CommandOptions;
  readonly #output: { readonly [channel: number]: Buffer[] } = { [STDOUT]: [], [STDERR]: [] };
  /** the error that ends the connection before the command ends */
  readonly #failure = Promise.withResolvers<never>();
  #size = 0;

  constructor(socket: WebSocketConnection, options: CommandOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#failure.promise.catch(() => {});
  }

  /** Ends the connection, and rejects `run` with the reason, even while it waits for a slow reader of the output. */
  end(reason: unknown): void {
    this.#failure.reject(reason);
    this.#socket.destroy();
  }

  async run(): Promise<CommandResult> {
    const { stdin, sizes } = this.#options;
    const ending = new AbortController();
    // the input may go on after the command has ended
    const inputs = [
      stdin === undefined ? undefined : this.#sendInput(stdin, ending.signal),
      sizes && this.#sendSizes(sizes, ending.signal),
    ];
    for (const input of inputs) input?.catch(this.#failure.reject);
    try {
      const outcome = await Promise.race([this.#read(), this.#failure.promise]);
      return { exitCode: exitCodeOf(outcome), stdout: this.#text(STDOUT), stderr: this.#text(STDERR) };
    } finally {
      ending.abort();
    }
  }

  async #read(): Promise<Status> {
    let outcome: Status | undefined;
    for await (const message of this.#socket.messages()) {
      const [channel] = message;
      const bytes = message.subarray(1);
      if (channel === STDOUT || channel === STDERR) await this.#take(channel, bytes);
      else if (channel === OUTCOME && bytes.length > 0) outcome = parseJson<Status>(bytes.toString());
    }
    if (outcome === undefined) throw new ConnectionError('the server ended the command without saying how it ended', undefined);
    return outcome;
  }

  async #take(channel: number, bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    const stream = channel === STDOUT ? this.#options.stdout : this.#options.stderr;
    if (stream !== undefined) return write(stream, bytes);
    this.#size += bytes.length;
    if (this.#size > (this.#options.maxOutput ?? MAX_OUTPUT)) throw new RangeError('the command has more output than its result may have');
    this.#output[channel]?.push(bytes);
  }

  #text(channel: number): string {
    return Buffer.concat(this.#output[channel] ?? []).toString();
  }

  async #sendInput(input: Readable | Buffer | string, signal: AbortSignal): Promise<void> {
    const pieces = typeof input === 'string' || Buffer.isBuffer(input) ? [input] : input;
    for await (const piece of pieces as AsyncIterable<Buffer | string>) {
      const bytes = Buffer.from(piece as string);
      for (let start = 0; start < bytes.length && !signal.aborted; start += MAX_INPUT)
        await this.#socket.send(Buffer.concat([Buffer.from([STDIN]), bytes.subarray(start, start + MAX_INPUT)]));
      if (signal.aborted) return;
    }
    await this.#socket.send(Buffer.from([ENDED, STDIN]));
  }

  async #sendSizes(sizes: AsyncIterable<TerminalSize>, signal: AbortSignal): Promise<void> {
    for await (const { columns, rows } of sizes) {
      if (signal.aborted) return;
      await this.#socket.send(Buffer.concat([Buffer.from([SIZES]), Buffer.from(JSON.stringify({ Width: columns, Height: rows }))]));
    }
  }
}

/** Resolves when the stream takes more data. @throws Error if the stream was destroyed */
function write(stream: Writable, bytes: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  return promise;
}

/** @throws ApiError if the failure was not that of the command itself */
function exitCodeOf(outcome: Status): number {
  if (outcome.status === 'Success') return 0;
  const cause = outcome.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  if (outcome.reason !== 'NonZeroExitCode' || cause === undefined) throw errorOfStatus({ ...outcome, kind: 'Status', apiVersion: 'v1' });
  return Number(cause.message);
}
