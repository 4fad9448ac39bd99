import { formatDiagnostic } from '../check/diagnostic.ts';
import type { Generation } from '../generate.ts';

/** Prints all errors for people. Warnings are printed too; more than 20 are only counted by code. */
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
