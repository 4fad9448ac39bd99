/** Something in a file of manifests that cannot be read or converted. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly file: string;
  /** Line of the file, counted from 1; undefined if the error is about the whole file. */
  readonly line: number | undefined;
  /** A sentence that says what is wrong and what to do. */
  readonly problem: string;

  constructor(file: string, line: number | undefined, problem: string) {
    super(`${placeText(file, line)}: ${problem}`);
    this.file = file;
    this.line = line;
    this.problem = problem;
  }
}

/** @returns a place such as `web.yaml:12` */
export function placeText(file: string, line: number | undefined): string {
  return line === undefined ? file : `${file}:${line}`;
}
