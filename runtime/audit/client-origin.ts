/** The addresses and the user agent of a client, as events contain them. */
import type { IncomingMessage } from 'node:http';
import { connectionOf } from '../connections/connection-of.ts';
import { headerText } from '../connections/header-text.ts';
import type { User } from '../contract/request-context.ts';
import { quoted, userJson } from './event-text.ts';
import { isForwarded, sourceAddresses } from './source-addresses.ts';

/** The most bytes of a user agent. */
const MOST_USER_AGENT = 1_024;
/** The most verbs that are cached for a connection, because clients may make up verbs. */
const MOST_VERBS = 16;

export class ClientOrigin {
  /** the addresses that proxies state, then that of the connection, which is the last one */
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** the text of both as members of an event, each after a comma */
  readonly members: string;
  /** cached texts for this user, by verbs */
  readonly #askers = new Map<string, string>();
  #user: User | undefined;

  constructor(sourceIPs: readonly string[], userAgent: string) {
    this.sourceIPs = sourceIPs;
    this.userAgent = userAgent;
    const addresses = sourceIPs.length === 0 ? '' : `,"sourceIPs":${JSON.stringify(sourceIPs)}`;
    this.members = userAgent === '' ? addresses : `${addresses},"userAgent":${quoted(userAgent)}`;
  }

  /** Text between the path and the object of an event without impersonation. It is cached, because few connections have several users or many verbs. */
  asker(verb: string, user: User | undefined): string {
    if (user !== this.#user || this.#askers.size > MOST_VERBS) {
      this.#askers.clear();
      this.#user = user;
    }
    let known = this.#askers.get(verb);
    if (known === undefined) {
      known = `${askerText(verb, user)}${this.members}`;
      this.#askers.set(verb, known);
    }
    return known;
  }
}

/** Text of the verb and the user, which follows the path. */
export const askerText = (verb: string, user: User | undefined): string => `","verb":${quoted(verb)},"user":${userJson(user)}`;

/** The user of a request, and where it comes from. */
export interface Client {
  /** undefined if the user is not known */
  readonly user: User | undefined;
  readonly origin: ClientOrigin;
}

interface Known extends Client {
  /** the user agent as it was received, not shortened */
  readonly userAgent: string;
}

/** The last request of each connection, because the next ones usually have the same user and headers. */
const known = new WeakMap<object, Known>();

/** @returns the origin, and an equal user object of the connection's last request if there is one, so that caches by user object still apply */
export function clientOf(request: Pick<IncomingMessage, 'headers' | 'socket'>, user: User | undefined): Client {
  const { headers } = request;
  const userAgent = headers['user-agent'] ?? '';
  if (isForwarded(headers)) return { user, origin: new ClientOrigin(sourceAddresses(request), shortened(userAgent)) };
  const connection = connectionOf(request);
  const last = known.get(connection);
  const isSameUser = last !== undefined && isSame(last.user, user);
  const isSameAgent = last?.userAgent === userAgent;
  if (isSameUser && isSameAgent) return last;
  const origin = isSameAgent ? last.origin : new ClientOrigin(sourceAddresses(request), shortened(userAgent));
  const client = { user: isSameUser ? last.user : user, origin, userAgent };
  known.set(connection, client);
  return client;
}

function isSame(one: User | undefined, other: User | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return one.name === other.name && one.uid === other.uid && areSame(one.groups, other.groups) && areSameExtra(one.extra, other.extra);
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each, index) => each === others[index]);
}

function areSameExtra(some: User['extra'], others: User['extra']): boolean {
  const keys = Object.keys(some);
  if (keys.length !== Object.keys(others).length) return false;
  return keys.every((key) => Object.hasOwn(others, key) && areSame(some[key] as readonly string[], others[key] as readonly string[]));
}

/** @param userAgent as Node reads it: each character is a byte */
function shortened(userAgent: string): string {
  return headerText(userAgent.length > MOST_USER_AGENT ? `${userAgent.slice(0, MOST_USER_AGENT)}...TRUNCATED` : userAgent);
}
