/** The configuration as YAML that could be a file again; behind each value stands where it comes from. */
import type { ValueOrigins } from '../../files/value-origins.ts';
import { yamlText } from '../../go-yaml/yaml.ts';
import { isObject, type JsonObject } from '../../schema/member.ts';

const DEFAULT = 'default';
const INDENT = '  ';

/** @returns lines, the last one ended too */
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

/** One line, or of lists and longer texts a first one with the origin and the others. */
function valueLines(name: string, value: unknown, origin: string): string[] {
  const lines = yamlText({ [name]: value })
    .trimEnd()
    .split('\n');
  const isLongText = typeof value === 'string' && lines.length > 1;
  const [first = '', ...rest] = isLongText ? [`${key(name)}: ${JSON.stringify(value)}`] : lines;
  return [`${first} # ${origin}`, ...rest];
}
