/** Serves gRPC interfaces on a Unix socket, for other programs of the node. */
import { chmodSync } from 'node:fs';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Sparse, StreamMethod, UnaryMethod, WireMessage } from '../../contract/node-interface.ts';
import { decodeWireMessage, encodeWireMessage } from '../../schema/protobuf/wire-messages.ts';
import { InterfaceError } from './interface-error.ts';

/** Most bytes of one request. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;

type AnyMethod = UnaryMethod<unknown, unknown> | StreamMethod<unknown, unknown>;

export class InterfaceServer {
  readonly #server = new Server({ 'grpc.max_receive_message_length': MAX_REQUEST_BYTES });
  readonly #definitions: Record<string, ServiceDefinition[string]> = {};
  readonly #handlers: UntypedServiceImplementation = {};

  /**
   * Before `listen`.
   * @param answer an InterfaceError that it throws is told to the caller, as is the message of any other error, with UNKNOWN
   */
  answer<Request, Answer>(
    method: UnaryMethod<Request, Answer>,
    answer: (request: Request, signal: AbortSignal) => Promise<Sparse<NoInfer<Answer>>> | Sparse<NoInfer<Answer>>,
  ): this {
    const handler: handleUnaryCall<Request, Sparse<Answer>> = (call, done) => {
      const gone = new AbortController();
      call.on('cancelled', () => gone.abort());
      Promise.try(answer, call.request, gone.signal).then(
        (value) => done(null, value),
        (error: unknown) => done(serviceError(error)),
      );
    };
    return this.#add(method, handler as UntypedServiceImplementation[string]);
  }

  /** Must be called before `listen`. The call ends when the generator ends, or when the caller goes, which aborts the signal. */
  stream<Request, Answer>(
    method: StreamMethod<Request, Answer>,
    answers: (request: Request, signal: AbortSignal) => AsyncIterable<Sparse<NoInfer<Answer>>>,
  ): this {
    const handler: handleServerStreamingCall<Request, Sparse<Answer>> = (call) => {
      const gone = new AbortController();
      call.on('cancelled', () => gone.abort());
      sendAll(call, answers(call.request, gone.signal)).catch((error: unknown) => call.emit('error', serviceError(error)));
    };
    return this.#add(method, handler as UntypedServiceImplementation[string]);
  }

  #add(method: AnyMethod | UnaryMethod<never, never> | StreamMethod<never, never>, handler: UntypedServiceImplementation[string]): this {
    const { path, streams } = method;
    const [request, answer] = [method.request, method.answer] as readonly WireMessage[] as [WireMessage<object>, WireMessage<object>];
    this.#definitions[path] = {
      path,
      requestStream: false,
      responseStream: streams,
      requestSerialize: (message: object) => encodeWireMessage(request, message),
      requestDeserialize: (bytes) => decodeWireMessage(request, bytes),
      responseSerialize: (message: object) => encodeWireMessage(answer, message),
      responseDeserialize: (bytes) => decodeWireMessage(answer, bytes),
    };
    this.#handlers[path] = handler;
    return this;
  }

  /**
   * @param socket absolute path; nothing is there. The file goes when the server stops
   * @throws Error of the system, such as for a folder that is not there
   */
  async listen(socket: string): Promise<void> {
    this.#server.addService(this.#definitions, this.#handlers);
    await new Promise<void>((resolve, reject) => {
      this.#server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error)));
    });
    chmodSync(socket, 0o600);
  }

  /** Stops the server, and ends calls under way. */
  stop(): void {
    this.#server.forceShutdown();
  }
}

async function sendAll<Answer>(call: ServerWritableStream<unknown, Sparse<Answer>>, answers: AsyncIterable<Sparse<Answer>>): Promise<void> {
  for await (const answer of answers) if (!call.write(answer)) await new Promise((resolve) => call.once('drain', resolve));
  call.end();
}

function serviceError(error: unknown): { code: number; details: string } {
  if (error instanceof InterfaceError) return { code: status[error.code], details: error.details };
  return { code: status.UNKNOWN, details: error instanceof Error ? error.message : String(error) };
}
