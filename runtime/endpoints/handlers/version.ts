import type { Context } from 'koa';
import { newMethodNotAllowed } from '../../status/status.ts';

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

export function versionHandler(context: Context): void {
  if (context.method !== 'GET') throw newMethodNotAllowed();
  context.set('content-type', 'application/json');
  context.body = `${JSON.stringify(VERSION, null, 2)}\n`;
}
