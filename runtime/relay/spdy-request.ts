/** Turns a request for a WebSocket into one for SPDY, which every agent knows. */
import type { Outgoing } from './exchange.ts';

export const SPDY = 'SPDY/3.1';
/** Header by which the two sides agree on the protocol inside SPDY. */
export const PROTOCOL_VERSION = 'X-Stream-Protocol-Version';

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
