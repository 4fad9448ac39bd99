/** Writes the list of all metrics for schemas/METRICS.md. */
import { METRICS_FILE, type MetricRow, readMetrics } from '../read/metrics-file.ts';
import { formProblem } from '../read/table-file.ts';

const HEAD = ['metric', 'type', 'stability', 'labels', 'what it is'];

/**
 * @param yaml the text of `schemas/metrics.yaml`
 * @returns Markdown
 * @throws Error that lists everything that is wrong with the file
 */
export function emitMetricsTable(yaml: string): string {
  const rows = readMetrics(yaml);
  if ('problems' in rows) throw formProblem(METRICS_FILE, rows as { problems: readonly string[] });
  const cells = Object.entries(rows)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, row]) => [
      `\`${name}\``,
      row.type,
      stabilityOf(row),
      (row.labels ?? []).map((label) => `\`${label}\``).join(', '),
      helpOf(row),
    ]);
  return [HEAD, HEAD.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

const stabilityOf = ({ stability, since }: MetricRow): string => (since === undefined ? stability : `${stability} since ${since}`);

function helpOf({ help, buckets, combined, deprecated }: MetricRow): string {
  const sentences = [help.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|')];
  if (buckets !== undefined) sentences.push(`Up to ${buckets.join(', ')}.`);
  if (combined === 'sum') sentences.push('That of all workers is added up.');
  if (combined === 'highest') sentences.push('That of one worker is shown.');
  if (deprecated !== undefined) sentences.push(`It is deprecated since ${deprecated}.`);
  return sentences.join(' ');
}
