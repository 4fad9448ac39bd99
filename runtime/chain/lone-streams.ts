/**
 * Lets clients that nobody knows have the requests answered that come first over a connection of HTTP/2: then the connection ends, as in 1.32 since
 * CVE-2023-44487. Streams cost a client next to nothing, and a server much. HTTP/1.1 has one request at a time, and its connections stay.
 */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest, Http2Session } from 'node:http2';
import type { Authenticator } from '../authentication/authenticator.ts';
import { ANONYMOUS, UNAUTHENTICATED_GROUP } from '../authentication/identities.ts';
import type { User } from '../contract/request-context.ts';

type Authenticates = Pick<Authenticator, 'authenticate'>;

/** An authenticator that ends the connections over which nobody known asks. Requests that are under way there are still answered. */
export function withLoneStreams(authenticator: Authenticates): Authenticates {
  return {
    authenticate: (request, ...others) => {
      if (request.httpVersionMajor !== 2) return authenticator.authenticate(request, ...others);
      const known = (user: User): User => {
        if (isUnknown(user)) endConnection(request);
        return user;
      };
      const refused = (error: unknown): never => {
        endConnection(request);
        throw error;
      };
      try {
        const user = authenticator.authenticate(request, ...others);
        return user instanceof Promise ? user.then(known, refused) : known(user);
      } catch (error) {
        return refused(error);
      }
    },
  };
}

const isUnknown = ({ name, groups }: User): boolean => name === ANONYMOUS.name || groups.includes(UNAUTHENTICATED_GROUP);

/** The connections that are about to end. */
const ending = new WeakSet<Http2Session>();

/**
 * Tells the client to send no more (GOAWAY), after the requests that have arrived together with this one: they were sent before the client could know. Node bounds
 * how many streams these can be, open ones and those that are reset at once.
 */
function endConnection(request: IncomingMessage): void {
  const session = (request as unknown as Http2ServerRequest).stream?.session;
  if (session === undefined || ending.has(session)) return;
  ending.add(session);
  setImmediate(() => session.close());
}
