/** However much another API server says of itself, nobody waits for this one to read it, to merge it, and to tell clients. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AGGREGATED, LampCluster } from '../aggregation/lamp-cluster.ts';
import { type LongDescription, longDescriptions, VERSION } from '../aggregation/long-descriptions.ts';
import { assertShortTurns, TURN_MONITOR, untilQuiet } from '../harness/turns.ts';

/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;
const SWAGGER_MESSAGE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const DOCUMENT_MESSAGE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const GROUPS_MESSAGE = AGGREGATED.replace('json', 'vnd.kubernetes.protobuf');

/** What clients ask for, whatever it is made of. */
const QUESTIONS: readonly (readonly [path: string, accept: string])[] = [
  ['/openapi/v2', 'application/json'],
  ['/openapi/v2', SWAGGER_MESSAGE],
  ['/openapi/v3', 'application/json'],
  [`/openapi/v3/${VERSION}`, 'application/json'],
  [`/openapi/v3/${VERSION}`, DOCUMENT_MESSAGE],
  ['/apis', AGGREGATED],
  ['/apis', GROUPS_MESSAGE],
  ['/apis?pretty=true', AGGREGATED],
];

const test = suite('long descriptions by other API servers');
let cluster: LampCluster;

const ask = ([path, accept]: (typeof QUESTIONS)[number]) => cluster.admin.request('GET', path, { headers: { accept }, timeout: PATIENCE });

async function askAll(): Promise<string[]> {
  const answers: string[] = [];
  for (const question of QUESTIONS) answers.push((await ask(question)).text);
  return answers;
}

test.before(async () => {
  cluster = await LampCluster.start(['--import', TURN_MONITOR]);
  await cluster.serveLamps();
  // what answers is loaded, and what this server itself says is made
  await askAll();
  cluster.lamps.answers['/openapi/v2'] = (_, response) => response.end('{"paths":{}}');
  await cluster.touch();
  await askAll();
  await untilQuiet(cluster.server);
});
test.after(() => cluster.stop());

/** Has the server behind say it, and nothing else that is of its kind. */
function serve({ path, type, body }: LongDescription): void {
  const { answers } = cluster.lamps;
  for (const { path: each } of longDescriptions) delete answers[each];
  const bytes = body();
  answers[path] = (_, response) => void response.writeHead(200, { 'content-type': type }).end(bytes);
}

for (const long of longDescriptions)
  test(`nobody waits for ${long.name}`, async () => {
    serve(long);
    await cluster.touch();
    const answers = await assertShortTurns(cluster.server, askAll);
    if (long.told !== undefined) assert.ok(answers.some((text) => text.includes(long.told as string)));
  });

test.run();
