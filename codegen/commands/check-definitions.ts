import type { PolicyReportParts } from './policy-report.ts';
export async function checkDefinitions(
  _before: string,
  _after: string,
  _print: (parts: PolicyReportParts, about: { against: string | null; release: string }) => void,
): Promise<number> {
  return 0;
}
