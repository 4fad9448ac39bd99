/** Writes the configuration as YAML that the agent can read again. A comment after each value tells which file or flag it comes from. */
import type { ValueOrigins } from '../../files/value-origins.ts';
import { yamlText } from '../../go-yaml/yaml.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';

const DEFAULT = 'default';
const INDENT = '  ';

/** @returns the text of the document, which ends with a line break; values that no file and no flag sets have the comment `default` */
export function printConfiguration(configuration: object, origins: ValueOrigins): string {
  const { apiVersion, kind, ...members } = configuration as JsonObject;
  const head = [`apiVersion: ${String(apiVersion)}`, `kind: ${String(kind)}`];
  return `${[...head, ...memberLines(members, [], origins)].join('\n')}\n`;
}

function memberLines(object: JsonObject, path: readonly string[], origins: ValueOrigins): string[] {
  const indent = INDENT.repeat(path.length);
  return Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .sort()
    .flatMap((name) => {
      const value = object[name];
      const at = [...path, name];
      if (isObject(value)) {
        const inner = memberLines(value, at, origins);
        return inner.length === 0 ? [] : [`${indent}${key(name)}:`, ...inner];
      }
      return valueLines(name, value, origins.of(at) ?? DEFAULT).map((line) => `${indent}${line}`);
    });
}

const key = (name: string): string => yamlText(name).trimEnd();

/**
 * Writes one member as one or several lines, not indented, with the origin on the first one. A long text is quoted on one line: a comment inside it would be
 * text.
 */
function valueLines(name: string, value: unknown, origin: string): string[] {
  const lines = yamlText({ [name]: value })
    .trimEnd()
    .split('\n');
  const isLongText = typeof value === 'string' && lines.length > 1;
  const [first = '', ...rest] = isLongText ? [`${key(name)}: ${JSON.stringify(value)}`] : lines;
  return [`${first} # ${origin}`, ...rest];
}
