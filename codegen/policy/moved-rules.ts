/** Finds hand-written rules that have only moved to another file, so that folders can be made without a change of the API. */
import type { RuleFiles } from '../read/rule-files.ts';
import { isObject, type Sources } from '../read/sources.ts';

/** Keywords whose value names a rule by its file and export, such as `core/pods/pod#nodeName`. */
const NAMING = ['rule', 'holds', 'x-cluster-scope'];
const RULE = /^[\w/-]+#\w+$/;

/**
 * A rule has moved if no later schema names it and its file does not have it any more, while just one rule of its name is new in the later schemas. Where several
 * are, files of the same name belong together. What the rule tests is not compared: that may change in one file, too.
 * @returns the earlier sources, with rules named as the later ones name them. What is not rewritten is shared with `before`
 */
export function withMovedRules(before: Sources, after: Sources): Sources {
  const moved = movedRules(namedRules(before), namedRules(after), after.ruleFiles);
  if (moved.size === 0) return before;
  const documents = before.documents.map((document) => ({
    ...document,
    content: renamed(document.content, moved) as typeof document.content,
  }));
  return { ...before, documents };
}

function movedRules(old: ReadonlySet<string>, now: ReadonlySet<string>, files: RuleFiles): ReadonlyMap<string, string> {
  const isLeft = (rule: string): boolean => {
    const [file = '', name = ''] = rule.split('#');
    return now.has(rule) || files.get(file)?.has(name) === true;
  };
  const added = [...now].filter((rule) => !old.has(rule));
  const targetOf = (rule: string): string | undefined => {
    const ofName = added.filter((each) => exportOf(each) === exportOf(rule));
    const ofFile = ofName.length > 1 ? ofName.filter((each) => fileNameOf(each) === fileNameOf(rule)) : ofName;
    return ofFile.length === 1 ? ofFile[0] : undefined;
  };
  const gone = [...old].filter((rule) => !isLeft(rule)).map((rule) => [rule, targetOf(rule)] as const);
  // where two that are gone would be the same rule now, one of them has another meaning now
  return new Map(
    gone.filter((pair): pair is [string, string] => pair[1] !== undefined && gone.filter(([, target]) => target === pair[1]).length === 1),
  );
}

const exportOf = (rule: string): string => rule.slice(rule.indexOf('#') + 1);
const fileNameOf = (rule: string): string => rule.slice(0, rule.indexOf('#')).replace(/^.*\//, '');

function namedRules({ documents }: Sources): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value))
      for (const [keyword, member] of Object.entries(value)) {
        if (isRule(keyword, member)) found.add(member);
        else visit(member);
      }
  };
  for (const { content } of documents) visit(content);
  return found;
}

function renamed(value: unknown, moved: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, moved));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([keyword, member]) => [
      keyword,
      isRule(keyword, member) ? (moved.get(member) ?? member) : renamed(member, moved),
    ]),
  );
}

function isRule(keyword: string, value: unknown): value is string {
  return NAMING.includes(keyword) && typeof value === 'string' && RULE.test(value);
}
