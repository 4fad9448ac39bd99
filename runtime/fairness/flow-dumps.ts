/** The tables of text below /debug/api_priority_and_fairness/, in the form of 1.32. They show the current state of this process alone. */
import { formatDuration } from '../schema/scalar/duration.ts';
import type { FlowTurn } from './flow-control.ts';
import type { Place } from './place.ts';
import type { PriorityLevel } from './priority-levels.ts';

type Level = PriorityLevel<FlowTurn>;
type Row = readonly (string | number | boolean)[];

export function dumpPriorityLevels(levels: readonly Level[]): string {
  return table([
    [
      'PriorityLevelName',
      'ActiveQueues',
      'IsIdle',
      'IsQuiescing',
      'WaitingRequests',
      'ExecutingRequests',
      'DispatchedRequests',
      'RejectedRequests',
      'TimedoutRequests',
      'CancelledRequests',
    ],
    ...levels.map(({ name, queues, isQuiescing }) => {
      const { dispatched, rejected, timedOut, cancelled } = queues.counts;
      const active = queues.queues.filter(({ waiting }) => waiting.size > 0).length;
      return [name, active, queues.isIdle, isQuiescing, queues.waiting, queues.executing, dispatched, rejected, timedOut, cancelled];
    }),
  ]);
}

export function dumpQueues(levels: readonly Level[]): string {
  return table([
    [
      'PriorityLevelName',
      'Index',
      'PendingRequests',
      'ExecutingRequests',
      'SeatsInUse',
      'NextDispatchR',
      'InitialSeatsSum',
      'MaxSeatsSum',
      'TotalWorkSum',
    ],
    ...levels.flatMap(({ name, queues }) =>
      queues.queues.map(({ waiting, executing, seatsInUse, nextDispatch, initialSeats, maxSeats, work }, index) => [
        name,
        index,
        waiting.size,
        executing,
        seatsInUse,
        seatSeconds(nextDispatch),
        initialSeats,
        maxSeats,
        seatSeconds(work),
      ]),
    ),
  ]);
}

const REQUEST_COLUMNS = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const DETAIL_COLUMNS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];
const NOT_IN_QUEUE = -1;

/** Lists the requests that run and those that wait. @param details whether the table also says who asks, and for what */
export function dumpRequests(levels: readonly Level[], details: boolean): string {
  const rowOf = (level: string, place: Place<FlowTurn>, queue: number, index: number): Row => [
    level,
    place.owner.schema.name,
    queue,
    index,
    place.owner.distinguisher,
    timeText(place.arrived),
    place.initialSeats,
    place.finalSeats,
    formatDuration(BigInt(Math.round(place.additionalLatency * 1e6))),
    place.started === undefined ? '0001-01-01T00:00:00Z' : timeText(place.started),
    ...(details ? detailsOf(place.owner) : []),
  ];
  const rows = levels.flatMap(({ name, queues }) => {
    const indices = new Map(queues.queues.map((queue, index) => [queue, index] as const));
    const seated = Array.from(queues.seated, (place) =>
      rowOf(name, place, (place.queue && indices.get(place.queue as never)) ?? NOT_IN_QUEUE, NOT_IN_QUEUE),
    );
    const waiting = queues.queues.flatMap((queue, at) => Array.from(queue.waiting, (place, index) => rowOf(name, place, at, index)));
    return [...seated, ...waiting];
  });
  return table([details ? [...REQUEST_COLUMNS, ...DETAIL_COLUMNS] : REQUEST_COLUMNS, ...rows]);
}

function detailsOf({ request: { user, info } }: FlowTurn): Row {
  const version = info.group === '' ? info.version : `${info.group}/${info.version}`;
  return [user.name, info.verb, info.path, info.namespace, info.name, version, info.resource, info.subresource];
}

/** @param work seats times milliseconds. @returns seat-seconds as 1.32 writes them: with eight decimals and the unit `ss` */
const seatSeconds = (work: number): string => `${(work / 1_000).toFixed(8)}ss`;

/** @param milliseconds of `performance.now()` */
function timeText(milliseconds: number): string {
  const since = performance.timeOrigin + milliseconds;
  const micros = Math.floor((since * 1_000) % 1_000)
    .toString()
    .padStart(3, '0');
  return new Date(since).toISOString().replace('Z', `${micros}Z`);
}

const LEAST_WIDTH = 8;

/** Pads columns to their longest cell. A comma follows each cell but the last of its row. */
function table(rows: readonly Row[]): string {
  const cells = rows.map((row) =>
    row.map((cell, column) => (column < row.length - 1 ? `${oneLine(String(cell))},` : oneLine(String(cell)))),
  );
  const widths = (cells[0] ?? []).map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, (row[column] ?? '').length + 1), LEAST_WIDTH),
  );
  return cells
    .map((row) => `${row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] as number) : cell)).join('')}\n`)
    .join('');
}

/** Replaces control characters, so that texts which clients choose cannot forge rows or columns. */
const oneLine = (text: string): string => text.replace(/\p{Cc}/gu, '?');
