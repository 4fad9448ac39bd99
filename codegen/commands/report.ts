import { formatDiagnostic } from '../check/diagnostic.ts';
import type { Generation } from '../generate.ts';

/** All errors, to be read by people; warnings in full, or counted by code where there are many. */
export function reportDiagnostics({ errors, warnings }: Pick<Generation, 'errors' | 'warnings'>): void {
  for (const error of errors) console.error(formatDiagnostic(error));
  if (warnings.length <= 20) for (const warning of warnings) console.error(formatDiagnostic(warning));
  else {
    const counts = Object.groupBy(warnings, ({ code }) => code);
    for (const [code, found] of Object.entries(counts))
      console.error(`warning ${code}: ${found?.length} times, first ${found?.[0]?.file} ${found?.[0]?.path}`);
  }
  if (errors.length > 0) console.error(`${errors.length} errors, ${warnings.length} warnings`);
}
