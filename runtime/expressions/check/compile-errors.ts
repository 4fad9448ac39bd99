/** Why a text is no expression, or does not fit its environment, with the places. */

export interface CompileFinding {
  /** offset in the source */
  readonly at: number;
  readonly message: string;
}

/** More findings than these are not told. */
const MAX_FINDINGS = 100;

export class CompileErrors extends Error {
  readonly findings: readonly CompileFinding[];

  constructor(source: string, findings: readonly CompileFinding[]) {
    const ordered = findings.toSorted((a, b) => a.at - b.at).slice(0, MAX_FINDINGS);
    super(ordered.map((finding) => shown(source, finding)).join('\n'));
    this.findings = ordered;
  }
}

/** Such as `ERROR: <input>:1:5: undeclared reference to 'x' (in container '')`, with the line and a mark below it. */
function shown(source: string, { at, message }: CompileFinding): string {
  const start = source.lastIndexOf('\n', at - 1) + 1;
  const end = source.indexOf('\n', at);
  const line = source.slice(start, end === -1 ? undefined : end).replaceAll('\t', ' ');
  const column = [...source.slice(start, at)].length;
  const number = source.slice(0, start).split('\n').length;
  return `ERROR: <input>:${number}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
