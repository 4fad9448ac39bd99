/** Estimates the work of a request as 1.32 does: the seats that it takes while it runs, and those that its events to watchers take for a time afterwards. */

export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  /** milliseconds after the answer for which the seats stay taken */
  readonly additionalLatency: number;
}

/** The parts of a request on which the estimate depends. */
export interface EstimatedRequest {
  readonly verb: string;
  readonly name: string;
  readonly resource: string;
  readonly subresource: string;
  readonly query: { get(name: string): string | undefined };
}

/** Figures of the server on which the estimate depends. They are functions, because most requests need none of them. */
export interface WorkKnowledge {
  /** number of objects that a list has to look at; `none`: nobody counts them here, `stale`: the count is too old */
  objects(): number | 'none' | 'stale';
  /** number of watchers that get an event of a write */
  watchers(): number;
  /** whether lists of the newest state are read from memory, as those of an older one are */
  readonly consistentFromCache: boolean;
}

// All of these are as in 1.32.
const MIN_SEATS = 1;
const MAX_SEATS = 10;
const OBJECTS_PER_SEAT = 100;
const WATCHERS_PER_SEAT = 10;
/** Milliseconds that one seat takes to send an event to its watchers. */
const EVENT_LATENCY = 5;

const widthOf = (initialSeats: number): WorkEstimate => ({ initialSeats, finalSeats: 0, additionalLatency: 0 });
/** The estimate of most requests. */
export const ONE_SEAT = widthOf(MIN_SEATS);
const MUTATING: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete']);

/**
 * @param request undefined: nothing is known about it
 * @param mostSeats the most seats that a request of its level may take; 0: the level does not say
 */
export function estimateWork(request: EstimatedRequest | undefined, mostSeats: number, knowledge: WorkKnowledge): WorkEstimate {
  if (request === undefined) return widthOf(bound(mostSeats));
  const { verb } = request;
  if (verb === 'get') return ONE_SEAT;
  if (verb === 'list' || verb === 'watch') return estimateList(request, bound(mostSeats), knowledge);
  return MUTATING.has(verb) ? estimateWrite(request, bound(mostSeats), knowledge) : ONE_SEAT;
}

const bound = (mostSeats: number): number => (mostSeats === 0 || mostSeats > MAX_SEATS ? MAX_SEATS : mostSeats);

/** A field selector that asks for one object by its name, which is as cheap as a get. */
const BY_NAME = /(?:^|,)\s*metadata\.name\s*={1,2}/;

function estimateList({ verb, name, query }: EstimatedRequest, most: number, knowledge: WorkKnowledge): WorkEstimate {
  const fields = query.get('fieldSelector') ?? '';
  if (name !== '' || BY_NAME.test(fields)) return ONE_SEAT;
  const limit = Number(query.get('limit') ?? 0);
  // a wrong limit is refused later on
  if (!Number.isInteger(limit)) return widthOf(most);
  if (verb === 'watch' && !isTrue(query.get('sendInitialEvents'))) return ONE_SEAT;
  const stored = knowledge.objects();
  // another server does the work of this list and counts its objects
  if (stored === 'none') return ONE_SEAT;
  if (stored === 'stale') return widthOf(most);
  const returned = limit > 0 && limit < stored ? limit : stored;
  const fromCache = verb === 'watch' || !isFromStorage(query, knowledge);
  const seats = Math.ceil((fromCache ? stored : readFromStorage(query, stored, returned, fields)) / OBJECTS_PER_SEAT);
  return seats <= MIN_SEATS ? ONE_SEAT : widthOf(Math.min(seats, most));
}

const isTrue = (text: string | undefined): boolean => text !== undefined && text !== '0' && text.toLowerCase() !== 'false';

/** Roughly how many objects are looked at: objects that are read from storage count twice, as in 1.32. */
function readFromStorage(query: EstimatedRequest['query'], stored: number, returned: number, fields: string): number {
  return fields !== '' || (query.get('labelSelector') ?? '') !== '' ? stored + returned : 2 * returned;
}

function isFromStorage(query: EstimatedRequest['query'], { consistentFromCache }: WorkKnowledge): boolean {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const hasLimit = Number(query.get('limit') ?? 0) > 0 && version !== '0';
  const isNewest = version === '' && !consistentFromCache;
  return isNewest || (query.get('continue') ?? '') !== '' || hasLimit || (match !== '' && match !== 'NotOlderThan');
}

function estimateWrite({ resource, subresource }: EstimatedRequest, most: number, knowledge: WorkKnowledge): WorkEstimate {
  // a token is not stored, so no watcher gets an event
  if (resource === 'serviceaccounts' && subresource === 'token') return ONE_SEAT;
  const watchers = knowledge.watchers();
  if (watchers < WATCHERS_PER_SEAT) return ONE_SEAT;
  const seats = Math.ceil(watchers / WATCHERS_PER_SEAT);
  const finalSeats = Math.min(seats, most);
  return { initialSeats: MIN_SEATS, finalSeats, additionalLatency: (seats * EVENT_LATENCY) / finalSeats };
}
