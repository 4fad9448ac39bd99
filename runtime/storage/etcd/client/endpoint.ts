/** One member of etcd, and the one connection to it, which is made when it is needed and made again when it is lost. */
import { Client, type ClientDuplexStream, type ClientOptions, connectivityState, Metadata, status } from '@grpc/grpc-js';
import type { DuplexMethod, Sparse, UnaryMethod } from '../../../contract/node-interface.ts';
import type { HeldCredentials } from '../../../grpc/held-credentials.ts';
import { PlainCredentials } from '../../../grpc/plain-credentials.ts';
import { decodeWireMessage, encodeWireMessage } from '../../../schema/protobuf/wire-messages.ts';
import type { EtcdAddress } from './address.ts';
import { EtcdError, type EtcdErrorCode } from './etcd-error.ts';
import { TlsCredentials, type TlsSources } from './tls-credentials.ts';

const OPTIONS: ClientOptions = {
  // a page of large values, or what happened while a watch was away; requests bound it by their limits
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // as kube-apiserver's client: a connection that is dead and does not say so is found within 40 seconds
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // a transaction is never sent twice behind its owner's back
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // a member that was started again gets a new connection; several clients do not share one
  'grpc.use_local_subchannel_pool': 1,
  // large pages and the events of a busy cluster wait for no window
  'grpc-node.flow_control_window': 1024 * 1024,
};
/** Milliseconds in which a channel that has no connection says why. */
const REASON_TIMEOUT = 1_000;
/** How gRPC begins what it says of a call for which it never had a connection, and where it says why. */
const NEVER_CONNECTED = 'No connection established';
const WHY = /^No connection established\. Last error: (.*?)\.? Resolution note:.*$/s;
/** How it says that there was no answer: with the milliseconds that each part of the call took, so that the same fault has other words each time. */
const LATE = /^Deadline exceeded after .*?(?:,remote_addr=([^,]+))?$/s;

/** The connection is `ready`; or it is `connecting`, which asking for the state begins; or it has `failed` and is tried again after a moment. */
export type EndpointState = 'ready' | 'connecting' | 'failed';

export interface CallSettings {
  /** by the clock that only goes on, for somebody may set the other one meanwhile */
  readonly deadline: number;
  /** fail at once where the member has lost its cluster, instead of waiting for it */
  readonly withLeader: boolean;
}

export class Endpoint {
  readonly address: string;
  readonly #address: EtcdAddress;
  readonly #tls: TlsSources;
  #client: Client | undefined;
  /** the credentials of the client */
  #credentials: HeldCredentials | undefined;

  constructor(address: EtcdAddress, tls: TlsSources) {
    this.address = address.text;
    this.#address = address;
    this.#tls = tls;
  }

  get state(): EndpointState {
    const state = this.#open().getChannel().getConnectivityState(true);
    if (state === connectivityState.READY) return 'ready';
    return state === connectivityState.TRANSIENT_FAILURE ? 'failed' : 'connecting';
  }

  #open(): Client {
    if (this.#client !== undefined) return this.#client;
    const { target, host } = this.#address;
    this.#credentials = this.#isSecure ? new TlsCredentials(host, this.#tls) : new PlainCredentials();
    this.#client = new Client(target, this.#credentials, OPTIONS);
    return this.#client;
  }

  get #isSecure(): boolean {
    const { tls } = this.#address;
    const { ca, certificate } = this.#tls;
    return tls === 'always' || (tls === 'withFiles' && (ca !== undefined || certificate !== undefined));
  }

  /** `HOST:PORT` of a member to which a socket of this process leads; undefined where gRPC knows the member's own address */
  get #far(): string | undefined {
    const { text, target, port } = this.#address;
    return port !== undefined && target.startsWith('unix:') ? new URL(text).host : undefined;
  }

  /** @throws EtcdError */
  call<Request, Answer>(method: UnaryMethod<Request, Answer>, request: Sparse<Request>, settings: CallSettings): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.#open().makeUnaryRequest(
        method.path,
        (message: Sparse<Request>) => encodeWireMessage(method.request, message),
        (bytes) => decodeWireMessage(method.answer, bytes),
        request,
        metadataOf(settings),
        { deadline: Date.now() + settings.deadline - performance.now() },
        (error, answer) => (error === null ? resolve(answer as Answer) : reject(errorOf(error, this.#far))),
      );
    });
  }

  /** Answers and the end are events of the stream; the error is one for `errorOf`. Ends where the member loses its cluster. */
  stream<Request, Answer>(method: DuplexMethod<Request, Answer>): ClientDuplexStream<Sparse<Request>, Answer> {
    return this.#open().makeBidiStreamRequest(
      method.path,
      (message: Sparse<Request>) => encodeWireMessage(method.request, message),
      (bytes) => decodeWireMessage(method.answer, bytes),
      metadataOf({ withLeader: true }),
      {},
    );
  }

  /** Why there is no connection, in a failed state. @param method of any call: it is not sent without a connection */
  async reason<Request, Answer>(method: UnaryMethod<Request, Answer>, request: Sparse<Request>): Promise<string> {
    const failure = this.call(method, request, { deadline: performance.now() + REASON_TIMEOUT, withLeader: false });
    return failure.then(
      () => 'it was not there in time',
      (error: EtcdError) => error.details.replace(WHY, '$1').replaceAll(/\s+/g, ' '),
    );
  }

  /** Ends the connection, and what is under way on it with an error; the next call makes another one. */
  close(): void {
    if (this.#client !== undefined) this.#credentials?.close(this.#client);
    this.#client = undefined;
  }
}

function metadataOf({ withLeader }: Pick<CallSettings, 'withLeader'>): Metadata {
  const metadata = new Metadata();
  if (withLeader) metadata.set('hasleader', 'true');
  return metadata;
}

/** Converts any error that gRPC throws. @param far the member that was asked; absent for the words of gRPC */
export function errorOf(error: unknown, far?: string): EtcdError {
  if (error instanceof EtcdError) return error;
  const { code, details, message } = error as { code?: unknown; details?: unknown; message?: string };
  const known = typeof code === 'number' ? (status[code] as EtcdErrorCode | undefined) : undefined;
  const text = typeof details === 'string' && details !== '' ? details : (message ?? String(error));
  if (known === 'DEADLINE_EXCEEDED')
    return new EtcdError(
      known,
      text.replace(LATE, (_, from) => `no answer in time${from === undefined ? '' : ` from ${far ?? from}`}`),
    );
  return new EtcdError(known ?? 'UNKNOWN', text, { unsent: known === 'UNAVAILABLE' && text.startsWith(NEVER_CONNECTED) });
}
