/** The flags, as their emitter sees them. */
import { emitFlags, FLAGS_FILE } from '../emit/flags.ts';
import type { CheckContext } from './check.ts';

export function checkFlags({ sources, report }: CheckContext): void {
  if (sources.flags === undefined) return;
  try {
    emitFlags(sources.flags);
  } catch (error) {
    const problems = (error as Error).message.split('\n').slice(1);
    for (const problem of problems.length > 0 ? problems : [(error as Error).message])
      report('CS059', { file: FLAGS_FILE, path: '' }, problem.trim());
  }
}
