/** Who asks by way of an authenticating proxy: the headers that it adds (specification: authenticating proxy). */
import type { IncomingMessage } from 'node:http';
import type { User } from '../contract/request-context.ts';
import { withAuthenticatedGroup } from './identities.ts';
import { decodedKey, headersWithPrefix, headerValues, removeHeaders } from './request-headers.ts';

/** Names of headers, of which several may stand for one thing. */
export interface ProxyHeaderNames {
  /** the first that is there and not empty decides */
  readonly username: readonly string[];
  readonly uid: readonly string[];
  /** all count */
  readonly group: readonly string[];
  /** what the names of headers begin with that say more; the rest of the name is the key, percent-encoded */
  readonly extraPrefix: readonly string[];
}

/** Those that are never handed on, whatever names are used here. */
export const USUAL_HEADERS: ProxyHeaderNames = {
  username: ['x-remote-user'],
  uid: ['x-remote-uid'],
  group: ['x-remote-group'],
  extraPrefix: ['x-remote-extra-'],
};

export class ProxyHeaders {
  readonly #names: ProxyHeaderNames;
  readonly #removed: ReadonlySet<string>;
  readonly #removedPrefixes: readonly string[];
  /** of all that is removed, as character codes: nearly every header of a request has another one */
  readonly #firstLetters: ReadonlySet<number>;

  constructor(names: ProxyHeaderNames) {
    const lower = (all: readonly string[]) => all.map((name) => name.trim().toLowerCase());
    this.#names = {
      username: lower(names.username),
      uid: lower(names.uid),
      group: lower(names.group),
      extraPrefix: lower(names.extraPrefix),
    };
    this.#removed = new Set([this.#names, USUAL_HEADERS].flatMap(({ username, uid, group }) => [...username, ...uid, ...group]));
    this.#removedPrefixes = [...new Set([...this.#names.extraPrefix, ...USUAL_HEADERS.extraPrefix])];
    this.#firstLetters = new Set([...this.#removed, ...this.#removedPrefixes].map((name) => name.charCodeAt(0)));
  }

  /** To be believed of a proxy alone. @returns undefined where no header names a user */
  user({ rawHeaders }: IncomingMessage): User | undefined {
    const first = (names: readonly string[]): string => {
      for (const name of names) {
        const [value = ''] = headerValues(rawHeaders, name);
        if (value !== '') return value;
      }
      return '';
    };
    const name = first(this.#names.username);
    if (name === '') return undefined;
    const groups = this.#names.group.flatMap((group) => headerValues(rawHeaders, group)).filter((group) => group !== '');
    return withAuthenticatedGroup({ name, uid: first(this.#names.uid), groups, extra: this.#extra(rawHeaders) });
  }

  #extra(rawHeaders: readonly string[]): User['extra'] {
    const extra = new Map<string, string[]>();
    for (const prefix of this.#names.extraPrefix)
      for (const [rest, values] of headersWithPrefix(rawHeaders, prefix)) {
        const key = decodedKey(rest);
        extra.set(key, [...(extra.get(key) ?? []), ...values]);
      }
    return Object.fromEntries(extra);
  }

  /** Takes the headers out of a request, whoever sent them. */
  remove(request: IncomingMessage): void {
    for (const name in request.headers)
      if (this.#firstLetters.has(name.charCodeAt(0)) && this.#isRemoved(name))
        return removeHeaders(request, (each) => this.#isRemoved(each));
  }

  #isRemoved(name: string): boolean {
    return this.#removed.has(name) || this.#removedPrefixes.some((prefix) => name.startsWith(prefix));
  }
}
