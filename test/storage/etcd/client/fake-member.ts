/** A gRPC server that answers as a test says, in bytes. */
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  type status,
} from '@grpc/grpc-js';
import { KV, Watch } from '../../../../generated/node-interfaces/etcd.ts';
import type { WireMessage } from '../../../../runtime/contract/node-interface.ts';
import { encodeWireMessage } from '../../../../runtime/schema/protobuf/wire-messages.ts';

export type Refusal = { readonly code: status; readonly details: string };
export type Answer = Buffer | Refusal | 'silence';

export interface FakeBehaviour {
  /** of ranges and transactions; the request's bytes are all that is known of it */
  unary: (method: 'range' | 'transaction') => Answer;
  /** each buffer is an answer on the stream; a refusal ends it */
  watch: () => readonly (Buffer | Refusal | 'end')[];
}

export const header = { clusterId: 1n, memberId: 1n, revision: 5, raftTerm: 2n };

export const bytesOf = <T>(layout: WireMessage<T>, message: object): Buffer => encodeWireMessage(layout, message as never);

export class FakeMember {
  readonly address: string;
  /** how often each was called */
  readonly called = { range: 0, transaction: 0, watch: 0 };
  /** metadata of the last call */
  leaderWanted: unknown;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.address = `http://127.0.0.1:${port}`;
  }

  static async start(behaviour: Partial<FakeBehaviour>): Promise<FakeMember> {
    const server = new Server();
    let member: FakeMember | undefined;
    const raw = { requestSerialize: (bytes: Buffer) => bytes, requestDeserialize: (bytes: Buffer) => bytes };
    const plain = { ...raw, responseSerialize: (bytes: Buffer) => bytes, responseDeserialize: (bytes: Buffer) => bytes };
    const definition: ServiceDefinition = {
      range: { ...plain, path: KV.Range.path, requestStream: false, responseStream: false },
      transaction: { ...plain, path: KV.Txn.path, requestStream: false, responseStream: false },
      watch: { ...plain, path: Watch.Watch.path, requestStream: true, responseStream: true },
    };
    const unary = (method: 'range' | 'transaction') => (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => {
      const own = member as FakeMember;
      own.called[method]++;
      own.leaderWanted = call.metadata.get('hasleader')[0];
      const answer = behaviour.unary?.(method) ?? 'silence';
      if (Buffer.isBuffer(answer)) done(null, answer);
      else if (answer !== 'silence') done(answer);
    };
    server.addService(definition, {
      range: unary('range'),
      transaction: unary('transaction'),
      watch: (stream: ServerDuplexStream<Buffer, Buffer>) => {
        (member as FakeMember).called.watch++;
        stream.once('data', () => {
          for (const each of behaviour.watch?.() ?? []) {
            if (Buffer.isBuffer(each)) stream.write(each);
            else if (each === 'end') stream.end();
            else stream.emit('error', each);
          }
        });
        stream.on('error', () => {});
      },
    });
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    member = new FakeMember(server, port);
    return member;
  }

  stop(): void {
    this.#server.forceShutdown();
  }
}
