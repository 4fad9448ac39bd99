/**
 * Commands and terminals over WebSocket, in version 5 of the protocol, which also says when a channel ends. Each message is the number of a channel,
 * and then bytes of that channel. Agents speak this version only inside SPDY, where each channel is a stream: the server translates (as in 1.32).
 */

import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { type WebSocket, WebSocketServer } from 'ws';
import { hostPort } from '../connections/connection-problem.ts';
import { offeredProtocols, openWebSocket } from '../connections/web-socket.ts';
import { escapedAsInGo } from '../schema/structural/go-json.ts';
import { CHANNEL_ENDED, CommandInput } from './command-input.ts';
import { failed, type Outcome, outcomeOf, statusOf } from './command-outcome.ts';

import { type Answer, type ExchangeOptions, exchange, type Outgoing } from './exchange.ts';
import { explanation, redirection } from './relay-answer.ts';
import { failureText, unexpectedEnd } from './relay-request.ts';
import { type Said, SpdyClient } from './spdy-client.ts';
import { SpdyError } from './spdy-frames.ts';
import { inSpdy, isInSpdy, PROTOCOL_VERSION } from './spdy-request.ts';

const CHANNELS_5 = 'v5.channel.${groupDomain}';
/** Protocols that the server offers agents. Inside SPDY the two do not differ. */
const AGENT_PROTOCOLS = [CHANNELS_5, 'v4.channel.${groupDomain}'];

/** Numbers of WebSocket channels, by the types of the SPDY streams that they stand for. */
const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
type StreamType = keyof typeof CHANNELS;

/** Most bytes of a client's message. */
const MAX_PAYLOAD = 4 * 1024 * 1024;
/** Most bytes of the message in which an agent says how the command ended. */
const MAX_OUTCOME_BYTES = 64 * 1024;
/** Bytes that may wait for the client before nothing more is read from the agent. */
const MAX_UNSENT = 256 * 1024;
/** Milliseconds in which an agent must switch to SPDY. */
const HEAD_LIMIT = 60_000;
/** Milliseconds in which an agent must accept the streams. */
const ACCEPT_LIMIT = 30_000;
/** Milliseconds between pings. While the server does not read from the client, because the command reads nothing, only a failing ping shows that the client is gone. */
const PING_INTERVAL = 30_000;
/** Milliseconds without a message from either side, after which the session ends. */
const IDLE_LIMIT = 4 * 60 * 60_000;
/** Milliseconds in which a client must read the rest of the output when the command has ended. */
const FINISH_LIMIT = 15 * 60_000;

const SOCKET_OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // bytes that come as text are taken as they are (as in 1.32)
  skipUTF8Validation: true,
  maxPayload: MAX_PAYLOAD,
  closeTimeout: FINISH_LIMIT,
};

const NORMAL = 1000;

/** The streams of the command that the client asked for. */
export interface CommandStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** @param text resolves identity placeholders */
export function offersCommandChannels(request: IncomingMessage, text: (template: string) => string): boolean {
  return offeredProtocols(request).includes(text(CHANNELS_5));
}

export interface CommandOptions {
  readonly streams: CommandStreams;
  /** resolves identity placeholders */
  readonly text: (template: string) => string;
}

/** Codes by which metrics count these requests, as in 1.32. A command that exits with a code other than 0 counts as relayed. */
const [BAD_REQUEST, RELAYED, FAILED] = [400, 200, 500];

/**
 * Switches the client's connection first, and then asks the agent: so failures of the agent are told on the error channel.
 * @returns the code by which metrics count the request
 */
export async function relayCommand(
  context: Context,
  outgoing: Outgoing,
  options: ExchangeOptions,
  { streams, text }: CommandOptions,
): Promise<number> {
  const opened = await openWebSocket(new WebSocketServer({ ...SOCKET_OPTIONS, handleProtocols: () => text(CHANNELS_5) }), context);
  if (opened === undefined) return BAD_REQUEST;
  const client = opened.webSocket;
  const input = new CommandInput(client);
  // Some clients send nothing before they have got a first message.
  send(client, firstChannel(streams));
  const outcome = await run({ client, input }, outgoing, options, { streams, text }).catch((error) => failed(failureOf(error)));
  input.end();
  send(client, CHANNELS.error, Buffer.from(escapedAsInGo(JSON.stringify(outcome))));
  client.close(NORMAL);
  return codeOf(outcome);
}

/** The outcome may come from an agent, whose code can be any value. */
function codeOf({ code = RELAYED }: Outcome): number {
  return Number.isInteger(code) && code >= 100 && code <= 599 ? code : FAILED;
}

function firstChannel({ stdout, stderr }: CommandStreams): number {
  if (stdout) return CHANNELS.stdout;
  return stderr ? CHANNELS.stderr : CHANNELS.error;
}

function failureOf(error: unknown): string {
  return error instanceof SpdyError ? error.message : failureText(error);
}

interface CommandClient {
  readonly client: WebSocket;
  readonly input: CommandInput;
}

/** Runs the command at the agent. @throws Error for failures of the agent or of the connections */
async function run(
  client: CommandClient,
  outgoing: Outgoing,
  options: ExchangeOptions,
  { streams, text }: CommandOptions,
): Promise<Outcome> {
  const protocols = AGENT_PROTOCOLS.map(text);
  // The request is this server's own: nothing of the client's goes along (as in 1.32).
  const headers = ['Host', hostPort(outgoing.target.host, outgoing.target.port)];
  const { head, switched } = await ask(inSpdy({ ...outgoing, headers }, protocols), options);
  if (switched === undefined) return refusal(head);
  if (!isInSpdy(head)) {
    switched.socket.destroy();
    return failed(`${NO_SWITCH}: `);
  }
  const chosen = String(head.headers[PROTOCOL_VERSION.toLowerCase()] ?? '');
  if (!protocols.includes(chosen)) {
    switched.socket.destroy();
    return failed(`${NO_SWITCH}: the agent chose the protocol ${JSON.stringify(chosen)}`);
  }
  const agent = new SpdyClient(switched.socket, switched.rest);
  try {
    return await new CommandSession(client, agent, streams).run();
  } finally {
    agent.destroy();
  }
}

async function ask(outgoing: Outgoing, options: ExchangeOptions): Promise<Answer> {
  try {
    return await exchange(outgoing, { headLimit: HEAD_LIMIT, ...options });
  } catch (error) {
    const { target, path } = outgoing;
    throw new SpdyError(notSent(`https://${hostPort(target.host, target.port)}${path}`, unexpectedEnd(failureText(error))));
  }
}

const NO_SWITCH = 'unable to upgrade connection';

const notSent = (address: string, problem: string): string => `error sending request: Post ${JSON.stringify(address)}: ${problem}`;

async function refusal(head: IncomingMessage): Promise<Outcome> {
  const elsewhere = redirection(head);
  const text = elsewhere === undefined ? await explanation(head, () => 'unable to read error from server response') : '';
  head.destroy();
  if (elsewhere !== undefined) return failed(notSent(elsewhere, 'redirect not allowed'));
  return statusOf(text) ?? failed(`${NO_SWITCH}: ${text.trim()}`);
}

/** One command, from the switch of the agent's connection until the command has ended. */
class CommandSession {
  readonly #client: WebSocket;
  readonly #input: CommandInput;
  readonly #agent: SpdyClient;
  /** by number of stream */
  readonly #types = new Map<number, StreamType>();
  /** streams to which the client may still send, by the numbers of their channels */
  readonly #inputs = new Map<number, number>();
  /** streams that the agent has not accepted yet */
  readonly #awaited = new Set<number>();
  /** streams that the agent has not ended yet */
  readonly #outputs = new Set<number>();
  readonly #outcome: Buffer[] = [];
  #outcomeLength = 0;
  #outcomeIsWhole = false;
  #begun = false;

  constructor({ client, input }: CommandClient, agent: SpdyClient, { stdin, stdout, stderr, tty }: CommandStreams) {
    this.#client = client;
    this.#input = input;
    this.#agent = agent;
    this.#outputs.add(this.#open('error'));
    if (stdin) this.#inputs.set(CHANNELS.stdin, this.#open('stdin'));
    if (stdout) this.#outputs.add(this.#open('stdout'));
    // a terminal has one output
    if (stderr && !tty) this.#outputs.add(this.#open('stderr'));
    if (tty) this.#inputs.set(CHANNELS.resize, this.#open('resize'));
  }

  #open(type: StreamType): number {
    const stream = this.#agent.open({ streamtype: type });
    this.#types.set(stream, type);
    this.#awaited.add(stream);
    return stream;
  }

  /** @throws SpdyError, or the error of the agent's connection */
  async run(): Promise<Outcome> {
    const agent = this.#agent;
    const giveUp = (reason: string) => () => agent.destroy(new SpdyError(reason));
    const accept = setTimeout(giveUp('timed out waiting for the agent to accept the streams'), ACCEPT_LIMIT);
    const idle = setTimeout(giveUp('nothing was said for too long'), IDLE_LIMIT);
    const pings = setInterval(() => this.#ping(), PING_INTERVAL);
    this.#client.once('close', giveUp('the client is gone'));
    const heard = (message: Buffer): void => {
      idle.refresh();
      this.#clientSays(message);
    };
    try {
      for await (const said of agent.said()) {
        idle.refresh();
        const sent = this.#agentSays(said);
        if (sent !== undefined) await sent;
        if (this.#awaited.size === 0) this.#begin(accept, heard);
        if (this.#outputs.size === 0) break;
      }
    } catch (error) {
      // An agent may reset the connection once it has sent the outcome.
      if (error instanceof SpdyError || this.#outcome.length === 0) throw error;
    } finally {
      clearTimeout(accept);
      clearTimeout(idle);
      clearInterval(pings);
    }
    if (!this.#outcomeIsWhole && this.#outcome.length === 0) throw new SpdyError('error reading from error stream: unexpected EOF');
    return outcomeOf(Buffer.concat(this.#outcome).toString());
  }

  #ping(): void {
    if (this.#client.readyState === this.#client.OPEN && this.#client.bufferedAmount <= MAX_UNSENT) this.#client.ping();
  }

  /** Passes on what the client sends, from now on. The first call counts, later ones do nothing. */
  #begin(accept: NodeJS.Timeout, heard: (message: Buffer) => void): void {
    if (this.#begun) return;
    this.#begun = true;
    clearTimeout(accept);
    this.#agent.onDrain(() => this.#client.resume());
    this.#input.begin(heard);
  }

  /** @returns a promise if so much waits for the client that no more should be read from the agent before the promise resolves */
  #agentSays(said: Said): Promise<void> | undefined {
    const type = this.#types.get(said.stream);
    if (type === undefined) return undefined;
    if (said.what === 'accepted') this.#awaited.delete(said.stream);
    else if (said.what === 'data') return this.#dataOf(type, said.bytes);
    else this.#ended(said.stream, type);
    return undefined;
  }

  #dataOf(type: StreamType, bytes: Buffer): Promise<void> | undefined {
    if (type === 'stdout' || type === 'stderr') return send(this.#client, CHANNELS[type], bytes);
    if (type !== 'error') return undefined;
    this.#outcomeLength += bytes.length;
    if (this.#outcomeLength > MAX_OUTCOME_BYTES) throw new SpdyError('error stream protocol error: the message is too long');
    this.#outcome.push(Buffer.from(bytes));
    return undefined;
  }

  #ended(stream: number, type: StreamType): void {
    if (this.#awaited.has(stream)) throw new SpdyError(`the agent has refused the stream ${type}`);
    // some agents wait for the end of the input that they have ended
    if (type === 'stdin') this.#clientEnds(CHANNELS.stdin);
    this.#outputs.delete(stream);
    if (type === 'error') this.#outcomeIsWhole = true;
  }

  #clientSays(message: Buffer): void {
    const channel = message[0] as number;
    if (channel === CHANNEL_ENDED) return this.#clientEnds(message[1] as number);
    const stream = this.#inputs.get(channel);
    // bytes for a channel that was not asked for, or that has ended, are dropped
    if (stream === undefined || message.length === 1) return;
    if (!this.#agent.write(stream, message.subarray(1))) this.#client.pause();
  }

  #clientEnds(channel: number): void {
    const stream = this.#inputs.get(channel);
    if (stream === undefined) return;
    this.#inputs.delete(channel);
    this.#agent.end(stream);
  }
}

const EMPTY = Buffer.alloc(0);

/** @returns a promise, which never rejects, if so much waits for the client that the caller should wait for it */
function send(client: WebSocket, channel: number, bytes: Buffer = EMPTY): Promise<void> | undefined {
  const message = Buffer.allocUnsafe(1 + bytes.length);
  message[0] = channel;
  bytes.copy(message, 1);
  const sent = Promise.withResolvers<void>();
  // Errors are ignored, because the client's `close` event ends the session.
  client.send(message, () => sent.resolve());
  return client.bufferedAmount > MAX_UNSENT ? sent.promise : undefined;
}
