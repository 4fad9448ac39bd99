/** Checks that the cells of printer columns fit the schema: their paths exist, and lead to values of the type that the cell needs. */
import type { Cell, CellForm } from '../../runtime/contract/table.ts';
import { isPath, isPlural, type PathStep, parsePath, parseTemplate } from '../../runtime/schema/json/json-path.ts';
import type { ModelData, TypeUse } from '../model/model.ts';
import type { Report } from './diagnostic.ts';
import { structOf, typeAtSteps } from './members.ts';

/** Members that say where a value comes from. A cell has exactly one of them, or is made by a function and has none. */
const SOURCES = ['path', 'text', 'count', 'ratio', 'age', 'duration', 'labels', 'selector', 'join', 'first'] as const;

/** Where the cells of a column stand, and who is told about them. */
export interface CellContext {
  readonly model: ModelData;
  readonly at: { readonly file: string; readonly path: string };
  readonly report: Report;
  /** What reports begin with, such as `Column Ready`. */
  readonly name: string;
}

/**
 * @param base the type at which paths begin
 * @param isMade whether a function makes the value
 */
export function checkForm(form: CellForm, base: TypeUse, context: CellContext, isMade = false): void {
  new CellChecker(base, context).form(form, isMade);
}

type Found = { readonly type: TypeUse | 'anything'; readonly several: boolean };

class CellChecker {
  readonly #base: TypeUse;
  readonly #context: CellContext;

  constructor(base: TypeUse, context: CellContext) {
    this.#base = base;
    this.#context = context;
  }

  form(form: CellForm, isMade = false): void {
    const sources = SOURCES.filter((source) => form[source] !== undefined);
    if (sources.length !== (isMade ? 0 : 1)) this.#report('CS057', `has ${sources.length === 0 ? 'no source' : `${sources.join(', ')}`}.`);
    if (form.as !== undefined && form.path === undefined && typeof form.join !== 'string')
      this.#report('CS057', 'has as, but no path or join of one path.');
    for (const path of [form.when ?? []].flat()) this.#find(path);
    this.#values(form);
    this.#lists(form);
    for (const cell of [...(form.first ?? []), ...Object.values(form.map ?? {}), form.otherwise ?? []].flat()) this.#cell(cell);
  }

  #cell(cell: Cell): void {
    if (typeof cell === 'object') this.form(cell);
    else if (typeof cell === 'string' && isPath(cell)) this.#one(cell);
    else if (typeof cell === 'string') this.#template(cell);
  }

  /** Checks a cell whose paths begin at the value that it shows. */
  #shown(cell: Cell, { type }: Found): void {
    if (type !== 'anything') new CellChecker(type, this.#context).#cell(cell);
  }

  #values({ path, as, text, ratio, age, end, duration, labels, selector }: CellForm): void {
    if (path !== undefined && as === undefined) this.#one(path);
    const found = path !== undefined && as !== undefined ? this.#find(path) : undefined;
    if (found !== undefined) this.#shown(as as Cell, found);
    if (text !== undefined) this.#template(text);
    for (const each of ratio ?? [])
      this.#expect(each, 'a number', (type) => isScalar(this.#context.model, type, 'int32', 'int64', 'double'));
    for (const each of [age ?? [], end ?? []].flat())
      this.#expect(each, 'a time', (type) => isScalar(this.#context.model, type, 'time', 'microTime'));
    if (duration !== undefined)
      this.#expect(duration, 'a number', (type) => isScalar(this.#context.model, type, 'int32', 'int64', 'double'));
    if (labels !== undefined) this.#expect(labels, 'a map', (type) => type.kind === 'map');
    if (selector !== undefined)
      this.#expect(selector, 'a label selector', (type) => structOf(this.#context.model, type)?.name === 'LabelSelector');
  }

  #lists({ count, join, as }: CellForm): void {
    for (const each of [count ?? []].flat())
      this.#expect(each, 'a list or a map', (type, several) => several || type.kind === 'list' || type.kind === 'map');
    if (typeof join !== 'string') {
      for (const cell of join ?? []) this.#cell(cell);
      return;
    }
    const found = this.#expect(join, 'a list', (type, several) => several || type.kind === 'list');
    if (found === undefined) return;
    const { type, several } = found;
    const element: Found = type !== 'anything' && !several && type.kind === 'list' ? { type: type.element, several } : found;
    if (as !== undefined) this.#shown(as, element);
    else if (element.type !== 'anything') this.#single(join, element.type);
  }

  #template(text: string): void {
    const parts = this.#parsed(text, parseTemplate) ?? [];
    for (const part of parts) if (typeof part !== 'string') this.#at(text, part);
  }

  /** Checks a path whose value is shown as it is. */
  #one(path: string): void {
    const found = this.#find(path);
    if (found !== undefined && found.type !== 'anything') this.#single(path, found.type);
  }

  #single(path: string, type: TypeUse): void {
    if (type.kind === 'list' || type.kind === 'map' || structOf(this.#context.model, type) !== undefined)
      this.#report('CS072', `shows ${path}, which is no single value.`);
  }

  #expect(path: string, wanted: string, isWanted: (type: TypeUse, several: boolean) => boolean): Found | undefined {
    const found = this.#find(path);
    if (found === undefined || found.type === 'anything' || isWanted(found.type, found.several)) return found;
    this.#report('CS072', `needs ${wanted} at ${path}.`);
    return undefined;
  }

  #find(path: string): Found | undefined {
    const steps = this.#parsed(path, parsePath);
    return steps && this.#at(path, steps);
  }

  #at(path: string, steps: readonly PathStep[]): Found | undefined {
    const type = typeAtSteps(this.#context.model, this.#base, steps);
    if (type !== undefined) return { type, several: isPlural(steps) };
    this.#report('CS045', `names ${path}, which the schema does not have.`);
    return undefined;
  }

  #parsed<T>(text: string, parse: (text: string) => T): T | undefined {
    try {
      return parse(text);
    } catch (error) {
      this.#report('CS013', `is malformed: ${(error as Error).message}.`);
      return undefined;
    }
  }

  #report(code: 'CS013' | 'CS045' | 'CS057' | 'CS072', problem: string): void {
    const { report, at, name } = this.#context;
    report(code, at, `${name} ${problem}`);
  }
}

function isScalar(model: ModelData, use: TypeUse, ...wanted: readonly string[]): boolean {
  const type = use.kind === 'named' ? model.types.get(use.definition) : use;
  return type !== undefined && 'scalar' in type && wanted.includes(type.scalar);
}
