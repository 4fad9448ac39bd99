/**
 * Random requests of all kinds, FUZZ_SECONDS long: whatever comes, the server answers without a fault of its own, without a stack in its log,
 * and without working on one of them for more than a second. A request is made of a seed; FUZZ_SEED begins with that one, as a failure names it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../harness/client.ts';
import { assertAnswers } from '../harness/hostile.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { Random } from './random.ts';
import { type FuzzRequest, randomRequest } from './requests.ts';
import { type FuzzAnswer, Sender } from './sender.ts';
import { Model } from './targets.ts';

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 5);
const FIRST = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Failures after which it ends. */
const ENOUGH = Number(process.env.FUZZ_FAILURES ?? 10);
/** Milliseconds of processor time that one request may cost the server. */
const LONGEST = 1_000;

/** Answers above 500 that are right, by what they say. */
const DOCUMENTED: readonly (readonly [status: number, text: RegExp])[] = [
  // a version of the store that is yet to come was waited for
  [504, /Too large resource version/],
  // 1.32 gives a wrong target of a binding no class of its own
  [500, /target\.(?:kind|name): (?:Required|Unsupported) value/],
];

const test = suite('random requests');
let server: TestServer;
let sender: Sender;
const model = await Model.load();
test.before(async () => {
  server = await startServer({
    dialect: 'kubernetes',
    flags: ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true'],
  });
  sender = new Sender(server);
  const client = new Client(server);
  await client.post('/api/v1/namespaces', { metadata: { name: 'fuzz' } });
  client.close();
});
test.after(async () => {
  sender.close();
  await server.stop();
});

test(`from the seed ${FIRST} on, for ${SECONDS} s`, async () => {
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  const until = Date.now() + SECONDS * 1_000;
  let seed = FIRST;
  for (; Date.now() < until && failures.length < ENOUGH; seed++) {
    const request = randomRequest(model, seed);
    const [logged, spent] = [server.log().length, processorTime(server.pid)];
    const answer = await sent(request, seed);
    if (answer === undefined) continue;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const problems = [problemOf(request, answer), costProblem(processorTime(server.pid) - spent), logProblem(server.log().slice(logged))];
    const problem = problems.filter((each) => each !== undefined).join('\n');
    if (problem !== '') failures.push(`FUZZ_SEED=${seed}: ${shown(request)}\n${problem}`);
    if (!server.running()) break;
  }
  console.log(`${seed - FIRST} requests from FUZZ_SEED=${FIRST} on: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
  assert.equal(failures, [], failures.join('\n\n'));
  await assertAnswers(server);
  // what comes later, such as a promise that nobody waited for
  assert.is(logProblem(server.log()), undefined);
});

/** @returns undefined for what a client cannot send */
async function sent(request: FuzzRequest, seed: number): Promise<FuzzAnswer | undefined> {
  const random = new Random(seed ^ 0x5eed);
  const how = random.fraction();
  try {
    if (how < 0.05) return await sender.overWebSocket(`${webSocketPath(request.path, random)}`, random);
    return await (how < 0.5 ? sender.overHttp2(request) : sender.overHttp1(request));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Watches, and commands in pods. */
function webSocketPath(path: string, random: Random): string {
  if (/[\s\r\n]/.test(path)) return '/';
  return random.chance(0.7)
    ? `${path}${path.includes('?') ? '&' : '?'}watch=1`
    : '/api/v1/namespaces/default/pods/a/exec?command=a&stdin=1';
}

function problemOf({ relayed }: FuzzRequest, { status, text, streams }: FuzzAnswer): string | undefined {
  if (!streams && /\bat \S+ \(|\.ts:\d+|node:internal|node_modules/.test(text)) return `the answer shows a stack: ${text.slice(0, 1_000)}`;
  if (status < 500 || (relayed && [500, 502, 503, 504].includes(status) && !text.includes("see the server's log"))) return undefined;
  if (DOCUMENTED.some(([code, words]) => code === status && words.test(text))) return undefined;
  return `${status} ${text.slice(0, 500)}`;
}

const costProblem = (milliseconds: number): string | undefined =>
  milliseconds > LONGEST ? `took ${milliseconds} ms of the server's processor time` : undefined;

/** A record with a stack, or what Node itself writes of one. */
function logProblem(log: string): string | undefined {
  const line = log.split('\n').find((each) => each.includes('"stack":') || /^\s+at \S+.*:\d+:\d+\)?$/.test(each));
  return line === undefined ? undefined : `logged ${line.slice(0, 1_200)}`;
}

function shown({ method, path, headers, body }: FuzzRequest): string {
  return `${method} ${path} ${JSON.stringify(headers)} ${body?.toString('latin1').slice(0, 1_500) ?? ''}`;
}

/** Milliseconds that a process has computed so far, in steps of ten; 0 where the system does not say. */
function processorTime(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const [user, system] = readFileSync(file, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}

test.run();
