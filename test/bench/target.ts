/** The server that is measured: ours or any other that speaks the same API. */
import { readFileSync } from 'node:fs';

/** Plain data: it is handed to the load processes. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** bearer token of a user who may do everything */
  readonly token: string;
  /** PEM by which the server is trusted; absent: it is not checked */
  readonly authority?: string;
  /** of the server's processes, where it runs on this machine and its figures are wanted */
  readonly pid?: number;
}

/** @throws Error for text that is no https URL */
export function targetOf(url: string, token: string, authorityFile?: string, pid?: number): Target {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') throw new Error(`--server: ${url} is not an https URL`);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 443),
    token,
    ...(authorityFile !== undefined && { authority: readFileSync(authorityFile, 'utf8') }),
    ...(pid !== undefined && { pid }),
  };
}

/** Text of a request of HTTP/1.1, its body with the length that it has. */
export function requestText(
  target: Target,
  method: string,
  path: string,
  body = '',
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${target.host}:${target.port}`,
    `Authorization: Bearer ${target.token}`,
    'User-Agent: bench',
    ...Object.entries({ Accept: 'application/json', ...headers }).map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== '') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  if (body !== '' && headers['Content-Type'] === undefined) lines.push('Content-Type: application/json');
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
