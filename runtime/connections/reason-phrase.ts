/** The words behind a status on HTTP/1.1, as Go writes them. They mean nothing to programs. */
import type { ServerResponse } from 'node:http';

// An import would load all that the module exports (see upgrade.ts).
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** Where Go has other words than Node. */
const OTHERS: Readonly<Record<number, string>> = {
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  418: "I'm a teapot",
  509: 'status code 509',
};

export const reasonPhrase = (status: number): string => OTHERS[status] ?? STATUS_CODES[status] ?? `status code ${status}`;

/** Sets the status of an answer, with its words where there are any. (HTTP/2 has none.) */
export function setStatus(response: ServerResponse, status: number): void {
  response.statusCode = status;
  if (response.req.httpVersionMajor === 1 && (status in OTHERS || !(status in STATUS_CODES))) response.statusMessage = reasonPhrase(status);
}
