/** A part of a document for people that is written from the schemas, between two comments that name it. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const begin = (name: string): string => `<!-- ${name}: written by make generate -->`;
const end = (name: string): string => `<!-- end of ${name} -->`;

/** How a part of a document compares with what the schemas give. */
export type SectionState = 'same' | 'changed' | 'missing';

/** @returns whether the part is `text`; `missing` if the document lacks a comment. A document that does not exist needs no part */
export function compareSection(file: string, name: string, text: string): SectionState {
  if (!existsSync(file)) return 'same';
  const document = readFileSync(file, 'utf8');
  const written = replaced(document, name, text);
  if (written === undefined) return 'missing';
  return written === document ? 'same' : 'changed';
}

/**
 * Replaces the part in the document, which changes at once.
 * @returns what `compareSection` said before; a part that is missing is not made
 */
export function writeSection(file: string, name: string, text: string): SectionState {
  const state = compareSection(file, name, text);
  if (state !== 'changed') return state;
  writeFileSync(`${file}.new`, replaced(readFileSync(file, 'utf8'), name, text) as string);
  renameSync(`${file}.new`, file);
  return state;
}

/** @returns undefined if the document lacks one of the comments */
function replaced(document: string, name: string, text: string): string | undefined {
  const from = document.indexOf(begin(name));
  const to = document.indexOf(end(name), from);
  if (from < 0 || to < 0) return undefined;
  return `${document.slice(0, from)}${begin(name)}\n\n${text.trim()}\n\n${document.slice(to)}`;
}
