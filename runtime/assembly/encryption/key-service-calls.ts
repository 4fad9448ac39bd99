/**
 * The thread that calls the service while another thread is blocked. It posts each answer as a message and then increments the counter on
 * which that thread waits.
 */
import { workerData } from 'node:worker_threads';
import { KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import { InterfaceClient } from '../../node-agent/grpc/interface-client.ts';
import { MAX_ANSWER_BYTES } from './key-service-limits.ts';
import type { AskedNow, ThreadAnswer, ThreadData } from './waiting-decryption.ts';

const { socket, port, answered } = workerData as ThreadData;
const client = new InterfaceClient(socket, { maxBytes: MAX_ANSWER_BYTES });

const answer = (message: ThreadAnswer): void => {
  port.postMessage(message);
  Atomics.add(answered, 0, 1);
  Atomics.notify(answered, 0);
};

port.on('message', ({ id, request, timeout, headers }: AskedNow) => {
  client.call(KeyManagementService.Decrypt, request, { timeout, headers }).then(
    ({ plaintext }) => answer({ id, plaintext }),
    (error: Error) => answer({ id, failure: error.message }),
  );
});
