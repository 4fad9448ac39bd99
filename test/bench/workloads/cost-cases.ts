/** The parts whose cost is measured, each with what it may cost. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

export interface CostCase {
  readonly name: string;
  /** of the processor time without it */
  readonly goal: number;
  /** of the server with the part, and of the one that it is compared with */
  readonly flags: readonly string[];
  readonly without: readonly string[];
}

/**
 * @param folder for their files, which are there as long as the servers
 * @param groupDomain as of `Bench`
 * @param collector where one of traces listens
 */
export function costCases(folder: string, groupDomain: string, collector: string): readonly CostCase[] {
  const file = (name: string, content: object): string => {
    writeFileSync(path.join(folder, name), JSON.stringify(content), { mode: 0o600 });
    return path.join(folder, name);
  };
  return [...auditCases(folder, groupDomain, file), fairness, ...tracingCases(groupDomain, collector, file), encryption(groupDomain, file)];
}

type WriteFile = (name: string, content: object) => string;

/** Of mode batch, too: in the usual one, which is blocking, requests wait until their events are written. */
function auditCases(folder: string, groupDomain: string, file: WriteFile): readonly CostCase[] {
  return ['blocking', 'batch'].flatMap((mode) =>
    ['Metadata', 'RequestResponse'].map((level) => {
      const policy = file(`${level}.json`, { apiVersion: `audit.${groupDomain}/v1`, kind: 'Policy', rules: [{ level }] });
      const log = `--audit-log-path=${path.join(folder, 'audit.log')}`;
      // one old file at most: creates at level RequestResponse write megabytes a second
      const flags = [`--audit-policy-file=${policy}`, log, `--audit-log-mode=${mode}`, '--audit-log-maxbackup=1'];
      return { name: `audit ${level} (${mode})`, goal: 0.03, flags, without: [] };
    }),
  );
}

const fairness: CostCase = {
  name: 'priority and fairness',
  goal: 0.02,
  flags: [],
  without: ['--enable-priority-and-fairness=false'],
};

/** Off, it is compared with a server that passes no trace of a client on, either. */
function tracingCases(groupDomain: string, endpoint: string, file: WriteFile): readonly CostCase[] {
  const configuration = file('tracing.json', {
    apiVersion: `apiserver.config.${groupDomain}/v1beta1`,
    kind: 'TracingConfiguration',
    endpoint,
    samplingRatePerMillion: 10_000,
  });
  return [
    { name: 'tracing (off)', goal: 0.01, flags: [], without: ['--feature-gates=APIServerTracing=false'] },
    { name: 'tracing (1% of requests)', goal: 0.01, flags: [`--tracing-config-file=${configuration}`], without: [] },
  ];
}

/** Of everything that is stored. */
function encryption(groupDomain: string, file: WriteFile): CostCase {
  const keys = [{ name: 'key', secret: randomBytes(32).toString('base64') }];
  const resources = [{ resources: ['*.*'], providers: [{ secretbox: { keys } }, { identity: {} }] }];
  const configuration = file('encryption.json', {
    apiVersion: `apiserver.config.${groupDomain}/v1`,
    kind: 'EncryptionConfiguration',
    resources,
  });
  return { name: 'encryption (secretbox)', goal: 0.03, flags: [`--encryption-provider-config=${configuration}`], without: [] };
}
