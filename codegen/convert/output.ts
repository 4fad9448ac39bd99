/** Writes converted manifests where they are to go, in the form that is asked for. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { yamlText } from '../../runtime/go-yaml/yaml.ts';
import type { JsonObject } from '../../runtime/schema/json/member.ts';
import type { ConvertedDocument, ConvertedFile } from './convert-manifests.ts';
import { ManifestError } from './manifest-error.ts';

/** Undefined if each document keeps its own form. */
export type Format = 'yaml' | 'json' | undefined;

const BEGINS = /^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*---(?:\s|$)/;

/** @returns all files as one stream */
export function streamText(files: readonly ConvertedFile[], format: Format): string {
  const documents = files.flatMap((file) => file.documents);
  if (format === 'json') return jsonText(documents);
  const texts = files.map((file) => fileText(file, format)).filter((text) => text.trim() !== '');
  return texts
    .map((text, index) => (index > 0 && !BEGINS.test(text) ? `---\n${ended(text)}` : ended(text, index === texts.length - 1)))
    .join('');
}

/** Ends a text with a line break, but leaves the last text of all as it came. */
function ended(text: string, isLast = false): string {
  return isLast || text.endsWith('\n') ? text : `${text}\n`;
}

/** @returns the text of one file */
export function fileText({ documents }: ConvertedFile, format: Format): string {
  if (format === 'json') return jsonText(documents);
  const isMixed = format === 'yaml' && documents.some(({ isJson }) => isJson);
  if (!isMixed) return documents.map(({ text }) => text).join('');
  const texts = documents.map((document) => (document.isJson && document.value !== undefined ? yamlText(document.value) : document.text));
  return texts.map((text, index) => (index > 0 && !BEGINS.test(text) ? `---\n${ended(text)}` : ended(text))).join('');
}

/** One object is written as itself, several as a List. */
function jsonText(documents: readonly ConvertedDocument[]): string {
  const filled = documents.filter((document): document is ConvertedDocument & { value: JsonObject } => document.value !== undefined);
  const [only] = filled;
  if (only === undefined) return '';
  if (filled.length === 1 && only.isJson && !only.isChanged) return only.text;
  const value =
    filled.length === 1 ? only.value : { apiVersion: 'v1', kind: 'List', metadata: {}, items: filled.map((document) => document.value) };
  return `${JSON.stringify(value, null, 4)}\n`;
}

/**
 * Replaces the files that changed, each as a whole.
 * @returns their paths
 */
export function writeInPlace(files: readonly ConvertedFile[]): string[] {
  return files.flatMap((file) => {
    if (file.file.path === undefined || !file.documents.some(({ isChanged }) => isChanged)) return [];
    replaceFile(realpathSync(file.file.path), fileText(file, undefined));
    return [file.file.path];
  });
}

/**
 * Writes all files below a folder, each at its path below the folder that it came from.
 * @returns their paths
 * @throws ManifestError if two files would have the same path; nothing is written then
 */
export function writeToFolder(files: readonly ConvertedFile[], folder: string, format: Format): string[] {
  const places = files.map((file) => [path.join(folder, renamed(file.file.relative, format)), file] as const);
  const seen = new Map<string, string>();
  for (const [place, { file }] of places) {
    const other = seen.get(place);
    if (other !== undefined)
      throw new ManifestError(file.name, undefined, `${place} would be written from ${other} as well; convert them to different folders.`);
    seen.set(place, file.name);
  }
  for (const [place, file] of places) {
    mkdirSync(path.dirname(place), { recursive: true });
    replaceFile(existsSync(place) ? realpathSync(place) : place, fileText(file, format));
  }
  return places.map(([place]) => place);
}

function renamed(file: string, format: Format): string {
  if (format === undefined) return file;
  const isRight = format === 'json' ? /\.json$/ : /\.ya?ml$/;
  return isRight.test(file) ? file : `${file.replace(/\.(?:ya?ml|json)$/, '')}.${format}`;
}

/** Replaces a file at once, so that readers see the old text or the new one. */
function replaceFile(file: string, text: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const temporary = `${file}.${randomUUID()}`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
