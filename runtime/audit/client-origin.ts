/** Where a request comes from, and what its client calls itself, as events say it. */
import type { IncomingMessage } from 'node:http';
import { quoted } from './event-text.ts';
import { isForwarded, sourceAddresses } from './source-addresses.ts';

/** Characters of a client's name for itself. */
const MOST_USER_AGENT = 1_024;

export class ClientOrigin {
  /** the last one is that of the connection */
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** members of an event, each behind a comma */
  readonly members: string;

  constructor(sourceIPs: readonly string[], userAgent: string) {
    this.sourceIPs = sourceIPs;
    this.userAgent = userAgent;
    const addresses = sourceIPs.length === 0 ? '' : `,"sourceIPs":${JSON.stringify(sourceIPs)}`;
    this.members = userAgent === '' ? addresses : `${addresses},"userAgent":${quoted(userAgent)}`;
  }
}

interface Known {
  /** as the client has sent it */
  readonly userAgent: string;
  readonly origin: ClientOrigin;
}

/** Of the last request of each connection: those that follow have the same, as a rule. */
const known = new WeakMap<object, Known>();

export function originOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): ClientOrigin {
  const { headers, socket } = request;
  const userAgent = headers['user-agent'] ?? '';
  if (isForwarded(headers)) return new ClientOrigin(sourceAddresses(request), shortened(userAgent));
  const last = known.get(socket);
  if (last?.userAgent === userAgent) return last.origin;
  const origin = new ClientOrigin(sourceAddresses(request), shortened(userAgent));
  known.set(socket, { userAgent, origin });
  return origin;
}

function shortened(userAgent: string): string {
  return userAgent.length > MOST_USER_AGENT ? `${userAgent.slice(0, MOST_USER_AGENT)}...TRUNCATED` : userAgent;
}
