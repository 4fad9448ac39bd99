/** One stage of one request, as text: JSON in the order of 1.32's members, or a line of its older form. */
import type { ObjectReference } from '../../generated/audit/v1/types.ts';
import type { User } from '../contract/request-context.ts';
import { goQuote } from '../go-text/quote.ts';
import type { Status } from '../status/status.ts';
import type { Level, Stage } from './audit-policy.ts';

/** What stays as it is from stage to stage, and of whose text each event has a copy. */
export class EventHead {
  readonly fields: HeadFields;
  #opening: string | undefined;
  #asker: string | undefined;

  constructor(fields: HeadFields) {
    this.fields = fields;
  }

  /** what stands before the stage */
  get opening(): string {
    const { apiVersion, level, auditID } = this.fields;
    this.#opening ??= `{"kind":"Event","apiVersion":"${apiVersion}","level":"${level}","auditID":${JSON.stringify(auditID)},"stage":`;
    return this.#opening;
  }

  /** what stands between the stage and whom the request acts as */
  get asker(): string {
    const { requestURI, verb, user } = this.fields;
    this.#asker ??= `,"requestURI":${JSON.stringify(requestURI)},"verb":${JSON.stringify(verb)},"user":${userJson(user)}`;
    return this.#asker;
  }
}

export interface HeadFields {
  /** of events */
  readonly apiVersion: string;
  readonly level: Level;
  readonly auditID: string;
  readonly requestURI: string;
  readonly verb: string;
  /** undefined where nobody is known */
  readonly user: User | undefined;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  /** microseconds since 1970 */
  readonly received: number;
}

/** What a request has come to. */
export interface EventState {
  readonly stage: Stage;
  /** microseconds since 1970 */
  readonly reached: number;
  readonly actsAs?: User | undefined;
  readonly objectRef?: ObjectReference | undefined;
  readonly status?: ResponseStatus | undefined;
  /** JSON */
  readonly requestObject?: string | undefined;
  /** JSON */
  readonly responseObject?: string | undefined;
  readonly annotations: ReadonlyMap<string, string>;
}

export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details'>> & { readonly code?: number };

export class AuditEvent {
  readonly #head: EventHead;
  readonly #state: EventState;
  #json: string | undefined;

  constructor(head: EventHead, state: EventState) {
    this.#head = head;
    this.#state = state;
  }

  get stage(): Stage {
    return this.#state.stage;
  }

  get hasBodies(): boolean {
    return this.#state.requestObject !== undefined || this.#state.responseObject !== undefined;
  }

  /** @param key of an annotation that says so */
  withoutBodies(key: string): AuditEvent {
    const { requestObject: _, responseObject: __, ...state } = this.#state;
    return new AuditEvent(this.#head, { ...state, annotations: new Map([...state.annotations, [key, 'true']]) });
  }

  /** without a line feed at the end */
  json(): string {
    this.#json ??= this.#makeJson();
    return this.#json;
  }

  #makeJson(): string {
    const { sourceIPs, userAgent, received } = this.#head.fields;
    const { stage, reached, actsAs, objectRef, status, requestObject, responseObject, annotations } = this.#state;
    let text = `${this.#head.opening}"${stage}"${this.#head.asker}`;
    if (actsAs !== undefined) text += `,"impersonatedUser":${userJson(actsAs)}`;
    if (sourceIPs.length > 0) text += `,"sourceIPs":${JSON.stringify(sourceIPs)}`;
    if (userAgent !== '') text += `,"userAgent":${JSON.stringify(userAgent)}`;
    if (objectRef !== undefined) text += `,"objectRef":${JSON.stringify(objectRef, REFERENCE)}`;
    if (status !== undefined) text += `,"responseStatus":${JSON.stringify({ metadata: {}, ...status })}`;
    if (requestObject !== undefined) text += `,"requestObject":${requestObject}`;
    if (responseObject !== undefined) text += `,"responseObject":${responseObject}`;
    text += `,"requestReceivedTimestamp":"${microTime(received)}","stageTimestamp":"${microTime(reached)}"`;
    if (annotations.size > 0) text += `,"annotations":${JSON.stringify(sorted(annotations))}`;
    return `${text}}`;
  }

  /** without a line feed at the end */
  legacy(): string {
    const { auditID, requestURI, verb, user, sourceIPs, userAgent, received } = this.#head.fields;
    const { stage, actsAs, objectRef, status } = this.#state;
    const name = user === undefined || user.name === '' ? '<none>' : user.name;
    const groups = user === undefined || user.groups.length === 0 ? goQuote('<none>') : quoted(user.groups);
    const [as, asGroups] = actsAs === undefined ? ['<self>', goQuote('<lookup>')] : [actsAs.name, quoted(actsAs.groups)];
    const namespace = objectRef?.namespace || '<none>';
    const response = status?.code === undefined ? '<deferred>' : String(status.code);
    return (
      `${nanoTime(received)} AUDIT: id=${goQuote(auditID)} stage=${goQuote(stage)} ip=${goQuote(sourceIPs[0] ?? '<unknown>')} ` +
      `method=${goQuote(verb)} user=${goQuote(name)} groups=${groups} as=${goQuote(as)} asgroups=${asGroups} ` +
      `user-agent=${goQuote(userAgent)} namespace=${goQuote(namespace)} uri=${goQuote(requestURI)} response="${response}"`
    );
  }
}

/** Members of a reference in their order. */
const REFERENCE = ['resource', 'namespace', 'name', 'uid', 'apiGroup', 'apiVersion', 'resourceVersion', 'subresource'];

const quoted = (texts: readonly string[]): string => texts.map(goQuote).join(',');

/** Made once for each user. */
const users = new WeakMap<User, string>();

function userJson(user: User | undefined): string {
  if (user === undefined) return '{}';
  const known = users.get(user);
  if (known !== undefined) return known;
  const { name, uid, groups, extra } = user;
  const made = JSON.stringify({
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra: sorted(new Map(Object.entries(extra))) }),
  });
  users.set(user, made);
  return made;
}

/** By key, as Go writes maps. */
function sorted<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The text of the second that was asked for last: most events have it. */
let lastSecond = Number.NaN;
let lastText = '';

function secondText(microseconds: number): string {
  const second = Math.floor(microseconds / 1e6);
  if (second !== lastSecond) {
    lastSecond = second;
    lastText = new Date(second * 1000).toISOString().slice(0, 19);
  }
  return lastText;
}

const fractionOf = (microseconds: number): string => String(Math.floor(microseconds) % 1e6).padStart(6, '0');

/** As the type MicroTime is written. */
export function microTime(microseconds: number): string {
  return `${secondText(microseconds)}.${fractionOf(microseconds)}Z`;
}

/** RFC 3339 without zeros at the end of the fraction. */
function nanoTime(microseconds: number): string {
  const fraction = fractionOf(microseconds).replace(/0+$/, '');
  return `${secondText(microseconds)}${fraction === '' ? '' : `.${fraction}`}Z`;
}
