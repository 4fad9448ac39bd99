/** Reads the user from the headers that an authenticating proxy adds (specification: authenticating proxy). */
import type { IncomingMessage } from 'node:http';
import type { User } from '../contract/request-context.ts';
import { withAuthenticatedGroup } from './identities.ts';
import { decodedKey, headersWithPrefix, headerValues, removeHeaders } from './request-headers.ts';

/** Names of the headers. There may be several for each purpose. */
export interface ProxyHeaderNames {
  /** headers of the user name: the first that is not empty counts */
  readonly username: readonly string[];
  readonly uid: readonly string[];
  /** headers of groups: all of them count */
  readonly group: readonly string[];
  /** prefixes of headers for `extra`; the rest of a name is the key, percent-encoded */
  readonly extraPrefix: readonly string[];
}

/** Headers that are never passed on, even if other names are configured. */
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
  /** first characters (as codes) of the names that are removed: nearly all other headers begin differently, so they are skipped quickly */
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

  /** Call this only for connections of a proxy. @returns undefined if no header names a user */
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

  /** Removes the headers from a request, whoever sent them. */
  remove(request: IncomingMessage): void {
    for (const name in request.headers)
      if (this.#firstLetters.has(name.charCodeAt(0)) && this.#isRemoved(name))
        return removeHeaders(request, (each) => this.#isRemoved(each));
  }

  #isRemoved(name: string): boolean {
    return this.#removed.has(name) || this.#removedPrefixes.some((prefix) => name.startsWith(prefix));
  }
}
