/** Chooses the release whose API a server has, by --emulated-release or by --emulated-version, which is the flag of kube-apiserver. */
import { compareReleases } from '../../contract/lifespan.ts';

export interface ReleaseFlags {
  /** '' if the flag is not set */
  readonly 'emulated-release': string;
  /** such as `1.31` and `kube=1.31` */
  readonly 'emulated-version': readonly string[];
}

/** Both ends are included. */
export interface ReleaseRange {
  readonly oldest: string;
  readonly current: string;
}

const RELEASE = /^v?(\d+\.\d+)$/;
/** the name of kube-apiserver in flags that several programs share */
const COMPONENT = 'kube';

/** @throws Error that names the flag, for an invalid release, for one out of range, and for two different ones */
export function chosenRelease(flags: ReleaseFlags, range: ReleaseRange): string {
  const stated = flags['emulated-release'] === '' ? [] : [releaseOf('emulated-release', flags['emulated-release'], range)];
  const versions = flags['emulated-version'].map((text) => releaseOf('emulated-version', withoutComponent(text), range));
  const chosen = new Set([...stated, ...versions]);
  if (chosen.size > 1) throw new Error(`--emulated-release and --emulated-version name different releases: ${[...chosen].join(', ')}`);
  return [...chosen][0] ?? range.current;
}

function withoutComponent(text: string): string {
  const [component = '', version] = text.split('=');
  if (version === undefined) return text;
  if (component === COMPONENT) return version;
  throw new Error(`--emulated-version=${text}: ${JSON.stringify(component)} is no part of this server, which goes by ${COMPONENT}`);
}

function releaseOf(flag: string, text: string, { oldest, current }: ReleaseRange): string {
  const release = RELEASE.exec(text)?.[1];
  if (release === undefined) throw new Error(`--${flag}=${text}: a release is named by two numbers, such as ${current}`);
  if (compareReleases(release, oldest) < 0 || compareReleases(release, current) > 0)
    throw new Error(`--${flag}=${text}: this server can have the API of a release from ${oldest} to ${current}, and of no other`);
  return release;
}
