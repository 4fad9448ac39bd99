/**
 * Cells as functions: what a column states of its cells is compiled once for each kind. The functions do not throw, whatever an object
 * holds.
 */
import type { Cell, CellForm, Now } from '../../contract/table.ts';
import { age, shortDuration } from '../../go-text/age.ts';
import { isPath, isPlural, parsePath } from '../../schema/json/json-path.ts';
import { isRawNumber } from '../../schema/scalar/raw-number.ts';
import { type LabelSelector, selectorText } from '../../selectors/label-selector.ts';
import { allAt, firstAt, type Lookup, lastAt } from './lookup.ts';
import { compileTemplate, labelsText, textOf } from './text.ts';

/** @returns undefined: the cell has nothing. @param value of the object, or within `as` the value that is shown */
export type Render = (value: unknown, now: Now) => unknown;

/** @throws PathError */
export function compileCell(cell: Cell): Render {
  if (typeof cell === 'string') return something(compileText(cell));
  if (typeof cell !== 'object') return () => cell;
  const render = compileForm(cell);
  return cell.absent === undefined ? render : (value, now) => render(value, now) ?? cell.absent;
}

function compileText(text: string): Render {
  return isPath(text) ? firstAt(text) : compileTemplate(text);
}

/** A cell within another, which says itself whether an empty text counts. */
function compileShown(as: Cell): Render {
  return typeof as === 'string' ? compileText(as) : compileCell(as);
}

/** Compiles a cell without the text that it shows when it is empty. @throws PathError for a malformed path */
export function compileForm(form: CellForm, source: Render = compileSource(form)): Render {
  const { transform, allowEmpty, when } = form;
  const changed = transform === undefined ? source : transformed(source, transform);
  const shown = allowEmpty ? changed : something(changed);
  if (when === undefined) return shown;
  const conditions = [when].flat().map(firstAt);
  return (value, now) => (conditions.every((condition) => holds(condition(value))) ? shown(value, now) : undefined);
}

function something(render: Render): Render {
  return (value, now) => {
    const shown = render(value, now);
    return shown === '' ? undefined : shown;
  };
}

function transformed(render: Render, transform: 'lower' | 'trim'): Render {
  return (value, now) => {
    const text = textOf(render(value, now));
    return transform === 'lower' ? text.toLowerCase() : text.trim();
  };
}

function holds(value: unknown): boolean {
  return value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function compileSource(form: CellForm): Render {
  if (form.path !== undefined) return compilePath(form, form.path);
  if (form.text !== undefined) return compileTemplate(form.text);
  if (form.count !== undefined) return compileCount([form.count].flat());
  if (form.ratio !== undefined) return compileRatio(form.ratio);
  if (form.age !== undefined) return compileAge(form, [form.age].flat());
  if (form.duration !== undefined) return compileDuration(form.duration);
  if (form.labels !== undefined) return compileLabels(form, form.labels);
  if (form.selector !== undefined) return compileSelector(form.selector);
  if (form.join !== undefined) return compileJoin(form, form.join);
  return compileFirst(form.first ?? []);
}

function onlyOf(type: NonNullable<CellForm['only']>, lookup: Lookup): Lookup {
  return (object) => {
    const value = lookup(object);
    if (type === 'boolean') return typeof value === 'boolean' ? value : undefined;
    if (isRawNumber(value)) return value;
    if (typeof value !== 'number') return undefined;
    return type === 'integer' ? Math.trunc(value) : value;
  };
}

function compilePath({ last, as, map, otherwise, only }: CellForm, path: string): Render {
  const found = last ? lastAt(path) : firstAt(path);
  const lookup = only === undefined ? found : onlyOf(only, found);
  if (as !== undefined) {
    const render = compileShown(as);
    return (value, now) => {
      const found = lookup(value);
      return found === undefined || found === '' ? undefined : render(found, now);
    };
  }
  if (map === undefined) return lookup;
  const cells = new Map(Object.entries(map).map(([text, cell]) => [text, compileCell(cell)]));
  const others = otherwise === undefined ? undefined : compileCell(otherwise);
  return (value, now) => {
    const found = lookup(value);
    return found === undefined ? undefined : (cells.get(textOf(found)) ?? others)?.(value, now);
  };
}

function compileCount(paths: readonly string[]): Render {
  const counts = paths.map((path): ((value: unknown) => number) => {
    if (isPlural(parsePath(path))) {
      const all = allAt(path);
      return (value) => all(value).length;
    }
    const first = firstAt(path);
    return (value) => sizeOf(first(value));
  });
  return (value) => counts.reduce((sum, count) => sum + count(value), 0);
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return value !== null && typeof value === 'object' ? Object.keys(value).length : 0;
}

function compileRatio(paths: readonly [string, string]): Render {
  const [part, whole] = [firstAt(paths[0]), firstAt(paths[1])];
  return (value) => `${textOf(part(value) ?? 0)}/${textOf(whole(value) ?? 0)}`;
}

function compileAge({ end, absent }: CellForm, paths: readonly string[]): Render {
  const times = paths.map(firstAt);
  const endOf = end === undefined ? undefined : firstAt(end);
  const none = absent === undefined ? age(undefined, 0) : undefined;
  return (value, now) => {
    const since = firstText(times, value);
    if (since === undefined) return none;
    const ended = endOf?.(value);
    return age(since, typeof ended === 'string' ? Date.parse(ended) : now);
  };
}

function firstText(lookups: readonly Lookup[], value: unknown): string | undefined {
  for (const lookup of lookups) {
    const found = lookup(value);
    if (typeof found === 'string' && found !== '') return found;
  }
  return undefined;
}

function compileDuration(path: string): Render {
  const seconds = firstAt(path);
  return (value) => {
    const found = seconds(value);
    return found === undefined ? undefined : shortDuration(Number(textOf(found)) * 1000);
  };
}

function compileLabels({ absent }: CellForm, path: string): Render {
  const labels = firstAt(path);
  const none = absent === undefined ? '<none>' : '';
  return (value) => labelsText(labels(value)) || none;
}

function compileSelector(path: string): Render {
  const selector = firstAt(path);
  return (value) => selectorText(selector(value) as LabelSelector | undefined);
}

function compileFirst(cells: readonly Cell[]): Render {
  const renders = cells.map(compileCell);
  return (value, now) => {
    for (const render of renders) {
      const found = render(value, now);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function compileJoin({ as, separator = ',', limit, set }: CellForm, join: string | readonly Cell[]): Render {
  const texts = typeof join === 'string' ? elementTexts(join, as) : undefined;
  if (texts === undefined) return compileConcatenation(join as readonly Cell[], separator);
  return (value, now) => {
    const all = texts(value, now);
    if (all.length === 0) return undefined;
    if (set)
      return [...new Set(all)]
        .filter((text) => text !== '')
        .sort()
        .join(separator);
    if (limit === undefined || all.length <= limit) return all.join(separator);
    return `${all.slice(0, limit).join(separator)} + ${all.length - limit} more...`;
  };
}

function compileConcatenation(cells: readonly Cell[], separator: string): Render {
  const renders = cells.map(compileCell);
  return (value, now) => {
    let text: string | undefined;
    for (let i = 0; i < renders.length; i++) {
      const shown = (renders[i] as Render)(value, now);
      if (shown !== undefined) text = text === undefined ? textOf(shown) : text + separator + textOf(shown);
    }
    return text;
  };
}

type Texts = (value: unknown, now: Now) => string[];

function elementTexts(path: string, as: Cell | undefined): Texts {
  const elements = elementsAt(path);
  if (as === undefined) return (value) => elements(value).map(textOf);
  const render = compileShown(as);
  return (value, now) => elements(value).map((element) => textOf(render(element, now)));
}

/** Compiles a path to a function that returns the elements of the list there, or all values if the path may lead to several. */
function elementsAt(path: string): (value: unknown) => readonly unknown[] {
  if (isPlural(parsePath(path))) return allAt(path);
  const list = firstAt(path);
  return (value) => {
    const found = list(value);
    return Array.isArray(found) ? found : [];
  };
}
