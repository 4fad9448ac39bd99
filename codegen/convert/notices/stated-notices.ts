/** Notices that the schemas state for members of an older version. */
import type { ConversionNotice, NoticeCondition } from '../../../runtime/contract/conversion-notice.ts';
import { isObject, type JsonObject } from '../../../runtime/schema/json/member.ts';
import { memberPath, type Notice } from './notice.ts';

/** @param written the object as it was read from the file */
export function statedNotices(stated: readonly ConversionNotice[], written: JsonObject, text: (template: string) => string): Notice[] {
  return stated.flatMap((notice) => {
    const said = text(notice.text);
    if (notice.path === '') return [{ path: '', text: said }];
    const { when = 'set' } = notice;
    return placesOf(written, notice.path.split('.'), '', when).map((path) => ({ path, text: said }));
  });
}

/** @returns paths of the members that are as the condition says */
function placesOf(value: unknown, steps: readonly string[], path: string, when: NoticeCondition): string[] {
  const [step, ...rest] = steps;
  if (step === undefined || !isObject(value)) return [];
  const name = step.replace(/(?:\[\])+$/, '');
  const at = memberPath(path, name);
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  if (rest.length === 0) return isSo(member, when) ? [at] : [];
  return elementsOf(member, at, (step.length - name.length) / 2).flatMap(([element, place]) => placesOf(element, rest, place, when));
}

/** @param depth number of lists and maps within each other that lead to the elements */
function elementsOf(value: unknown, path: string, depth: number): (readonly [element: unknown, path: string])[] {
  if (depth === 0) return [[value, path]];
  const elements = Array.isArray(value)
    ? value.map((element, index) => [element, `${path}[${index}]`] as const)
    : Object.entries(isObject(value) ? value : {}).map(([name, element]) => [element, `${path}[${name}]`] as const);
  return elements.flatMap(([element, place]) => elementsOf(element, place, depth - 1));
}

function isSo(value: unknown, when: NoticeCondition): boolean {
  const isAbsent = value === undefined || value === null;
  if (when === 'absent') return isAbsent;
  if (isAbsent) return false;
  return when === 'set' || (typeof value === 'object' && Object.keys(value).length === 0);
}
