/**
 * Writes the text of a document whose objects have changed. Members are changed where they stand, so that all other text stays. Where that is impossible, the
 * document is printed anew with its comments. Whatever comes out is read again, and must say what it should.
 */
import { yamlText } from '../../../runtime/go-yaml/yaml.ts';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import type { JsonObject } from '../../../runtime/schema/json/member.ts';
import { parseYaml } from '../../../runtime/schema/yaml/parse-yaml.ts';
import type { ManifestDocument } from '../manifest-documents.ts';
import { editedText } from './edited-text.ts';
import { printedWithComments, printedWithoutComments } from './printed-text.ts';
import { exactly } from './yaml-nodes.ts';

/** The new text of a document. */
export interface RewrittenText {
  readonly text: string;
  /** True if comments within the object could not be kept, because anchors were in the way. */
  readonly losesComments: boolean;
}

/**
 * @param document a document that was read without an error
 * @param value what the new text must say
 */
export function rewritten({ text, isJson }: Pick<ManifestDocument, 'text' | 'isJson'>, value: JsonObject): RewrittenText {
  const said = (way: (text: string, value: JsonObject) => string | undefined): string | undefined => {
    const written = attempt(() => way(text, value));
    return written !== undefined && says(written, value, isJson) ? written : undefined;
  };
  if (isJson) return { text: said(withOtherWords) ?? jsonText(text, value), losesComments: false };
  const kept = said(editedText) ?? said(printedWithComments);
  if (kept !== undefined) return { text: kept, losesComments: false };
  return { text: said(printedWithoutComments) ?? plainText(text, value), losesComments: true };
}

/** Writes YAML as the server does. That escapes characters such as U+2028, which the library leaves as they are and then reads as line breaks. */
function plainText(text: string, value: JsonObject): string {
  return `${/^---\s/.test(text) ? '---\n' : ''}${yamlText(value)}`;
}

/** The library throws if its rules for aliases no longer hold once nodes have moved. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function withOtherWords(text: string, value: JsonObject): string | undefined {
  return editedText(text, value, { wordsAlone: true });
}

/** Writes JSON with the indentation that the text has. */
function jsonText(text: string, value: JsonObject): string {
  const [, indent] = /^\uFEFF?\s*\{\r?\n([ \t]+)/.exec(text) ?? [];
  const [, before = '', after = ''] = /^(\uFEFF?\s*)[\s\S]*?(\s*)$/.exec(text) ?? [];
  return `${before}${JSON.stringify(value, null, indent)}${after}`;
}

function says(text: string, value: JsonObject, isJson: boolean): boolean {
  const read = (): unknown => (isJson ? parseJson(text.replace(/^\uFEFF/, '')) : parseYaml(text)).value;
  return attempt(() => deepEqual(read(), JSON.parse(JSON.stringify(value), exactly))) === true;
}
