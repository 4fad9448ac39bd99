/** Checks whether another API server answers for a group version, as 1.32 does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hostPort } from '../connections/connection-problem.ts';
import { ExchangeError } from '../connections/exchange-error.ts';
import { unverified } from './remote-connections.ts';
import { AGGREGATOR } from './remote-discovery.ts';
import type { RemoteServers } from './remote-servers.ts';
import { type RemoteVersion, versionPath } from './remote-version.ts';
import { type Address, ServiceError } from './service-address.ts';

/** Number of requests, of which one must succeed. A service may lead to several servers, and one of them may be down. */
const ATTEMPTS = 5;
/** Milliseconds that the first request has before the others are sent, too; and the limit for each answer. */
const HEAD_START = 500;
const TIMEOUT = 5_000;

/** @param signal ends the check. @returns why the server does not answer; undefined if it does */
export async function availabilityProblem(servers: RemoteServers, remote: RemoteVersion, signal: AbortSignal): Promise<string | undefined> {
  const first = attempt(servers, remote, signal);
  const early = await Promise.race([first, sleep(HEAD_START, LATE)]);
  if (early === undefined) return undefined;
  const attempts = [first, ...Array.from({ length: ATTEMPTS - 1 }, () => attempt(servers, remote, signal))];
  try {
    await Promise.any(attempts.map((each) => each.then((problem) => (problem === undefined ? undefined : Promise.reject(problem)))));
    return undefined;
  } catch {
    return attempts.at(-1);
  }
}

const LATE = 'late';

async function attempt(servers: RemoteServers, remote: RemoteVersion, signal: AbortSignal): Promise<string | undefined> {
  try {
    const address = servers.address(remote);
    const url = `https://${hostPort(address.host, address.port)}${versionPath(remote)}`;
    return await answerProblem(servers, remote, { address, url, signal });
  } catch (error) {
    if (error instanceof ServiceError) return error.message;
    throw error;
  }
}

async function answerProblem(
  servers: RemoteServers,
  remote: RemoteVersion,
  { address, url, signal }: { readonly address: Address; readonly url: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const failing = `failing or missing response from ${url}: `;
  try {
    const question = { path: versionPath(remote), accept: '*/*', user: AGGREGATOR, timeout: TIMEOUT, address, signal };
    // as in 1.32 the certificate is not verified, because the check needs only a status
    const status = await servers.status(unverified(remote), question);
    return status >= 200 && status < 300 ? undefined : `${failing}bad status from ${url}: ${status}`;
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return `${failing}Get ${JSON.stringify(url)}: ${error.message}`;
  }
}
