/** One measured case. What a workload does not measure is absent. */
export interface Row {
  readonly workload: string;
  readonly name: string;
  readonly perSecond?: number;
  /** milliseconds: of one operation, or of the only one */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly megabytesPerSecond?: number;
  /** resident memory of all the server's processes; in parentheses what is no file's */
  readonly residentMb?: number;
  readonly anonymousMb?: number;
  /** processor time of the server for one operation, microseconds */
  readonly processorUs?: number;
  readonly note?: string;
}

const COLUMNS: readonly { readonly title: string; readonly text: (row: Row) => string }[] = [
  { title: 'workload', text: (row) => row.workload },
  { title: 'case', text: (row) => row.name },
  { title: 'per second', text: (row) => number(row.perSecond) },
  { title: 'p50 ms', text: (row) => number(row.p50Ms) },
  { title: 'p99 ms', text: (row) => number(row.p99Ms) },
  { title: 'MB/s', text: (row) => number(row.megabytesPerSecond) },
  { title: 'resident MB', text: (row) => (row.residentMb === undefined ? '' : `${number(row.residentMb)} (${number(row.anonymousMb)})`) },
  { title: 'CPU µs each', text: (row) => number(row.processorUs) },
  { title: '', text: (row) => row.note ?? '' },
];
/** the columns of text; the others are numbers, aligned to the right */
const TEXT_COLUMNS = new Set(['workload', 'case', '']);

export function renderTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => COLUMNS.map(({ text }) => text(row)));
  const widths = COLUMNS.map(({ title }, column) => Math.max(title.length, ...cells.map((row) => (row[column] as string).length)));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => {
        const width = widths[column] as number;
        return TEXT_COLUMNS.has((COLUMNS[column] as { title: string }).title) ? text.padEnd(width) : text.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [line(COLUMNS.map(({ title }) => title)), ...cells.map(line)].join('\n');
}

/** Three digits that count. */
function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
