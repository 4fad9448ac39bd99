/** Describes problems with connections to other servers in the words of 1.32. */
import { isIP } from 'node:net';
import { plainMessage } from '../client/transport/tls-failure.ts';
import { goQuote } from '../contract/go-quote.ts';
import { isWeaklySigned, LEGACY_NAME } from './server-identity.ts';

/** The words of 1.32 for causes, by the codes of the system. */
const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

export interface SystemError extends Error {
  readonly code?: string;
  /** the call that failed, such as `connect` */
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  /** the bytes that Node's parser does not take for HTTP */
  readonly rawPacket?: Buffer;
  /** the error at each address of a name that has several */
  readonly errors?: readonly SystemError[];
}

/** Tells why a connection could not be made, such as `dial tcp 10.0.0.1:80: connect: connection refused`. */
export function connectionProblem(error: SystemError, host: string, port: number): string {
  const { code = '', address = host, message } = error.errors?.[0] ?? error;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  return `dial tcp ${hostPort(address, port)}: ${CAUSES[code] ?? message}`;
}

export function tlsProblem(error: SystemError): string {
  return CAUSES[error.code ?? ''] ?? certificateProblem(error) ?? `tls: ${plainMessage(error).replace(/^tls: /, '')}`;
}

/** Tells what happened to a request on a connection that had been made. */
export function exchangeProblem(error: SystemError): string {
  const { code = '', message } = error;
  // Node calls it a reset, too
  if (message === 'socket hang up') return 'EOF';
  if (code === 'HPE_HEADER_OVERFLOW') return 'net/http: server response headers are too large';
  if (code.startsWith('HPE_')) return BROKEN + malformed(error);
  return CAUSES[code] ?? plainMessage(error);
}

/** Tells what comes in place of an answer by its first line, as Go does. */
function malformed({ message, rawPacket }: SystemError): string {
  if (rawPacket === undefined) return `malformed HTTP response: ${message}`;
  const [line = ''] = rawPacket.toString('latin1', 0, LONGEST_LINE).split(/\r?\n/);
  const space = line.indexOf(' ');
  if (space < 0) return `malformed HTTP response ${goQuote(line)}`;
  const [code = ''] = line
    .slice(space + 1)
    .trimStart()
    .split(' ');
  if (!/^\d{3}$/.test(code)) return `malformed HTTP status code ${goQuote(code)}`;
  const version = line.slice(0, space);
  return /^HTTP\/\d\.\d$/.test(version) ? `malformed HTTP response: ${message}` : `malformed HTTP version ${goQuote(version)}`;
}

/** Before what is wrong with the head of an answer, except where it was to be a switch of protocols. */
export const BROKEN = 'net/http: HTTP/1.x transport connection broken: ';
/** Most bytes of such a line that are told. */
const LONGEST_LINE = 4_096;

/** Tells what happened to a request of Node, which makes its connection itself. */
export function requestProblem(error: SystemError): string {
  const certificate = certificateProblem(error);
  if (certificate !== undefined) return certificate;
  const { syscall = '', port = 0, address = '', errors } = error;
  if (syscall === 'getaddrinfo') return connectionProblem(error, (error as { hostname?: string }).hostname ?? '', 0);
  if (syscall === 'connect' || errors !== undefined) {
    const first = errors?.[0] ?? error;
    return connectionProblem(error, address, first.port ?? port);
  }
  // what answers a handshake like this speaks HTTP, nearly always
  if (/:wrong version number\b/.test(error.message)) return 'http: server gave HTTP response to HTTPS client';
  // a connection that ends inside the answer
  return error.message === 'aborted' ? 'unexpected EOF' : exchangeProblem(error);
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Why a certificate is not believed; undefined for what is wrong otherwise. */
export function certificateProblem(error: SystemError): string | undefined {
  const { code = '' } = error;
  if (UNKNOWN_AUTHORITY.has(code)) return `${UNVERIFIED}certificate signed by unknown authority`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return `${UNVERIFIED}certificate has expired or is not yet valid`;
  if (isWeaklySigned(error))
    return `${UNVERIFIED}certificate signed by unknown authority (possibly because of "x509: cannot verify signature: insecure algorithm")`;
  if (code === LEGACY_NAME) return UNVERIFIED + error.message;
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? UNVERIFIED + otherNames(error as NameError) : undefined;
}

const UNVERIFIED = 'tls: failed to verify certificate: x509: ';

/** The error for a certificate that does not have the name of the server. */
interface NameError extends SystemError {
  /** the server's name, or its address */
  readonly host?: string;
  /** the names in the certificate, such as `DNS:a.example, IP Address:10.0.0.1` */
  readonly cert?: { readonly subjectaltname?: string };
}

function otherNames({ host = '', cert }: NameError): string {
  const isAddress = isIP(host) !== 0;
  const type = isAddress ? 'IP Address:' : 'DNS:';
  const names = (cert?.subjectaltname ?? '').split(', ').flatMap((name) => (name.startsWith(type) ? [name.slice(type.length)] : []));
  if (names.length > 0) return `certificate is valid for ${names.join(', ')}, not ${host}`;
  return isAddress
    ? `cannot validate certificate for ${host} because it doesn't contain any IP SANs`
    : `certificate is not valid for any names, but wanted to match ${host}`;
}

/** Writes a host and a port as in a URL, with an IPv6 address in brackets. */
export function hostPort(host: string, port: number | string): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
