import type { IncomingMessage } from 'node:http';

/** A request with nothing but headers, as the listener would hand it over. */
export function request(headers: Readonly<Record<string, string>> | readonly (readonly [string, string])[]): IncomingMessage {
  const entries = Array.isArray(headers) ? (headers as readonly (readonly [string, string])[]) : Object.entries(headers);
  const joined: Record<string, string> = {};
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    joined[key] = joined[key] === undefined ? value : `${joined[key]}, ${value}`;
  }
  return { headers: joined, rawHeaders: entries.flat(), socket: {} } as unknown as IncomingMessage;
}
