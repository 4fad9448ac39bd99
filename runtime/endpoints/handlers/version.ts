import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import { parseAccept } from '../../negotiation/accept-header.ts';
import { newMethodNotAllowed, newNotAcceptable } from '../../status/status.ts';

/** The release whose behaviour this server has, in the form that clients compare. */
const VERSION = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.0',
  gitCommit: '0000000000000000000000000000000000000000',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'node',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

/** The one representation that there is. */
const JSON_TYPE = 'application/json';
const TAKES_JSON: ReadonlySet<string> = new Set(['*/*', JSON_TYPE]);

export function versionHandler(context: Context): void {
  if (context.method !== 'GET') throw newMethodNotAllowed();
  const { accept = '' } = context.req.headers;
  if (accept !== '' && !parseAccept(accept).some(({ type }) => TAKES_JSON.has(type))) throw newNotAcceptable([JSON_TYPE]);
  answerOf(context).send(200, JSON_TYPE, `${JSON.stringify(VERSION, null, 2)}\n`);
}
