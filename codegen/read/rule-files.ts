/** Finds out what the hand-written files of `runtime/kinds/` export. The generator reads their text, and never runs them. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const RULES_FOLDER = 'runtime/kinds';

/** Exports that a schema names by the path of the file alone. Each that a file has must be named by a schema. */
export const HOOKS = ['rules', 'conversion', 'cell'] as const;
export type Hook = (typeof HOOKS)[number];

/** Exported names by the path of the file below `runtime/kinds/` without extension, such as `core/pods/pod`; sorted. */
export type RuleFiles = ReadonlyMap<string, ReadonlySet<string>>;

/** @param root the root of the tree: the folder that holds `runtime/` */
export function readRuleFiles(root: string): RuleFiles {
  const folder = path.join(root, RULES_FOLDER);
  const files = globSync('**/*.ts', { cwd: folder }).map((file) => file.split(path.sep).join('/'));
  return new Map(files.sort().map((file) => [file.slice(0, -'.ts'.length), exportedNames(readFileSync(path.join(folder, file), 'utf8'))]));
}

const DECLARATION = /^export (?:async )?(?:const|function|class) (\w+)/gm;
const LIST = /^export \{([^}]*)\}/gm;

/** Finds exports by patterns: the formatter puts each at the beginning of a line, and parsing the files would take a third as long as all the rest. */
export function exportedNames(source: string): Set<string> {
  const declared = [...source.matchAll(DECLARATION)].map(([, name]) => name as string);
  const listed = [...source.matchAll(LIST)].flatMap(([, list = '']) => list.split(',').map((item) => item.trim().split(/\s+as\s+/)));
  return new Set([
    ...declared,
    ...listed.map((names) => names.at(-1) as string).filter((name) => name !== '' && !name.startsWith('type ')),
  ]);
}
