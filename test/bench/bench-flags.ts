/** The flags of the bench. */
import { HELP_FLAG } from '../../runtime/main/command-line.ts';
import type { FlagData, FlagsData } from '../../runtime/server/flags/flag-data.ts';

export const SUMMARY = `Measures a server of this API over its port, as clients would, or two of them in turn. Without --server it starts one of this
checkout, in a folder of its own. A line is printed for each row as soon as it is measured, and the table at the end.`;

const effective = { status: 'effective' } as const;
const text = <const N extends string>(name: N, group: string, help: string) =>
  ({ name, group, type: 'string', help, ...effective }) as const satisfies FlagData;
const count = <const N extends string>(name: N, group: string, preset: number, help: string) =>
  ({ name, group, type: 'integer', default: preset, minimum: 1, help, ...effective }) as const satisfies FlagData;
const seconds = <const N extends string>(name: N, preset: number, help: string) =>
  ({ name, group: 'run', type: 'number', unit: 'seconds', default: preset, minimum: 0, help, ...effective }) as const satisfies FlagData;

/** @param workloads the names of all, in the order in which they run */
export const benchFlags = (workloads: readonly string[]) =>
  ({
    groups: {
      servers: 'What is measured',
      run: 'How it is measured',
      sizes: 'How much there is of what is measured',
      general: 'Others',
    },
    flags: [
      text('server', 'servers', 'Address of any server of this API, or the folder of another checkout, whose server is started.'),
      text('token', 'servers', 'Of an administrator, for a server by its address.'),
      text('ca', 'servers', 'File of the authority that has signed its certificate.'),
      text('pid', 'servers', 'Id of its process on this machine, whose processor time is measured.'),
      text('server-flags', 'servers', 'Further flags for a server that is started, parted by spaces.'),
      text(
        'compare',
        'servers',
        'A second server, as --server says the first. Closed loops of both run in turn, in slices of less than a second, and the ratio of the processor times is told; other workloads run once with either.',
      ),
      text('compare-token', 'servers', 'As --token, of the second server.'),
      text('compare-ca', 'servers', 'As --ca, of the second server.'),
      text('compare-pid', 'servers', 'As --pid, of the second server.'),
      text('compare-flags', 'servers', 'As --server-flags, of the second server.'),
      { name: 'workloads', group: 'run', type: 'strings', default: workloads, help: 'What is measured, in this order.', ...effective },
      text('costs', 'run', 'Of the workload costs, measures those alone that have this text in their names.'),
      seconds('warm-up', 10, 'Time that each closed loop runs before it is measured.'),
      seconds('seconds', 5, 'Time for which each closed loop is measured, each case of reads, and updates.'),
      count('connections', 'run', 64, 'Connections of closed loops, which also run with one.'),
      count('repeat', 'run', 5, 'Times that a list, a start or a pair of servers is measured, at least.'),
      {
        name: 'json',
        group: 'run',
        type: 'boolean',
        default: false,
        help: 'Prints the rows as JSON, once all are measured.',
        ...effective,
      },
      count('stored-pods', 'sizes', 22_000, 'Pods that are stored when a server starts.'),
      count('pods', 'sizes', 10_000, 'Pods that are listed.'),
      count('changes', 'sizes', 100, 'Changes in a second while lists are read.'),
      count('lists-at-once', 'sizes', 16, 'Whole lists that are read at the same time.'),
      count('config-maps', 'sizes', 100_000, 'Config maps of selections and of informers.'),
      count('definitions', 'sizes', 500, 'Custom resources that are defined.'),
      count('watchers', 'sizes', 1_000, 'Watches of a namespace.'),
      count('object-watchers', 'sizes', 300, 'Watches of one object.'),
      count('updates', 'sizes', 200, 'Updates in a second while there are watches.'),
      count('agents', 'sizes', 1_000, 'Nodes that say that they live.'),
      HELP_FLAG,
    ],
  }) as const satisfies FlagsData;
