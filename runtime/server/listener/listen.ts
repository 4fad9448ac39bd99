/**
 * The listener: HTTP/1.1 and HTTP/2 over TLS on one port, with limits for clients that are slow, idle or gone.
 *
 * A client that closes its side of a connection is taken for one that is gone, as in 1.32: its requests are aborted. So no watch outlives its client.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, createSecureServer, type Http2ServerResponse, type SecureServerOptions, type ServerHttp2Stream } from 'node:http2';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { answerBursts } from '../../connections/answer-bursts.ts';
import { limitArrival } from '../../connections/arrival.ts';
import { offerUpgrade } from '../../connections/upgrade.ts';
import { bind, type ListenFlags, type Place } from './bind.ts';
import { ChosenCertificates } from './chosen-certificates.ts';
import { Connections, endWhenIdle } from './connections.ts';
import { inviteBodies } from './invited-bodies.ts';
import { isHttp2, PipelinedRequests } from './pipelined-requests.ts';
import { answerPlainRequests } from './plain-requests.ts';
import { RequestBursts } from './request-bursts.ts';
import { answerForServer, answerUnreadable, refuseConnect, refuseHead } from './request-heads.ts';
import { type ServingTls, tlsOptions } from './serving-tls.ts';

// biome-ignore lint/suspicious/noExplicitAny: handlers are written for either protocol's request and response
type Handler = (request: any, response: any) => unknown;

export interface ListenOptions extends Place {
  /** handles requests; it is the result of Koa's `callback()` */
  readonly handler: Handler;
  readonly tls: ServingTls;
  /** Gets a function to call with each connection that another process has accepted. Absent if the listener accepts connections itself. */
  readonly handedOver?: (take: (connection: Socket) => void) => void;
  /** default true */
  readonly http2?: boolean;
  /** requests that one HTTP/2 connection may have open at a time; default (and for 0) 250 */
  readonly maxStreams?: number;
  /** 0 to 1, default 0: how probably a request on HTTP/2 asks its client to connect anew after the requests under way */
  readonly goawayChance?: number;
  readonly limits?: Partial<Limits>;
  /** Is called for each connection whose TLS handshake has failed. */
  readonly handshakeFailed?: () => void;
  /** the names of the flags in errors; absent for those of the server */
  readonly flags?: ListenFlags;
}

/** The limits of connections and requests. Times are in milliseconds, sizes in bytes. */
export interface Limits {
  readonly idle: number;
  readonly handshake: number;
  /** for the head of a request to arrive */
  readonly headers: number;
  /** for a body to arrive, unless another server takes it in; answers may take as long as they like */
  readonly arrival: number;
  readonly headerBytes: number;
}

export interface Listener {
  readonly port: number;
  /** Serves new connections with another certificate. */
  renew(tls: ServingTls): void;
  /** Makes each further answer on HTTP/1.1 tell that it is the last one of its connection, which then ends. */
  lastAnswers(): void;
  /**
   * Takes no more connections, lets requests under way end, closes each connection once it is idle, and resolves when all are gone. Calling it again gives the
   * same promise.
   * @param graceMs milliseconds, once `underWay` has resolved, after which those that are left are cut
   * @param underWay default: resolved
   */
  close(graceMs: number, underWay?: Promise<unknown>): Promise<void>;
}

const SECOND = 1_000;
const KIB = 1024;
const MIB = 1024 * KIB;

const LIMITS: Limits = {
  // longer than the 90 s for which clients of Go and load balancers keep idle connections, so that they close first
  idle: 125 * SECOND,
  handshake: 10 * SECOND,
  headers: 30 * SECOND,
  arrival: 65 * SECOND,
  headerBytes: MIB,
};
/** Requests under way on one HTTP/2 connection, as in 1.32. */
const MAX_STREAMS = 250;
const MAX_FRAME_BYTES = 128 * KIB;

/** @throws Error for an address or port that cannot be listened on, of TLS for a certificate that is not one, for a cipher suite that is not known */
export async function listen(options: ListenOptions): Promise<Listener> {
  const limits = { ...LIMITS, ...options.limits };
  const answer = (request: IncomingMessage, response: ServerResponse): unknown => {
    if (!isHttp2(request) && refuseHead(request, response)) return undefined;
    limitArrival(request, response, limits.arrival);
    if (answerForServer(request, response)) return undefined;
    return options.handler(request, response);
  };
  const turns = new PipelinedRequests(answer);
  const bursts = new RequestBursts(answer);
  const certificates = new ChosenCertificates(options.tls);
  const server = createTlsServer(
    options,
    limits,
    (request, response) => (isHttp2(request) ? bursts : turns).take(request, response),
    certificates.chooseByName,
  );
  certificates.chooseByAddress(server);
  // Node ends its own side as well then: a client that has no more to say may be there for its answer
  server.on('secureConnection', (socket) => socket.prependListener('end', answerBursts.leave));
  const connections = new Connections(server, (socket) => turns.answersOf(socket));
  server.on('upgrade', (request, socket, head) =>
    offerUpgrade(request, socket, head, (...exchange) => server.emit('request', ...exchange)),
  );
  inviteBodies(server);
  const afterAnswers = (socket: Socket, end: () => void): void => turns.refuseAfterAnswers(socket, end);
  server.on('connect', (_request, answer) => refuseConnect(answer as Socket | Http2ServerResponse, afterAnswers));
  server.on('clientError', (error, socket) => answerUnreadable(error, socket as Socket, afterAnswers));
  answerPlainRequests(server);
  if (options.handshakeFailed !== undefined) server.on('tlsClientError', options.handshakeFailed);
  server.on('session', (session) => {
    session.setLocalWindowSize(CONNECTION_WINDOW);
    endWhenIdle(session, limits.idle);
  });
  server.on('stream', endAnswered);
  const { goawayChance = 0 } = options;
  if (goawayChance > 0) server.on('stream', (stream) => Math.random() < goawayChance && stream.session?.close());
  const port = await connect(server, options);
  return {
    port,
    renew: (tls) => certificates.renew(tls, server),
    lastAnswers: () => connections.lastAnswers(),
    close: (graceMs, underWay) => connections.close(graceMs, underWay),
  };
}

/** Milliseconds that a request on HTTP/2 may go on coming after its answer, so that the answer to one that is refused is not lost. */
const LINGER = 500;

/** A request whose body nobody reads any more would otherwise stay open for as long as its client likes. */
function endAnswered(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    if (stream.endAfterHeaders || stream.readableEnded || stream.closed) return;
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), LINGER).unref();
    stream.once('close', () => clearTimeout(timer));
  });
}

/** @returns the port on which connections come */
async function connect(server: Server, { handedOver, flags, ...place }: ListenOptions): Promise<number> {
  if (handedOver !== undefined) {
    // starts the checks of slow clients, which Node starts when a server listens
    server.emit('listening');
    handedOver((connection) => server.emit('connection', connection));
    return place.port;
  }
  await bind(server, place, flags);
  return (server.address() as AddressInfo).port;
}

/** A server that takes HTTP/2 too is of another class, with all that is used of a server of HTTPS. */
function createTlsServer(
  options: ListenOptions,
  limits: Limits,
  handler: Handler,
  chooseByName: SecureServerOptions['SNICallback'],
): Server {
  const common = { ...serverOptions(options, limits), ...(options.tls.named && { SNICallback: chooseByName }) };
  return options.http2 === false ? createServer(common, handler) : (createSecureServer(common, handler) as unknown as Server);
}

/** How connections are accepted, by this process or by another that hands them over. */
export const accepting = {
  noDelay: true,
  // finds clients that are gone without a word
  keepAlive: true,
  keepAliveInitialDelay: 60 * SECOND,
};

/** for the bodies of one request, and of all requests of a connection together, before we have read them */
const STREAM_WINDOW = 256 * KIB;
const CONNECTION_WINDOW = 4 * MIB;

function serverOptions({ tls, maxStreams }: ListenOptions, limits: Limits): SecureServerOptions {
  return {
    ...tlsOptions(tls),
    allowHTTP1: true,
    // A request without a body is never read: all that belongs to reading one is left out. Its `readableEnded` is true from the start.
    optimizeEmptyRequests: true,
    handshakeTimeout: limits.handshake,
    ...accepting,
    keepAliveTimeout: limits.idle,
    headersTimeout: limits.headers,
    // for a head alone: bodies that other servers take in may take longer (see limitArrival)
    requestTimeout: 0,
    // see request-heads.ts
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(5 * SECOND, limits.headers),
    maxHeaderSize: limits.headerBytes,
    maxHeaderListPairs: 1_000,
    // what another server says twice goes on twice, as on HTTP/1.1: Node would refuse the whole answer
    strictSingleValueFields: false,
    // in MB, for what a connection buffers; beyond it new requests are refused
    maxSessionMemory: 64,
    settings: {
      maxConcurrentStreams: maxStreams || MAX_STREAMS,
      initialWindowSize: STREAM_WINDOW,
      maxHeaderListSize: limits.headerBytes,
      // A head may be nine frames long at most, each header in it 64 KiB: both are limits of nghttp2 that Node has no say in.
      maxFrameSize: MAX_FRAME_BYTES,
      enablePush: false,
    },
  } as SecureServerOptions;
}
