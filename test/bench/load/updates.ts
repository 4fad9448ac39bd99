import type { Target } from '../target.ts';
import { type Connection, openConnections } from './connection.ts';
import { NUMBER } from './numbered-request.ts';
import { SENT_AT, sentAtMark } from './watchers.ts';

/** Requests at a steady rate, whether or not the server keeps up. */
export interface Updates {
  readonly kind: 'updates';
  readonly target: Target;
  /** has the number of the object as `NUMBER`, and a mark of the time as `SENT_AT` and 16 digits */
  readonly request: string;
  readonly objects: number;
  readonly perSecond: number;
  /** absent: until they are stopped */
  readonly seconds?: number;
}

export interface UpdatesResult {
  readonly sent: number;
  /** sent later than they should have been, because all connections were busy */
  readonly late: number;
  /** refused, or not answered on a connection that the server closed */
  readonly failures: number;
}

const CONNECTIONS = 16;
/** milliseconds between looks at what is due */
const TICK = 2;

/** @param stopped ends them early */
export async function runUpdates(load: Updates, stopped: AbortSignal): Promise<UpdatesResult> {
  const { target, request, objects, perSecond, seconds = Number.POSITIVE_INFINITY } = load;
  const idle = await openConnections(target, CONNECTIONS);
  const all = [...idle];
  let total = Math.floor(perSecond * seconds);
  const mark = new RegExp(`${SENT_AT}\\d{16}`);
  const started = performance.now();
  const counts = { sent: 0, late: 0, failures: 0 };
  let answered = 0;
  for (const connection of all)
    connection.onClose(() => {
      const place = idle.indexOf(connection);
      if (place !== -1) return void idle.splice(place, 1);
      counts.failures++;
      answered++;
    });
  const send = (connection: Connection, number: number): void => {
    const text = request.replaceAll(NUMBER, String(number % objects).padStart(NUMBER.length, '0')).replace(mark, sentAtMark());
    connection.send(text, {
      onEnd: (status) => {
        if (status >= 300) counts.failures++;
        answered++;
        idle.push(connection);
      },
    });
  };
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (stopped.aborted) total = counts.sent;
      const due = Math.min(total, Math.floor(((performance.now() - started) / 1_000) * perSecond));
      // in turn: servers close connections that nothing comes on
      while (counts.sent < due && idle.length > 0) send(idle.shift() as Connection, counts.sent++);
      if (counts.sent < due) counts.late++;
      if (answered >= total) {
        clearInterval(timer);
        resolve();
      }
    }, TICK);
  });
  for (const connection of all) connection.close();
  return counts;
}
