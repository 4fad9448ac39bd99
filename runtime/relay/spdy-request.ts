/** Turns a request for a WebSocket into one for SPDY, which every agent knows. */
import type { IncomingMessage } from 'node:http';
import type { Outgoing } from './exchange.ts';

export const SPDY = 'SPDY/3.1';
/** Header by which the two sides agree on the protocol inside SPDY. */
export const PROTOCOL_VERSION = 'X-Stream-Protocol-Version';

/** Whether an agent that has switched protocols says that it speaks SPDY now. */
export const isInSpdy = ({ headers }: IncomingMessage): boolean => (headers.upgrade ?? '').toLowerCase().includes(SPDY.toLowerCase());

/** @param protocols inside SPDY, the preferred one first */
export function inSpdy({ headers, ...outgoing }: Outgoing, protocols: readonly string[]): Outgoing {
  const kept: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (!headers[at]?.toLowerCase().startsWith('sec-websocket-')) kept.push(headers[at] as string, headers[at + 1] as string);
  return {
    ...outgoing,
    method: 'POST',
    headers: [...kept, ...protocols.flatMap((protocol) => [PROTOCOL_VERSION, protocol])],
    upgrade: SPDY,
  };
}
