import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';

/**
 * A client that waits to be told before it sends a body (Expect: 100-continue) is told when somebody begins to read it, as in 1.32, not before the
 * request is known to be answered: what is refused by its head alone is never sent.
 */
export function inviteBodies(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    request.once('resume', () => {
      if (!response.headersSent && !response.writableEnded) response.writeContinue();
    });
    server.emit('request', request, response);
  });
}
