/** Names of hand-written code are paths below its folder, without extension. */
import type { Report } from './diagnostic.ts';

export function checkCodeName(name: string | undefined, at: { file: string; path: string }, report: Report): void {
  if (name !== undefined && !/^[a-z][a-z0-9-]*(\/[a-z][a-z0-9-]*)*$/.test(name))
    report('CS048', at, `${JSON.stringify(name)} names no file.`);
}
