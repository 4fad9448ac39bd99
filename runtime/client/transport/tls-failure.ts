/** Makes messages of TLS errors readable: OpenSSL's own texts contain thread addresses and paths of its source code. */

/** Matches a text of OpenSSL, such as `error:0A00010B:SSL routines:ssl3_get_record:wrong version number`. */
const RAW = /(?:^|[\s:])error:[0-9A-F]{8}:[^:]*:[^:]*:([^:\n]*)/i;

/** @returns the message of an error; for one of OpenSSL only its reason, behind `tls: ` */
export function plainMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, reason] = RAW.exec(message) ?? [];
  if (reason === undefined) return message;
  return `tls: ${reason.trim() || 'the other side does not speak TLS as it should'}`;
}
