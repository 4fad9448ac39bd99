/** A worker to which the first connection does not come, as where it has no file descriptor left. It says on the next one how often it was asked for others. */
import type { Socket } from 'node:net';
import type { Order, Report } from '../../runtime/main/worker-protocol.ts';

const tell = (report: Report): void => void process.send?.(report);
let connections = 0;
let asked = 0;

process.on('message', (message: Order, connection: Socket | undefined) => {
  if (message.order === 'take') {
    // our end alone: the supervisor has one too
    if (++connections === 1) return void connection?.destroy();
    tell({ report: 'taken', id: message.id });
    connection?.end(`${asked}\n`);
  } else if (message.order === 'came') {
    asked++;
    tell({ report: 'came', upTo: message.upTo });
  } else if (message.order === 'stop') process.exit();
});
process.on('disconnect', () => process.exit());
tell({ report: 'started' });
