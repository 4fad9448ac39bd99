import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import { parseAccept } from '../../../negotiation/accept-header.ts';
import type { BuildInfo } from '../../../observability/program-metrics.ts';
import { newMethodNotAllowed, newNotAcceptable } from '../../../status/status.ts';

const PROGRAM = {
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

/** @param release the one whose API the server has, which is told in the form that clients compare */
export function buildInfo(release: string): BuildInfo {
  const [major = '', minor = ''] = release.split('.');
  return { major, minor, gitVersion: `v${release}.0`, ...PROGRAM };
}

/** @param release as `buildInfo` has it */
export function versionHandler(release: string): (context: Context) => void {
  const text = JSON.stringify(buildInfo(release), null, 2);
  return (context) => {
    if (context.method !== 'GET') throw newMethodNotAllowed();
    const { accept = '' } = context.req.headers;
    if (accept !== '' && !parseAccept(accept).some(({ written }) => TAKES_JSON.has(written))) throw newNotAcceptable([JSON_TYPE]);
    answerOf(context).send(200, JSON_TYPE, text);
  };
}
