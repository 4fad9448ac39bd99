/**
 * Lets clients that nobody knows have one request of a connection of HTTP/2 answered: then the connection ends, as in 1.32 since CVE-2023-44487. Streams cost
 * a client next to nothing, and a server much. HTTP/1.1 has one request at a time, and its connections stay.
 */
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
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

/** Tells the client to send no more (GOAWAY). */
function endConnection(request: IncomingMessage): void {
  (request as unknown as Http2ServerRequest).stream?.session?.close();
}
