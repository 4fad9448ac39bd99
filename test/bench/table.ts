import type { Ratio } from './comparison.ts';

/** One measured case. What a workload does not measure is absent. */
export interface Row {
  /** of a comparison */
  readonly server?: string;
  readonly workload: string;
  readonly name: string;
  readonly perSecond?: number;
  /** the most in any second of the measured time, for machines that others share */
  readonly bestSecond?: number;
  /** milliseconds: of one operation, or of the only one */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly megabytesPerSecond?: number;
  /** resident memory of all the server's processes; in parentheses what is no file's */
  readonly residentMb?: number;
  readonly anonymousMb?: number;
  /** the most that was resident at any time, counted by the system; in parentheses what is no file's, sampled */
  readonly peakMb?: number;
  readonly anonymousPeakMb?: number;
  /** of a server without what is measured, see `processorUs` */
  readonly processorWithoutUs?: number;
  /** processor time of the server for one operation, microseconds */
  readonly processorUs?: number;
  /** to that of the server that it is compared with */
  readonly processorRatio?: Ratio;
  /** what the ratio is to stay below */
  readonly ratioGoal?: number;
  /** part of the serving thread's time, 0 to 1, and what it is to stay below */
  readonly share?: number;
  readonly shareGoal?: number;
  readonly note?: string;
}

const COLUMNS: readonly { readonly title: string; readonly text: (row: Row) => string }[] = [
  { title: 'workload', text: (row) => row.workload },
  { title: 'case', text: (row) => row.name },
  { title: 'server', text: (row) => row.server ?? '' },
  { title: 'per second', text: (row) => number(row.perSecond) },
  { title: 'best second', text: (row) => number(row.bestSecond) },
  { title: 'p50 ms', text: (row) => number(row.p50Ms) },
  { title: 'p99 ms', text: (row) => number(row.p99Ms) },
  { title: 'MB/s', text: (row) => number(row.megabytesPerSecond) },
  { title: 'resident MB', text: (row) => memory(row.residentMb, row.anonymousMb) },
  { title: 'peak MB', text: (row) => memory(row.peakMb, row.anonymousPeakMb) },
  { title: 'CPU µs without', text: (row) => number(row.processorWithoutUs) },
  { title: 'CPU µs each', text: (row) => number(row.processorUs) },
  { title: 'CPU ratio', text: (row) => ratio(row.processorRatio) },
  { title: 'goal', text: (row) => row.ratioGoal?.toFixed(2) ?? '' },
  { title: 'share', text: (row) => percent(row.share) },
  { title: 'at most', text: (row) => percent(row.shareGoal) },
  { title: '', text: (row) => row.note ?? '' },
];
/** Of the columns that only some runs need, those that have something in some row. */
const OPTIONAL_COLUMNS = new Set([
  'server',
  'best second',
  'resident MB',
  'peak MB',
  'CPU µs without',
  'CPU ratio',
  'goal',
  'share',
  'at most',
]);
/** the columns of text; the others are numbers, aligned to the right */
const TEXT_COLUMNS = new Set(['workload', 'case', 'server', '']);

/** Rows of one case of two servers stand one below the other. */
export function renderTable(rows: readonly Row[]): string {
  const ordered = [...Map.groupBy(rows, ({ workload, name }) => `${workload} ${name}`).values()].flat();
  const columns = COLUMNS.filter(({ title, text }) => !OPTIONAL_COLUMNS.has(title) || rows.some((row) => text(row) !== ''));
  const cells = ordered.map((row) => columns.map(({ text }) => text(row)));
  const widths = columns.map(({ title }, column) => Math.max(title.length, ...cells.map((row) => (row[column] as string).length)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => {
        const width = widths[column] as number;
        return TEXT_COLUMNS.has((columns[column] as { title: string }).title) ? text.padEnd(width) : text.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...cells.map(line)].join('\n');
}

function memory(megabytes: number | undefined, anonymous: number | undefined): string {
  return megabytes === undefined ? '' : `${number(megabytes)} (${number(anonymous)})`;
}

/** The middle, and in parentheses the quartiles. */
function ratio(of: Ratio | undefined): string {
  return of === undefined ? '' : `${of.middle.toFixed(3)} (${of.low.toFixed(2)} to ${of.high.toFixed(2)})`;
}

function percent(part: number | undefined): string {
  return part === undefined ? '' : `${(100 * part).toFixed(1)}%`;
}

/** Three digits that count. */
function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
