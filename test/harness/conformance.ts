/**
 * Recorded conversations with a reference server, replayed against ours. They stand in a folder beside the project, or where
 * CONFORMANCE_DIR says: `run.mjs` replays, `cases/` holds them by area, `profile/` what the server under test is started with.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { glob, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { projectRoot, startServer } from './server.ts';

export const listFile = path.join(projectRoot, 'test/e2e/conformance.json');

/** What must hold. */
export interface ConformanceList {
  /** regular expressions over names of cases: replayed on every run, besides the ones that must pass */
  readonly areas: readonly string[];
  readonly kubernetes: { readonly passing: readonly string[] };
  readonly cluster: { readonly passing: readonly string[] };
}

export async function readList(): Promise<ConformanceList> {
  return JSON.parse(await readFile(listFile, 'utf8'));
}

/** @returns the folder with `run.mjs`, or undefined */
export function findConformance(): string | undefined {
  const folder = process.env.CONFORMANCE_DIR ?? path.join(projectRoot, '../shared/conformance');
  return existsSync(path.join(folder, 'run.mjs')) ? folder : undefined;
}

export interface Replay {
  readonly passed: readonly string[];
  readonly failed: readonly FailedCase[];
}

export interface FailedCase {
  readonly case: string;
  readonly failures: readonly { readonly step: string; readonly why: readonly string[] }[];
}

/** Areas that need a server started otherwise; each area is in exactly one profile. */
const PROFILES: readonly { readonly areas: readonly string[] | undefined; readonly flags: readonly string[] }[] = [
  { areas: undefined, flags: ['--controllers=-*'] },
  { areas: ['deletion'], flags: ['--controllers=namespace,garbagecollector'] },
  { areas: ['noderestriction'], flags: ['--controllers=-*', '--enable-admission-plugins=NodeRestriction'] },
];

/** Replays the cases whose names fit, on servers that start empty. @param fits undefined: all */
export async function replay(folder: string, dialect: Dialect, fits?: (name: string) => boolean): Promise<Replay> {
  const names = (await caseNames(folder)).filter((name) => fits === undefined || fits(name));
  const special = PROFILES.flatMap(({ areas }) => areas ?? []);
  const passed: string[] = [];
  const failed: FailedCase[] = [];
  for (const { areas, flags } of PROFILES) {
    const chosen = names.filter((name) => {
      const area = name.split('/')[0] as string;
      return areas === undefined ? !special.includes(area) : areas.includes(area);
    });
    if (chosen.length === 0) continue;
    const result = await replayOn(folder, dialect, chosen, flags);
    passed.push(...result.passed);
    failed.push(...result.failed);
  }
  return { passed: passed.sort(), failed };
}

/** Names such as `basics/unicode`, sorted. */
async function caseNames(folder: string): Promise<string[]> {
  const files = await Array.fromAsync(glob('**/*.json', { cwd: path.join(folder, 'cases') }));
  return files.map((file) => file.replaceAll(path.sep, '/').replace(/\.json$/, '')).sort();
}

async function replayOn(folder: string, dialect: Dialect, names: readonly string[], flags: readonly string[]): Promise<Replay> {
  const server = await startServer({ dialect, flags: [...profileFlags(path.join(folder, 'profile')), ...flags] });
  try {
    const only = `^(?:${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`;
    const report = await runCases(
      folder,
      ['--server', server.url, '--dialect', dialect, '--json', '--only', only],
      path.join(server.directory, 'report.json'),
    );
    const failed: FailedCase[] = report.report;
    const failedNames = new Set(failed.map((one) => one.case));
    const others = await otherDialects(folder, names, dialect);
    return { passed: names.filter((name) => !failedNames.has(name) && !others.has(name)), failed };
  } finally {
    await server.stop();
  }
}

/** Cases that are for the other dialect alone, which the replay leaves out. */
async function otherDialects(folder: string, names: readonly string[], dialect: Dialect): Promise<Set<string>> {
  const left = new Set<string>();
  for (const name of names) {
    const text = await readFile(path.join(folder, 'cases', `${name}.json`), 'utf8');
    const only = JSON.parse(text).dialect;
    if (only !== undefined && only !== dialect) left.add(name);
  }
  return left;
}

/** The replayer ends as soon as it has handed over its report, which only a file is sure to get whole. Its code is 1 when a case fails. */
async function runCases(folder: string, args: readonly string[], reportFile: string): Promise<{ report: FailedCase[] }> {
  const file = await open(reportFile, 'w+');
  try {
    const child = spawn(process.execPath, [path.join(folder, 'run.mjs'), ...args], { stdio: ['ignore', file.fd, 'inherit'] });
    await once(child, 'close');
    return JSON.parse(await readFile(reportFile, 'utf8'));
  } finally {
    await file.close();
  }
}

function profileFlags(profile: string): string[] {
  const file = (name: string) => path.join(profile, name);
  return [
    `--token-auth-file=${file('tokens.csv')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--service-account-signing-key-file=${file('sa.key')}`,
    `--service-account-key-file=${file('sa.pub')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--api-audiences=https://kubernetes.default.svc',
    '--authorization-mode=Node,RBAC',
    '--disable-admission-plugins=ServiceAccount',
    '--runtime-config=api/all=true',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    '--enable-bootstrap-token-auth=true',
  ];
}
