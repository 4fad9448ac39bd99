/** The tables of the server, as their emitters see them. */
import { DEFAULT_POLICY_FILE, emitDefaultPolicy } from '../emit/default-policy.ts';
import { emitFlags, FLAGS_FILE } from '../emit/flags.ts';
import type { CheckContext } from './check-context.ts';
import type { DiagnosticCode } from './codes.ts';

export function checkServerTables({ sources, model, report }: CheckContext): void {
  const attempt = (emit: () => string, code: DiagnosticCode, file: string): void => {
    try {
      emit();
    } catch (error) {
      const problems = (error as Error).message.split('\n').slice(1);
      for (const problem of problems.length > 0 ? problems : [(error as Error).message]) report(code, { file, path: '' }, problem.trim());
    }
  };
  const { flags, defaultPolicy } = sources;
  if (flags !== undefined) attempt(() => emitFlags(flags), 'CS059', FLAGS_FILE);
  if (defaultPolicy !== undefined) attempt(() => emitDefaultPolicy(defaultPolicy, model.identity), 'CS061', DEFAULT_POLICY_FILE);
}
