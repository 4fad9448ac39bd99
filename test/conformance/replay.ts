/** Has all conversations of a dialect with servers that start empty, each area with the server that it was recorded with. */
import type { Dialect } from '../../runtime/contract/identity.ts';
import { startServer } from '../harness/server.ts';
import type { Case } from './cases.ts';
import { type ConversationOptions, converse, type Failure } from './conversation.ts';
import { type Connections, Participants } from './participants.ts';

export interface Replay {
  readonly passed: readonly string[];
  readonly failed: ReadonlyMap<string, readonly Failure[]>;
}

export interface ReplayOptions {
  readonly dialect: Dialect;
  /** names of cases that are known to fail: the rest of such a case is left out after its first failure */
  readonly known: ReadonlySet<string>;
}

/** For what must come: far above what it takes on a machine under load. */
const PATIENT = { limit: 20_000, looks: Number.POSITIVE_INFINITY, untilFailure: false };
/** For a case that is known to fail: most of them wait for what the server does not have. */
const IMPATIENT = { limit: 1_000, looks: 5, untilFailure: true };

/**
 * What every server of the recordings was started with, besides who its clients are. The range of addresses is longer than theirs
 * (10.0.0.0/24): requests name addresses of its first 256, and those of this one's are given to nobody who names none, where
 * every 240th recorded Service had the very address that a later request was to be refused.
 */
const FLAGS = [
  '--service-account-issuer=https://kubernetes.default.svc',
  '--api-audiences=https://kubernetes.default.svc',
  '--authorization-mode=Node,RBAC',
  '--disable-admission-plugins=ServiceAccount',
  '--runtime-config=api/all=true',
  '--service-cluster-ip-range=10.0.0.0/20',
  '--allow-privileged=true',
  '--enable-bootstrap-token-auth=true',
];
const PLAIN_FLAGS = ['--controllers=-*'];

/** Areas whose server was started otherwise. */
const AREA_FLAGS: Readonly<Record<string, readonly string[]>> = {
  deletion: ['--controllers=namespace,garbagecollector'],
  noderestriction: [...PLAIN_FLAGS, '--enable-admission-plugins=NodeRestriction'],
};

/** @param cases those for another dialect are left out @throws ServerStartError */
export async function replay(cases: readonly Case[], { dialect, known }: ReplayOptions): Promise<Replay> {
  const failed = new Map<string, readonly Failure[]>();
  const chosen = cases.filter((one) => one.dialect === undefined || one.dialect === dialect);
  const participants = new Participants();
  try {
    for (const [flags, fitting] of Map.groupBy(chosen, flagsOf)) {
      const server = await startServer({ dialect, flags: [...participants.flags, ...FLAGS, ...flags] });
      const connections = participants.connect(server);
      try {
        for (const [name, failures] of await replayOn(connections, fitting, dialect, known)) failed.set(name, failures);
      } finally {
        connections.close();
        await server.stop();
      }
    }
  } finally {
    participants.remove();
  }
  return { passed: chosen.map(({ name }) => name).filter((name) => !failed.has(name)), failed };
}

function flagsOf({ name }: Case): readonly string[] {
  const area = name.slice(0, name.indexOf('/'));
  return (Object.hasOwn(AREA_FLAGS, area) ? AREA_FLAGS[area] : undefined) ?? PLAIN_FLAGS;
}

/** Whether the server waits in it for what never comes: some seconds of a case that has nothing else to do. */
const waitsInVain = ({ steps }: Case): boolean => /"(?:status|code)":504\b/.test(JSON.stringify(steps));

/** One after the other, for some list what all of them have made; those that do but wait are first, all at once. */
async function replayOn(
  connections: Connections,
  cases: readonly Case[],
  dialect: Dialect,
  known: ReadonlySet<string>,
): Promise<Map<string, Failure[]>> {
  const failed = new Map<string, Failure[]>();
  const replayed = async (one: Case): Promise<void> => {
    const options: ConversationOptions = { dialect, ...(known.has(one.name) ? IMPATIENT : PATIENT) };
    const failures = await converse(one, connections, options);
    if (failures.length > 0) failed.set(one.name, failures);
  };
  await Promise.all(cases.filter(waitsInVain).map(replayed));
  for (const one of cases) if (!waitsInVain(one)) await replayed(one);
  return failed;
}
