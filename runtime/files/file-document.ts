/** One object in YAML or JSON, read but not yet understood. */
import { JsonSyntaxError } from '../schema/json/json-text.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { type ParsedYaml, parseYaml, YamlSyntaxError } from '../schema/yaml/parse-yaml.ts';
import { FileError } from './file-error.ts';

export interface FileDocument {
  /** the name of the document in errors, such as the path of its file */
  readonly source: string;
  readonly parsed: ParsedYaml;
  readonly value: JsonObject;
}

/** @throws FileError for wrong syntax, for what holds no object, and for several documents */
export function parseDocument(text: string, source: string): FileDocument {
  const parsed = parseText(text, source);
  if (parsed.documents > 1) throw new FileError(source, ['it holds several documents, expected is one']);
  const { value } = parsed;
  if (value === null) throw new FileError(source, ['it holds nothing']);
  if (!isObject(value)) throw new FileError(source, ['it holds no object']);
  return { source, parsed, value };
}

/** JSON is read as the YAML that it is too. */
function parseText(text: string, source: string): ParsedYaml {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof YamlSyntaxError || error instanceof JsonSyntaxError) throw new FileError(source, [error.message]);
    throw error;
  }
}
