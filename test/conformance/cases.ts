/** Recorded conversations, as files hold them. README.md beside this file says what each member means. */
import { readFileSync, statSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import path from 'node:path';
import type { Dialect } from '../../runtime/contract/identity.ts';

/** What came, or should come, in answer to a step. */
export interface RecordedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Comparison = 'full' | 'subset' | 'status';

interface Judged {
  /** unique in its case */
  readonly id: string;
  readonly expect: RecordedAnswer;
  readonly compare?: Comparison;
  /** JSON pointers, `*` for every member: parts of the answer that nobody compares */
  readonly ignore?: readonly string[];
  /** by the name of the variable: a JSON pointer into the answer, or `header:NAME` */
  readonly capture?: Readonly<Record<string, string>>;
}

/** A request, and its answer. */
export interface Exchange extends Judged {
  readonly as?: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: unknown;
  readonly text?: string;
  /** `text` is bytes in base64 */
  readonly base64?: boolean;
  /** the answer is a stream of events, which later steps read by this step's id */
  readonly watch?: 'open';
  readonly waitFor?: { readonly status: number } | { readonly pointer: string; readonly equals?: unknown };
}

/** Events of a watch that was opened before. */
export interface Read extends Judged {
  readonly read: string;
  readonly events: number;
  /** the stream ends after the events that are recorded */
  readonly untilEnd?: boolean;
}

export interface Close {
  readonly close: string;
}

export type Step = Exchange | Read | Close;

export interface Case {
  /** with its area before it, such as `basics/unicode` */
  readonly name: string;
  readonly title: string;
  /** the one that it is for; absent: both */
  readonly dialect?: Dialect;
  /** who manages which fields is compared too */
  readonly managedFields?: boolean;
  /** it uses no namespace of its own */
  readonly noNamespace?: boolean;
  readonly steps: readonly Step[];
}

/**
 * The cases of a folder, sorted by name: files AREA.jsonl with a line for each case and each of its steps, and files AREA/NAME.json with
 * a case each; both may stand in a folder `cases` below it.
 * @throws Error when there are none, a line cannot be read, or two cases have the same name
 */
export async function readCases(folder: string): Promise<Case[]> {
  const below = path.join(folder, 'cases');
  const root = statSync(below, { throwIfNoEntry: false })?.isDirectory() ? below : folder;
  const files = await Array.fromAsync(glob(['*.jsonl', '*/**/*.json'], { cwd: root }));
  const cases = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const name = file.replaceAll(path.sep, '/').replace(/\.jsonl?$/, '');
    return file.endsWith('.jsonl') ? parseArea(name, text) : [parseCase(name, text)];
  });
  if (cases.length === 0) throw new Error(`${folder} holds no cases: no AREA.jsonl, no AREA/NAME.json`);
  const twice = Map.groupBy(cases, ({ name }) => name)
    .entries()
    .find(([, same]) => same.length > 1);
  if (twice !== undefined) throw new Error(`${folder} holds case ${twice[0]} ${twice[1].length} times`);
  return cases.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param text a line with `case` begins a case, the lines after it are its steps @throws Error naming the line */
export function parseArea(area: string, text: string): Case[] {
  const cases: (Omit<Case, 'steps'> & { steps: Step[] })[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const at = `${area}.jsonl:${index + 1}`;
    const value = parse(line, at);
    if ('case' in value) {
      const { case: name, ...members } = value as { case: string; title: string };
      cases.push({ ...members, name: `${area}/${name}`, steps: [] });
    } else {
      const last = cases.at(-1);
      if (last === undefined) throw new Error(`${at}: a step before the first case`);
      last.steps.push(checked(value, at));
    }
  }
  return cases;
}

/** @param text one object, with `steps` @throws Error naming the case */
export function parseCase(name: string, text: string): Case {
  const value = parse(text, name) as Omit<Case, 'name'>;
  if (!Array.isArray(value.steps)) throw new Error(`${name}: a case has steps`);
  // A recorder that waited says so in a step of its own; we wait for conditions alone.
  const steps = value.steps.filter((step) => !('sleepMs' in step)).map((step) => checked(step, name));
  return { ...value, name, steps };
}

function parse(text: string, at: string): object {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new Error(`${at}: ${(error as Error).message}`);
  }
  throw new Error(`${at}: not an object`);
}

function checked(step: object, at: string): Step {
  if ('close' in step) return step as Close;
  const { id, expect, read, path: requested } = step as Partial<Read & Exchange>;
  if (id === undefined) throw new Error(`${at}: a step without an id`);
  if (expect === undefined) throw new Error(`${at}: step ${id} has no recorded answer`);
  if (read === undefined && requested === undefined) throw new Error(`${at}: step ${id} neither asks for a path nor reads a watch`);
  return step as Step;
}
