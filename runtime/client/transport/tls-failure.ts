/** What went wrong with TLS, for whoever reads it: OpenSSL's own text has addresses of threads and paths of its source code. */

/** Of OpenSSL's, such as `error:0A00010B:SSL routines:ssl3_get_record:wrong version number`. */
const RAW = /(?:^|[\s:])error:[0-9A-F]{8}:[^:]*:[^:]*:([^:\n]*)/i;

/** @returns the message of an error; of one of OpenSSL's the reason alone, behind `tls: ` */
export function plainMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, reason] = RAW.exec(message) ?? [];
  if (reason === undefined) return message;
  return `tls: ${reason.trim() || 'the other side does not speak TLS as it should'}`;
}
