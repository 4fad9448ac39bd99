/** Files of a store that are not what it left. Nobody knows what else is wrong then, so nothing is served, and nothing is changed. */
export class DamagedStorage extends Error {
  override readonly name = 'DamagedStorage';
  readonly file: string;
  readonly found: string;

  /** @param found what is wrong with the file */
  constructor(file: string, found: string) {
    super(
      `${file} ${found}. Nothing was changed. What was written to this store may be lost with it: put the whole folder back from a backup, with all its files of the same moment; or save what can be read by cluster-apiserver recover`,
    );
    this.file = file;
    this.found = found;
  }
}
