/** The files of a tree's schemas, edited in memory until they are saved. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from '../write/write.ts';
import { YamlText } from './yaml-text.ts';

/** Edits collect here, and nothing is written before `save`. */
export class SchemaFiles {
  readonly #root: string;
  readonly #documents = new Map<string, YamlText>();
  readonly #written = new Map<string, string>();

  /** @param root the root of the tree */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * @param file path from the root, with slashes
   * @returns the document to edit; later calls give the same one with its edits
   */
  document(file: string): YamlText {
    const known = this.#documents.get(file);
    if (known !== undefined) return known;
    const document = new YamlText(this.text(file));
    this.#documents.set(file, document);
    return document;
  }

  /** @returns the text that is on the disk */
  text(file: string): string {
    return readFileSync(path.join(this.#root, file), 'utf8');
  }

  /** Adds a file, or replaces one as a whole. */
  write(file: string, text: string): void {
    this.#written.set(file, text);
  }

  /** Texts by file, of files whose text is not what is on the disk. */
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
