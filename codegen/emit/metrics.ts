/** Writes `metrics.ts`: the metrics that the server shows, as data. */
import { METRICS_FILE, readMetrics } from '../read/metrics-file.ts';
import { formProblem } from '../read/table-file.ts';
import { header, literal, propertyName, render } from './typescript.ts';

/**
 * @param yaml the text of `schemas/metrics.yaml`
 * @returns the source of a module that exports `metricsData`
 * @throws Error that lists everything that is wrong with the file
 */
export function emitMetrics(yaml: string): string {
  const rows = readMetrics(yaml);
  if ('problems' in rows) throw formProblem(METRICS_FILE, rows as { problems: readonly string[] });
  return render('metrics.ts.hbs', {
    header: header(METRICS_FILE),
    metrics: Object.entries(rows).map(
      ([name, { help, ...row }]) => `${propertyName(name)}: ${literal({ ...row, help: help.trim().replace(/\s+/g, ' ') })}`,
    ),
  });
}
