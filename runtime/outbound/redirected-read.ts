/** Reads an address of another server, or the place where that leads, as clients of 1.32 do; https alone is followed. */
import { type ExchangeAnswer, ExchangeError, LedOn, MOST_REDIRECTS, type PeerConnection } from './exchange.ts';

export interface RedirectedRead {
  readonly url: URL;
  /** the header `Authorization` for the host of the address and those below it; where another host leads back to them, it is not sent again */
  readonly authorization?: string | undefined;
  /** the milliseconds for all of it */
  readonly timeout: number;
  /** bytes of an answer's body at most */
  readonly maxBytes: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** @throws ExchangeError without a whole answer, and where it leads on too often or to what is no https address */
export async function redirectedRead(
  connection: Pick<PeerConnection, 'exchange'>,
  { url: first, authorization, timeout, maxBytes }: RedirectedRead,
): Promise<ExchangeAnswer> {
  const until = performance.now() + timeout;
  let url = first;
  let isKnown = true;
  for (let times = 1; ; times++) {
    isKnown &&= isWithin(url.hostname, first.hostname);
    const answer = await connection.exchange({
      method: 'GET',
      url,
      ...(isKnown && { authorization }),
      timeout: Math.max(1, until - performance.now()),
      maxBytes,
    });
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || typeof location !== 'string') return answer;
    if (times === MOST_REDIRECTS) throw new LedOn(location);
    const next = URL.parse(location, url);
    if (next?.protocol !== 'https:') throw new ExchangeError(`${url.origin}${url.pathname} leads to no https address`);
    url = next;
  }
}

const isWithin = (host: string, parent: string): boolean => host === parent || host.endsWith(`.${parent}`);
