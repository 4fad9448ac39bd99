/** Writes the event of one stage of a request: as JSON with the members in the order of 1.32, or as a line of the legacy format. */
import type { ObjectReference } from '../../generated/audit/v1/types.ts';
import type { User } from '../contract/request-context.ts';
import { goQuote } from '../go-text/quote.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import type { Level, Stage } from './audit-policy.ts';
import { askerText, type ClientOrigin } from './client-origin.ts';
import {
  annotationsMember,
  escaped,
  nanoTime,
  type ResponseStatus,
  referenceMember,
  statusMember,
  timesMembers,
  userJson,
} from './event-text.ts';

/** The part of events that is the same in all stages of a request. Its text is made once. */
export class EventHead {
  readonly fields: HeadFields;
  #id: string | undefined;
  #path: string | undefined;
  #reference: ObjectReference | undefined;
  #referenceMember = '';

  constructor(fields: HeadFields) {
    this.fields = fields;
  }

  get id(): string {
    this.#id ??= escaped(this.fields.auditID);
    return this.#id;
  }

  get path(): string {
    this.#path ??= escaped(this.fields.requestURI);
    return this.#path;
  }

  /** Makes the text between the path and the object reference. @param actsAs the impersonated user; undefined without impersonation */
  asker(actsAs: User | undefined): string {
    const { verb, user, origin } = this.fields;
    if (actsAs === undefined) return origin.asker(verb, user);
    return `${askerText(verb, user)},"impersonatedUser":${userJson(actsAs)}${origin.members}`;
  }

  /** Makes the text of an object reference. The last one is cached. */
  referenceMember(reference: ObjectReference): string {
    if (reference !== this.#reference) {
      this.#reference = reference;
      this.#referenceMember = referenceMember(reference);
    }
    return this.#referenceMember;
  }
}

/** Text before the id of an event, by level, for the version that was used last. */
let openedVersion = '';
const openings = new Map<Level, string>();

function openingOf(apiVersion: string, level: Level): string {
  if (apiVersion !== openedVersion) openings.clear();
  openedVersion = apiVersion;
  let opening = openings.get(level);
  if (opening === undefined) {
    opening = `{"kind":"Event","apiVersion":"${apiVersion}","level":"${level}","auditID":"`;
    openings.set(level, opening);
  }
  return opening;
}

/** Text between the id and the path. */
const STAGES: Readonly<Record<Stage, string>> = {
  RequestReceived: stageText('RequestReceived'),
  ResponseStarted: stageText('ResponseStarted'),
  ResponseComplete: stageText('ResponseComplete'),
  Panic: stageText('Panic'),
};

function stageText(stage: Stage): string {
  return `","stage":"${stage}","requestURI":"`;
}

export interface HeadFields {
  /** the group and version of events */
  readonly apiVersion: string;
  readonly level: Level;
  readonly auditID: string;
  readonly requestURI: string;
  readonly verb: string;
  /** undefined if the user is not known */
  readonly user: User | undefined;
  readonly origin: ClientOrigin;
  /** microseconds since 1970 */
  readonly received: number;
}

/** JSON as text, or as bytes of UTF-8 that nobody may change any more. */
export type RecordedJson = string | Buffer;

/** The state of a request in one stage. */
export interface EventState {
  readonly stage: Stage;
  /** microseconds since 1970 */
  readonly reached: number;
  readonly actsAs?: User | undefined;
  readonly objectRef?: ObjectReference | undefined;
  readonly status?: ResponseStatus | undefined;
  readonly requestObject?: RecordedJson | undefined;
  readonly responseObject?: RecordedJson | undefined;
  /** is read in the constructor, so it may change afterwards */
  readonly annotations: ReadonlyMap<string, string>;
}

const LINE_END = '\n';
const CLOSING_LINE = '}\n';

export class AuditEvent {
  readonly #head: EventHead;
  readonly #state: EventState;
  /** the text of the member with its name; empty if there are no annotations */
  readonly #annotations: string;

  constructor(head: EventHead, state: EventState) {
    this.#head = head;
    this.#state = state;
    this.#annotations = annotationsMember(state.annotations);
  }

  get stage(): Stage {
    return this.#state.stage;
  }

  get hasBodies(): boolean {
    return this.#state.requestObject !== undefined || this.#state.responseObject !== undefined;
  }

  /** Makes the same event without the bodies of the request and the answer. @param key the key of the annotation that tells that they were left out */
  withoutBodies(key: string): AuditEvent {
    const { requestObject: _, responseObject: __, ...state } = this.#state;
    const { annotations = {} } = parseNativeJson<{ annotations?: Record<string, string> }>(`{"":0${this.#annotations}}`);
    return new AuditEvent(this.#head, { ...state, annotations: new Map(Object.entries({ ...annotations, [key]: 'true' })) });
  }

  /** Makes the event's JSON in consecutive pieces. Bodies that are bytes are not copied. @param end is appended to the last piece */
  pieces(end = ''): readonly RecordedJson[] {
    const { requestObject, responseObject } = this.#state;
    const first = this.#first();
    const last = this.#last(end);
    const sent = requestObject === undefined ? '' : ',"requestObject":';
    const answered = responseObject === undefined ? '' : ',"responseObject":';
    if (typeof requestObject !== 'object' && typeof responseObject !== 'object')
      return [`${first}${sent}${requestObject ?? ''}${answered}${responseObject ?? ''}${last}`];
    return [`${first}${sent}`, requestObject ?? '', answered, responseObject ?? '', last];
  }

  json(): string {
    return this.pieces().join('');
  }

  /** The event as a member of a list, which says of what kind and version its members are. */
  listed(): string {
    const { apiVersion, level } = this.#head.fields;
    return `{${this.json().slice(openingOf(apiVersion, level).indexOf('"level"'))}`;
  }

  /** The number of bytes of the event's JSON in UTF-8. */
  get length(): number {
    return this.pieces().reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  }

  /** Makes the text before the bodies. */
  #first(): string {
    const head = this.#head;
    const { stage, actsAs, objectRef, status } = this.#state;
    const { apiVersion, level } = head.fields;
    let text = openingOf(apiVersion, level) + head.id + STAGES[stage] + head.path + head.asker(actsAs);
    if (objectRef !== undefined) text += head.referenceMember(objectRef);
    if (status !== undefined) text += statusMember(status);
    return text;
  }

  #last(end: string): string {
    const times = timesMembers(this.#head.fields.received, this.#state.reached);
    return `${times}${this.#annotations}${end === LINE_END ? CLOSING_LINE : `}${end}`}`;
  }

  /** Makes the line of the legacy format, without a line feed at the end. */
  legacy(): string {
    const { auditID, requestURI, verb, user, origin, received } = this.#head.fields;
    const { sourceIPs, userAgent } = origin;
    const { stage, actsAs, objectRef, status } = this.#state;
    const name = user === undefined || user.name === '' ? '<none>' : user.name;
    const groups = name === '<none>' || user === undefined || user.groups.length === 0 ? '<none>' : goQuoted(user.groups);
    const [as, asGroups] = actsAs === undefined ? ['<self>', '<lookup>'] : [actsAs.name, goQuoted(actsAs.groups)];
    const namespace = objectRef?.namespace || '<none>';
    const response = status?.code === undefined ? '<deferred>' : String(status.code);
    return (
      `${nanoTime(received)} AUDIT: id=${goQuote(auditID)} stage=${goQuote(stage)} ip=${goQuote(sourceIPs[0] ?? '<unknown>')} ` +
      `method=${goQuote(verb)} user=${goQuote(name)} groups=${goQuote(groups)} as=${goQuote(as)} asgroups=${goQuote(asGroups)} ` +
      `user-agent=${goQuote(userAgent)} namespace=${goQuote(namespace)} uri=${goQuote(requestURI)} response="${response}"`
    );
  }
}

/** Quotes texts and joins them to one, which 1.32 quotes once more. */
const goQuoted = (texts: readonly string[]): string => texts.map(goQuote).join(',');
