import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { User } from '../endpoints/api-server.ts';
import { newUnauthorized } from '../status/status.ts';
import { AUTHENTICATED_GROUP } from './authenticator.ts';

/**
 * The user of a connection's client certificate: its Common Name, with each Organization as a group.
 * @returns null for a connection without one
 * @throws StatusError Unauthorized for a certificate that no known authority signed, or that is out of date
 */
export function certificateUser(socket: TLSSocket, proxyAuthority: X509Certificate | undefined): User | null {
  if (typeof socket.getPeerCertificate !== 'function') return null;
  const certificate = socket.getPeerCertificate();
  const subject = certificate?.subject as { CN?: string; O?: string | string[] } | undefined;
  if (subject === undefined || Object.keys(certificate).length === 0) return null;
  if (!socket.authorized) throw newUnauthorized();
  if (proxyAuthority !== undefined && new X509Certificate(certificate.raw).checkIssued(proxyAuthority)) return null;
  const organizations = subject.O === undefined ? [] : Array.isArray(subject.O) ? subject.O : [subject.O];
  return { name: subject.CN ?? '', uid: '', groups: [...organizations, AUTHENTICATED_GROUP], extra: {} };
}
