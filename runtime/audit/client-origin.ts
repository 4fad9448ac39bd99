/** Where a request comes from, and what its client calls itself, as events say it. */
import type { IncomingMessage } from 'node:http';
import { connectionOf } from '../connections/connection-of.ts';
import { headerText } from '../connections/header-text.ts';
import type { User } from '../contract/request-context.ts';
import { quoted, userJson } from './event-text.ts';
import { isForwarded, sourceAddresses } from './source-addresses.ts';

/** Bytes of a client's name for itself. */
const MOST_USER_AGENT = 1_024;
/** Remembered for one connection; clients may name verbs as they like. */
const MOST_VERBS = 16;

export class ClientOrigin {
  /** the last one is that of the connection */
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** members of an event, each behind a comma */
  readonly members: string;
  /** of events of this user, by their verbs */
  readonly #askers = new Map<string, string>();
  #user: User | undefined;

  constructor(sourceIPs: readonly string[], userAgent: string) {
    this.sourceIPs = sourceIPs;
    this.userAgent = userAgent;
    const addresses = sourceIPs.length === 0 ? '' : `,"sourceIPs":${JSON.stringify(sourceIPs)}`;
    this.members = userAgent === '' ? addresses : `${addresses},"userAgent":${quoted(userAgent)}`;
  }

  /** What stands between the path and the object of an event, of somebody who acts as they are: few connections bring another user, or many verbs. */
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

/** What an event says of who asks, behind the text of the path. */
export const askerText = (verb: string, user: User | undefined): string => `","verb":${quoted(verb)},"user":${userJson(user)}`;

/** Who asks, and from where. */
export interface Client {
  /** undefined where nobody is known */
  readonly user: User | undefined;
  readonly origin: ClientOrigin;
}

interface Known extends Client {
  /** as the client has sent it */
  readonly userAgent: string;
}

/** Of the last request of each connection: those that follow have the same, as a rule. */
const known = new WeakMap<object, Known>();

/** @returns the user of the last request of the connection in place of one who is the same: what is known of that one need not be found out again */
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

/** @param userAgent as Node reads it: a character is a byte */
function shortened(userAgent: string): string {
  return headerText(userAgent.length > MOST_USER_AGENT ? `${userAgent.slice(0, MOST_USER_AGENT)}...TRUNCATED` : userAgent);
}
