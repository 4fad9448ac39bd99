/** The files of a tree's schemas, edited in memory. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../write/write.ts';
import { YamlText } from './yaml-text.ts';

export class SchemaFiles {
  readonly #root: string;
  readonly #documents = new Map<string, YamlText>();
  readonly #written = new Map<string, string>();

  /** @param root of the tree */
  constructor(root: string) {
    this.#root = root;
  }

  /** A document to edit. @param file from the root, with slashes */
  document(file: string): YamlText {
    const known = this.#documents.get(file);
    if (known !== undefined) return known;
    const document = new YamlText(this.text(file));
    this.#documents.set(file, document);
    return document;
  }

  /** As it is on the disk. */
  text(file: string): string {
    return readFileSync(path.join(this.#root, file), 'utf8');
  }

  /** A file that is new. */
  write(file: string, text: string): void {
    this.#written.set(file, text);
  }

  /** Texts that are not what stands on the disk, by file. */
  get changes(): ReadonlyMap<string, string> {
    const edited = [...this.#documents].map(([file, document]) => [file, document.text] as const);
    return new Map(
      [...edited, ...this.#written].filter(([file, text]) => !existsSync(path.join(this.#root, file)) || this.text(file) !== text),
    );
  }

  /** Writes the changes to a tree: this one, or a copy. */
  save(root: string = this.#root): void {
    for (const [file, text] of this.changes) writeWhole(path.join(root, file), text);
  }
}
