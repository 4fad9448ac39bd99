/**
 * Random requests of all kinds, to one process and to two workers, FUZZ_SECONDS long each: whatever comes, the server answers without a fault of its
 * own, without a stack in its log, and without working on one of them for more than a second. A request is made of a seed; FUZZ_SEED begins with that
 * one, as a failure names it. FUZZ_WORKERS=0 or 2 leaves the other form out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../runtime/schema/json/member.ts';
import { ConversionWebhook, type Reply, send } from '../custom-resources/conversion/webhook.ts';
import { WRONG_ANSWERS } from '../custom-resources/conversion/wrong-answers.ts';
import { Client } from '../harness/client.ts';
import { assertAnswers } from '../harness/hostile.ts';
import { processorTime, untilIdle } from '../harness/process-usage.ts';
import { startServer, type TestServer } from '../harness/server.ts';
import { admissionObjects, admissionReply } from './admission.ts';
import { DEFINITIONS, generationOf } from './custom-resources.ts';
import { Random } from './random.ts';
import { type FuzzRequest, randomRequest } from './requests.ts';
import { type FuzzAnswer, Sender } from './sender.ts';
import { Model } from './targets.ts';
import { spoiled } from './values.ts';

const SECONDS = Number(process.env.FUZZ_SECONDS ?? 3);
const FIRST = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Failures after which it ends. */
const ENOUGH = Number(process.env.FUZZ_FAILURES ?? 10);
/** Milliseconds of processor time that one request may cost the server. */
const LONGEST = 1_000;

/** Milliseconds until what is logged of a request is there, and characters of it that a failure shows. */
const LOG_DELAY = 200;
const LOG_SHOWN = 4_000;

const FORMS = [
  { name: 'one process', workers: 0 },
  { name: 'two workers', workers: 2 },
];

const ANY = 0;
/** Answers above 500 that are right, by what they say. */
const DOCUMENTED: readonly (readonly [status: number, text: RegExp])[] = [
  // a version of the store that is yet to come was waited for
  [504, /Too large resource version/],
  // 1.32 gives a wrong target of a binding no class of its own
  [500, /target\.(?:kind|name): (?:Required|Unsupported) value/],
  // 1.32 takes an object without replicas for a fault
  [500, /the spec replicas field \S+ does not exist/],
  // 1.32 gives the error of a pod whose node has no address no class of its own
  [500, /no preferred addresses found; known addresses: \[/],
  // who refuses is not this server, nor is who could not be asked, or has asked for what cannot be; YAML breaks long lines
  [ANY, /admission\s+webhook\s+\S+\s+denied\s+the\s+request/],
  [500, /^(?=.*Internal\s+error\s+occurred:\s)(?!.*see\s+the\s+server'+s\s+log)/s],
  [504, /admission\s+webhook\s+\S+\s+(?:took|had\s+not\s+answered)/],
  // what converts custom resources is not this server
  [500, /conversion webhook for \S+, Kind=\S+ (?:failed|returned)/],
];

const webhook = await new ConversionWebhook().start();
webhook.reply = randomReply(new Random(FIRST));
const hook = { url: webhook.url, caBundle: webhook.caBundle };
const model = await Model.load(hook);
const suites = FORMS.filter(({ workers }) => process.env.FUZZ_WORKERS === undefined || process.env.FUZZ_WORKERS === `${workers}`);
for (const { name, workers } of suites) {
  const test = suite(`random requests, ${name}`);
  let server: TestServer;
  let sender: Sender;
  test.before(async () => {
    server = await startServer({
      dialect: 'kubernetes',
      flags: [
        '--runtime-config=api/all=true',
        '--feature-gates=AllAlpha=true,AllBeta=true',
        ...(workers > 0 ? [`--workers=${workers}`] : []),
      ],
    });
    sender = new Sender(server);
    const client = new Client(server);
    await client.post('/api/v1/namespaces', { metadata: { name: 'fuzz' } });
    client.close();
    await untilIdle(server.pid);
  });
  test.after(async () => {
    // a server that did not start is what is to be told
    sender?.close();
    await server?.stop();
    if (workers === suites.at(-1)?.workers) await webhook.stop();
  });

  test(`from the seed ${FIRST} on, for ${SECONDS} s`, async () => {
    const failures: string[] = [];
    const statuses = new Map<string, number>();
    let until = Date.now() + SECONDS * 1_000;
    let seed = FIRST;
    const look = async (request: FuzzRequest, send: () => Promise<FuzzAnswer | undefined>): Promise<FuzzAnswer | undefined> => {
      const [logged, spent] = [server.log().length, processorTime(server.pid)];
      const answer = await send();
      if (answer === undefined) return undefined;
      const counted = `${request.custom ? 'custom ' : ''}${answer.status}`;
      statuses.set(counted, (statuses.get(counted) ?? 0) + 1);
      const problems = [problemOf(request, answer), costProblem(processorTime(server.pid) - spent), logProblem(server.log().slice(logged))];
      const problem = problems.filter((each) => each !== undefined).join('\n');
      if (problem === '') return answer;
      // what is logged comes through a pipe of its own
      await sleep(LOG_DELAY);
      failures.push(`FUZZ_SEED=${seed}: ${shown(request)}\n${problem}\n${server.log().slice(logged, logged + LOG_SHOWN)}`);
      return answer;
    };
    let generation: number | undefined;
    for (; Date.now() < until && failures.length < ENOUGH && server.running(); seed++) {
      if (generation !== generationOf(seed)) {
        generation = generationOf(seed);
        const looked = (request: FuzzRequest) => look(request, () => sender.overHttp1(request));
        // what a generation refuses is not to keep the next one from being made
        const held = admissionObjects(generation, hook);
        for (const { path } of held) await looked(prepared('DELETE', path));
        for (const definition of model.definitions(generation)) await define(definition, looked);
        for (const { path, object } of held) await looked(prepared('POST', path.slice(0, path.lastIndexOf('/')), object));
        // what controllers do about all these is no request's, and takes none of the time for requests
        const made = Date.now();
        await untilIdle(server.pid);
        until += Date.now() - made;
      }
      const request = randomRequest(model, seed);
      await look(request, () => sent(sender, request, seed));
    }
    console.log(
      `${seed - FIRST} requests from FUZZ_SEED=${FIRST} on, ${name}: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`,
    );
    assert.equal(failures, [], failures.join('\n\n'));
    await assertAnswers(server);
    // what comes later, such as a promise that nobody waited for
    assert.is(logProblem(server.log()), undefined);
  });
  test.run();
}

/** A definition becomes what it is to be in a generation, in place of what it was. */
async function define(definition: JsonObject, look: (request: FuzzRequest) => Promise<FuzzAnswer | undefined>): Promise<void> {
  const { name } = definition.metadata as { name: string };
  if ((await look(prepared('POST', DEFINITIONS, definition)))?.status !== 409) return;
  await look({
    ...prepared('PATCH', `${DEFINITIONS}/${name}`, { spec: definition.spec }),
    headers: { 'content-type': 'application/merge-patch+json' },
  });
}

const prepared = (method: string, path: string, body?: object): FuzzRequest => ({
  method,
  path,
  headers: body === undefined ? {} : { 'content-type': 'application/json' },
  body: body && Buffer.from(JSON.stringify(body)),
  relayed: false,
  custom: true,
});

/** Right answers of the webhook as a rule. */
function randomReply(random: Random): Reply {
  const admit = admissionReply(random);
  return (review, response, request) => {
    if (review.kind === 'AdmissionReview') return admit(review, response, request);
    if (random.chance(0.1)) return random.oneOf(WRONG_ANSWERS).reply(review, response, request);
    const { request: asked } = review;
    const convertedObjects = asked.objects.map((object: object) => ({ ...object, apiVersion: asked.desiredAPIVersion }));
    const answer = { ...review, request: undefined, response: { uid: asked.uid, convertedObjects, result: { status: 'Success' } } };
    send(response, random.chance(0.1) ? spoiled(random, answer) : answer);
  };
}

/** @returns undefined for what a client cannot send */
async function sent(sender: Sender, request: FuzzRequest, seed: number): Promise<FuzzAnswer | undefined> {
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

function problemOf({ method, relayed }: FuzzRequest, { status, text, streams }: FuzzAnswer): string | undefined {
  if (!streams && /\bat \S+ \(|\.ts:\d+|node:internal|node_modules/.test(text)) return `the answer shows a stack: ${text.slice(0, 1_000)}`;
  if (status < 500 || (relayed && [500, 502, 503, 504].includes(status) && !text.includes("see the server's log"))) return undefined;
  // an answer to HEAD has no text: a fault of the server's own is logged with its stack, and found there
  if (method === 'HEAD') return undefined;
  if (DOCUMENTED.some(([code, words]) => (code === ANY || code === status) && words.test(text))) return undefined;
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
