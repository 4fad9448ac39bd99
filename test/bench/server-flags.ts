/** Which servers are measured: ours, started in a folder of its own, or any other by its URL. */
import path from 'node:path';
import { OwnServer, ROOT } from './own-server.ts';
import { type Target, targetOf } from './target.ts';

export interface ServerFlags {
  /** URL of a running server, or the folder of a checkout of ours; empty: this checkout */
  readonly server: string;
  readonly token: string;
  readonly ca: string | undefined;
  readonly pid: string | undefined;
  /** further flags for a server of ours, separated by spaces */
  readonly flags: string;
}

export interface MeasuredServer {
  /** for the rows of a comparison */
  readonly name: string;
  readonly own: OwnServer | undefined;
  /** of the running server */
  readonly target: () => Target;
}

/** @throws Error for a URL that is none */
export function measuredServer({ server, token, ca, pid, flags }: ServerFlags): MeasuredServer {
  if (/^https?:/.test(server)) {
    const target = targetOf(server, token, ca, pid === undefined ? undefined : Number(pid));
    return { name: server, own: undefined, target: () => target };
  }
  const own = new OwnServer(
    flags.split(' ').filter((flag) => flag !== ''),
    server === '' ? ROOT : path.resolve(server),
  );
  return { name: [server === '' ? 'ours' : server, flags].join(' ').trim(), own, target: () => own.target };
}
