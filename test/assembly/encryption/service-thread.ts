/** A key management service on a thread of its own, for whoever asks it may stop until it answers. It tells what callers have sent with their calls. */

import { parentPort, workerData } from 'node:worker_threads';
import { type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import type { UnaryMethod } from '../../../runtime/contract/node-interface.ts';
import { decodeWireMessage, encodeWireMessage } from '../../../runtime/schema/protobuf/wire-messages.ts';

export interface ServiceData {
  readonly socket: string;
  /** its one element is the code by which all calls fail; 0: none does */
  readonly failing: Int32Array<SharedArrayBuffer>;
}

/** Of one call. */
export interface Told {
  readonly path: string;
  readonly traceparent: string | undefined;
}

const { socket, failing } = workerData as ServiceData;
const server = new Server();

function answering<Request, Answer>({ path, request, answer }: UnaryMethod<Request, Answer>, make: (of: Request) => object): void {
  const definition = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: () => Buffer.alloc(0),
    requestDeserialize: (bytes: Buffer) => decodeWireMessage(request, bytes),
    responseSerialize: (message: object) => encodeWireMessage<unknown>(answer, message),
    responseDeserialize: () => ({}),
  };
  const handler = (call: { request: Request; metadata: Metadata }, done: (error: object | null, message?: object) => void): void => {
    const traceparent = call.metadata.get('traceparent')[0] as string | undefined;
    parentPort?.postMessage({ path, traceparent } satisfies Told);
    const code = Atomics.load(failing, 0);
    if (code === 0) done(null, make(call.request));
    else done({ code, details: 'not open' });
  };
  server.addService({ [path]: definition }, { [path]: handler });
}

answering(KeyManagementService.Status, () => ({ version: 'v2', healthz: 'ok', keyId: 'key' }));
answering(KeyManagementService.Encrypt, ({ plaintext }) => ({ ciphertext: plaintext, keyId: 'key', annotations: [] }));
answering(KeyManagementService.Decrypt, ({ ciphertext }) => ({ plaintext: ciphertext }));
// whoever asks gets null behind all that was told before
parentPort?.on('message', () => parentPort?.postMessage(null));
server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error;
  parentPort?.postMessage('listens');
});
