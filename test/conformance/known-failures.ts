/** The list of cases that fail, `test/e2e/conformance.json`, and what is wrong with it after a replay. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Dialect } from '../../runtime/contract/identity.ts';
import type { Case } from './cases.ts';
import type { Replay } from './replay.ts';

const FILE = path.join(import.meta.dirname, '../e2e/conformance.json');

/** Names of the cases that fail in each dialect, sorted. */
export type KnownFailures = Readonly<Record<Dialect, readonly string[]>>;

export async function readKnownFailures(): Promise<KnownFailures> {
  return JSON.parse(await readFile(FILE, 'utf8'));
}

export function writeKnownFailures({ kubernetes, cluster }: KnownFailures): Promise<void> {
  return writeFile(FILE, `${JSON.stringify({ kubernetes, cluster }, null, 2)}\n`);
}

/** @returns a text for each case that is not as the list says; none when the list is right */
export function faultsOfList(known: readonly string[], { passed, failed }: Replay): string[] {
  const present = new Set([...passed, ...failed.keys()]);
  const listed = new Set(known);
  const passing = new Set(passed);
  const faults: string[] = [];
  for (const name of known) {
    if (passing.has(name)) faults.push(`${name} passes: remove it from the list`);
    else if (!present.has(name)) faults.push(`${name} is no case of this dialect: remove it from the list`);
  }
  for (const [name, failures] of failed) {
    if (listed.has(name)) continue;
    const steps = failures.flatMap(({ step, why }) => [`  step ${step}`, ...why.map((line) => `    ${line}`)]);
    faults.push([`${name} fails`, ...steps].join('\n'));
  }
  return faults;
}

/** Of two folders: what the second one holds by the same name as the first is left out. */
export function withFurtherCases(cases: readonly Case[], further: readonly Case[]): Case[] {
  const names = new Set(cases.map(({ name }) => name));
  return [...cases, ...further.filter(({ name }) => !names.has(name))];
}
