import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

/** What the requests of one connection have in common. HTTP/2 has a connection of its own below its requests' sockets, which are made anew for each. */
export function connectionOf(request: Pick<IncomingMessage, 'socket'>): object {
  return (request as unknown as Http2ServerRequest).stream?.session ?? request.socket;
}
