/** A worker that takes no connection: it says who it is on each, and goes on running after it has said that it leaves. */
import type { Socket } from 'node:net';
import type { Order, Report } from '../../runtime/main/worker-protocol.ts';

const tell = (report: Report): void => void process.send?.(report);

process.on('message', ({ order }: Order, connection: Socket | undefined) => {
  // our end alone: the supervisor has one too
  if (order === 'take') connection?.write(`${process.pid}\n`, () => connection.destroy());
  if (order === 'stop') tell({ report: 'leaving' });
});
process.on('disconnect', () => process.exit());
tell({ report: 'started' });
