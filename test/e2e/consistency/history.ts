/** What the server must have shown: every change in order, made from one watch of everything and held against what writers were told. */
import type { Json } from '../../harness/client.ts';
import type { WatchEvent } from '../../harness/watch.ts';
import type { Selection } from './selections.ts';

/** One object at one revision, as much of it as is compared. */
export interface Version {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** unique to each write that changed the object */
  readonly value: string;
  /** a label; '' where the object does not have it */
  readonly tier: string;
  /** a field that selectors know */
  readonly type: string;
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly version: Version;
}

/** What a writer was told. */
export type Acknowledgement =
  | { readonly kind: 'stored'; readonly version: Version }
  | { readonly kind: 'deleted'; readonly namespace: string; readonly name: string };

/** A write whose outcome its writer was not told. */
export interface Unanswered {
  readonly namespace: string;
  readonly name: string;
  /** what it would have written; undefined for a delete */
  readonly value: string | undefined;
}

/** A list as it came, in one answer, in pages, or as the beginning of a watch. */
export interface SeenList {
  /** for messages */
  readonly request: string;
  readonly selection: Selection;
  readonly revision: number;
  readonly items: readonly Version[];
  /** the newest revision that was acknowledged to somebody before the list was asked for, or that it asked for */
  readonly atLeast: number;
  readonly exactly?: number;
}

/** A single object as it came. */
export interface SeenObject {
  /** for messages */
  readonly request: string;
  readonly namespace: string;
  readonly name: string;
  /** undefined: it was not there */
  readonly version: Version | undefined;
  /** as of a list */
  readonly atLeast: number;
}

/** The changes with `from < revision <= to` as one watcher got them, over as many connections as it took. */
export interface SeenChanges {
  readonly request: string;
  readonly selection: Selection;
  readonly from: number;
  readonly to: number;
  readonly changes: readonly Change[];
}

export function versionOf({ metadata, type }: Json): Version {
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    revision: Number(metadata.resourceVersion),
    value: metadata.annotations?.value ?? '',
    tier: metadata.labels?.tier ?? '',
    // metadata alone has no type
    type: type ?? metadata.annotations?.type,
  };
}

export const changeOf = ({ type, object }: WatchEvent): Change => ({ type: type as Change['type'], version: versionOf(object) });

const keyOf = ({ namespace, name }: Pick<Version, 'namespace' | 'name'>): string => `${namespace}/${name}`;
const text = (version: Version): string => `${keyOf(version)}@${version.revision}=${version.value},${version.tier},${version.type}`;
const changeText = ({ type, version }: Change): string => `${type} ${text(version)}`;

const byKey = ([a]: readonly [string, Version], [b]: readonly [string, Version]): number => (a < b ? -1 : 1);

/** @returns what is wrong with the log of all changes: lost, doubled, out of order, or other than writers were told */
export function checkHistory(
  history: readonly Change[],
  acknowledged: readonly Acknowledgement[],
  unanswered: readonly Unanswered[] = [],
): string[] {
  const problems: string[] = [];
  const stored = new Map<number, Change>();
  const deletes = new Map<string, number>();
  const living = new Set<string>();
  let last = 0;
  for (const change of history) {
    const { type, version } = change;
    const key = keyOf(version);
    if (version.revision <= last) problems.push(`${changeText(change)} came after revision ${last}`);
    last = version.revision;
    if ((type === 'ADDED') === living.has(key)) problems.push(`${changeText(change)} though it was ${type === 'ADDED' ? '' : 'not '}there`);
    if (type === 'DELETED') {
      living.delete(key);
      deletes.set(key, (deletes.get(key) ?? 0) + 1);
    } else {
      living.add(key);
      stored.set(version.revision, change);
    }
  }
  const told = new Set<number>();
  for (const each of acknowledged) {
    if (each.kind === 'deleted') deletes.set(keyOf(each), (deletes.get(keyOf(each)) ?? 0) - 1);
    else {
      told.add(each.version.revision);
      const change = stored.get(each.version.revision);
      if (change === undefined) problems.push(`no event tells of ${text(each.version)}`);
      else if (text(change.version) !== text(each.version))
        problems.push(`${changeText(change)} was acknowledged as ${text(each.version)}`);
    }
  }
  const possible = Map.groupBy(unanswered, keyOf);
  const mayBe = ({ version }: Change): boolean => possible.get(keyOf(version))?.some(({ value }) => value === version.value) === true;
  for (const [revision, change] of stored)
    if (!told.has(revision) && !mayBe(change)) problems.push(`${changeText(change)} was written by nobody`);
  for (const [key, difference] of deletes) {
    const most = possible.get(key)?.filter(({ value }) => value === undefined).length ?? 0;
    if (difference < 0 || difference > most) problems.push(`${key}: ${difference} more deletes seen than acknowledged`);
  }
  return problems;
}

/** @returns the lists that are not what was stored at their revision, or older than they may be */
export function checkLists(history: readonly Change[], lists: readonly SeenList[]): string[] {
  const problems: string[] = [];
  const state = new Map<string, Version>();
  let next = 0;
  for (const list of lists.toSorted((a, b) => a.revision - b.revision)) {
    for (; next < history.length && (history[next] as Change).version.revision <= list.revision; next++) {
      const { type, version } = history[next] as Change;
      if (type === 'DELETED') state.delete(keyOf(version));
      else state.set(keyOf(version), version);
    }
    const expected = [...state]
      .sort(byKey)
      .map(([, version]) => version)
      .filter(list.selection.matches)
      .map(text);
    const name = `list ${list.request} at ${list.revision}`;
    if (list.revision < list.atLeast) problems.push(`${name}: older than ${list.atLeast}`);
    if (list.exactly !== undefined && list.revision !== list.exactly) problems.push(`${name}: not at ${list.exactly}`);
    problems.push(...differences(name, expected, list.items.map(text)));
  }
  return problems;
}

/** @returns the objects that never were so at the revision that was asked for, or after it */
export function checkObjects(history: readonly Change[], objects: readonly SeenObject[]): string[] {
  const byObject = Map.groupBy(history, ({ version }) => keyOf(version));
  return objects.flatMap((seen) => {
    const changes = byObject.get(keyOf(seen)) ?? [];
    const shown = seen.version === undefined ? 'nothing' : text(seen.version);
    // from each change on until the next one, the object was as the change left it; before the first one there was nothing
    const states = [{ since: 0, state: 'nothing' }, ...changes.map(stateAfter)];
    const fits = states.some(({ state }, i) => state === shown && (states[i + 1]?.since ?? Number.POSITIVE_INFINITY) > seen.atLeast);
    return fits ? [] : [`get ${seen.request}: ${shown}, which it was not at ${seen.atLeast} or later`];
  });
}

const stateAfter = ({ type, version }: Change): { since: number; state: string } => ({
  since: version.revision,
  state: type === 'DELETED' ? 'nothing' : text(version),
});

/** @returns the watchers that got other changes than their selections had */
export function checkChanges(history: readonly Change[], watches: readonly SeenChanges[]): string[] {
  return watches.flatMap((watch) =>
    differences(
      `watch ${watch.request} from ${watch.from} to ${watch.to}`,
      changesSeen(history, watch.selection, watch.from, watch.to).map(changeText),
      watch.changes.map(changeText),
    ),
  );
}

/** The changes with `from < revision <= to` as a selection shows them: objects come into it and leave it. */
export function changesSeen(history: readonly Change[], selection: Selection, from: number, to: number): Change[] {
  const state = new Map<string, Version>();
  const seen: Change[] = [];
  for (const { type, version } of history) {
    if (version.revision > to) break;
    const key = keyOf(version);
    const before = state.get(key);
    if (type === 'DELETED') state.delete(key);
    else state.set(key, version);
    if (version.revision <= from) continue;
    const wasIn = before !== undefined && selection.matches(before);
    const isIn = type !== 'DELETED' && selection.matches(version);
    if (isIn) seen.push({ type: wasIn ? 'MODIFIED' : 'ADDED', version });
    // the last state that was selected, at the revision at which it left
    else if (wasIn) seen.push({ type: 'DELETED', version: { ...(before as Version), revision: version.revision } });
  }
  return seen;
}

/** Where two sequences differ first. */
function differences(name: string, expected: readonly string[], actual: readonly string[]): string[] {
  const at = expected.findIndex((each, index) => each !== actual[index]);
  if (at >= 0) return [`${name}: item ${at} of ${expected.length} is ${actual[at] ?? 'missing'}, not ${expected[at]}`];
  return actual.length > expected.length
    ? [`${name}: ${actual[expected.length]} is one too many, after ${expected.at(-1) ?? 'nothing'}`]
    : [];
}
