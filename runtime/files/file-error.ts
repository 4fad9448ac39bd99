/** All that is wrong with one file. The message names the file and holds nothing of its contents but what the problems quote. */
export class FileError extends Error {
  override readonly name = 'FileError';
  /** path of the file, or what else it came from */
  readonly source: string;
  /** a sentence for each problem; those of fields begin with the path of the field */
  readonly problems: readonly string[];

  constructor(source: string, problems: readonly string[]) {
    super(problems.length === 1 ? `${source}: ${problems[0]}` : `${source}:${problems.map((problem) => `\n  ${problem}`).join('')}`);
    this.source = source;
    this.problems = problems;
  }
}
