/**
 * Protobuf fields as lines of text, `core/v1 Pod.spec 2 PodSpec`, in one spelling: names of fields in lower case, packages without
 * `k8s.io`, and a map of lists as what it is, not as the message in which each list is wrapped.
 */
import type { GroupVersion, Model, TypeUse } from '../../../codegen/model/model.ts';

const PACKAGE = 'io.k8s.api.';
const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'double',
  bytes: 'bytes',
};

/** @returns those of all group versions whose package is below `io.k8s.api` */
export function linesOfModel({ groupVersions }: Pick<Model, 'groupVersions'>): Set<string> {
  const ours = groupVersions.filter(({ files, package: name }) => !files && name.startsWith(PACKAGE));
  return new Set(ours.flatMap(linesOfGroupVersion));
}

function linesOfGroupVersion({ package: packageName, types }: GroupVersion): string[] {
  const folder = packageName.slice(PACKAGE.length).replace('.', '/');
  return types.flatMap((type) => {
    if (type.kind !== 'struct' || !type.protobuf) return [];
    const fields = type.fields.filter(({ typeMeta }) => !typeMeta);
    if (fields.length === 0) return [`${folder} ${type.name}`];
    return fields.map((field) => `${folder} ${type.name}.${field.name.toLowerCase()} ${field.number} ${typeText(field.type, packageName)}`);
  });
}

function typeText(use: TypeUse, packageName: string): string {
  if (use.kind === 'list') return `repeated ${typeText(use.element, packageName)}`;
  if (use.kind === 'map') return `map<string,${typeText(use.value, packageName)}>`;
  if (use.kind === 'primitive') return SCALARS[use.scalar] ?? use.scalar;
  return use.definition.startsWith(`${packageName}.`)
    ? use.definition.slice(packageName.length + 1)
    : use.definition.replace(/^io\.k8s\./, '');
}

/** @param text one field a line */
export function linesOfText(text: string): Set<string> {
  const lines = text.trim().split('\n').map(inOneSpelling);
  const wrappers = wrappedLists(lines);
  const unwrapped = lines.map((line) => {
    const [, folder, before, name] = /^(\S+) (.*)map<string,(\w+)>$/.exec(line) ?? [];
    const list = wrappers.get(`${folder} ${name}`);
    return list === undefined ? line : `${folder} ${before}map<string,${list}>`;
  });
  return new Set(unwrapped.filter((line) => !wrappers.has(line.replace(/\.items 1 .*/, ''))));
}

function inOneSpelling(line: string): string {
  return line.replace(/(?<=^\S+ \w+\.)\w+/, (name) => name.toLowerCase()).replace(/map<string,\.?k8s\.io\./, 'map<string,');
}

/** @returns lists by the messages that hold nothing else, and are the values of a map */
function wrappedLists(lines: readonly string[]): Map<string, string> {
  const values = new Set(lines.flatMap((line) => /^(\S+) .*map<string,(\w+)>$/.exec(line)?.slice(1).join(' ') ?? []));
  const counts = new Map<string, number>();
  for (const line of lines) {
    const message = line.split('.', 1)[0] as string;
    counts.set(message, (counts.get(message) ?? 0) + 1);
  }
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [, message = '', list = ''] = /^(\S+ \w+)\.items 1 (repeated \S+)$/.exec(line) ?? [];
      return values.has(message) && counts.get(message) === 1 ? [[message, list]] : [];
    }),
  );
}
