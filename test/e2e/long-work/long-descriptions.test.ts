/** However much another API server says of itself, nobody waits for this one to read it, to merge it, and to tell clients. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { json } from '../../aggregation/aggregated-server.ts';
import { AGGREGATED, LampCluster, PASSED, RESOURCES } from '../../aggregation/lamp-cluster.ts';
import { type LongDescription, longDescriptions, VERSION } from '../../aggregation/long-descriptions.ts';
import { assertShortTurns, REPEATED, TURN_MONITOR, untilQuiet } from '../../harness/turns.ts';

/** Milliseconds for an answer, on machines that do much else. */
const PATIENCE = 120_000;
const SWAGGER_MESSAGE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const DOCUMENT_MESSAGE = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';
const GROUPS_MESSAGE = AGGREGATED.replace('json', 'vnd.kubernetes.protobuf');

/** What clients ask for, whatever it is made of. */
const QUESTIONS: readonly (readonly [path: string, accept: string, encoding?: string])[] = [
  ['/openapi/v2', 'application/json'],
  ['/openapi/v2', 'application/json', 'gzip'],
  ['/openapi/v2', SWAGGER_MESSAGE],
  ['/openapi/v3', 'application/json'],
  [`/openapi/v3/${VERSION}`, 'application/json'],
  [`/openapi/v3/${VERSION}`, DOCUMENT_MESSAGE],
  ['/apis', AGGREGATED],
  ['/apis', AGGREGATED, 'gzip'],
  ['/apis', GROUPS_MESSAGE],
  ['/apis?pretty=true', AGGREGATED],
];

const test = suite('long descriptions by other API servers');
let cluster: LampCluster;

const ask = ([path, accept]: (typeof QUESTIONS)[number]) => cluster.admin.request('GET', path, { headers: { accept }, timeout: PATIENCE });

/** What is made of answers to one path. @returns what clients get */
async function askAbout(asked: string): Promise<string[]> {
  const answers: string[] = [];
  for (const question of QUESTIONS)
    if (question[0].startsWith('/openapi') === asked.startsWith('/openapi')) answers.push((await ask(question)).text);
  return answers;
}
const askAll = async () => [...(await askAbout('/openapi')), ...(await askAbout('/apis'))];

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
  // what a server is found by to be available: one that is not is asked for nothing
  answers[`/${VERSION}`] = (_, response) => json(response, RESOURCES);
  const bytes = body();
  answers[path] = (_, response) => void response.writeHead(200, { 'content-type': type }).end(bytes);
}

for (const long of longDescriptions)
  test(`nobody waits for ${long.name}`, async () => {
    serve(long);
    const touchAndAsk = async () => {
      await cluster.touch();
      return askAbout(long.path);
    };
    const answers = await assertShortTurns(cluster.server, touchAndAsk, REPEATED);
    if (long.told !== undefined) assert.ok(answers.some((text) => text.includes(long.told as string)));
  });

test('nobody waits for a document that is another one each time, and for one that stays the same', async () => {
  const [long] = longDescriptions as [LongDescription];
  const bytes = long.body();
  let hash = 0;
  serve(long);
  const question = [long.path, 'application/json'] as const;
  cluster.lamps.answers[long.path] = (_, response) => void response.writeHead(200, { etag: `"${hash++}"` }).end(bytes);
  await assertShortTurns(cluster.server, async () => {
    for (let i = 0; i < 3; i++) {
      await cluster.touch();
      assert.match((await ask(question)).text, /listLamps/);
    }
  });
  assert.is(hash, 3);
});

/** Each of a server of its own. */
const MANY = 200;

test('nobody waits for very many servers that say little', async () => {
  serve({ name: '', path: '/openapi/v2', type: 'application/json', body: () => Buffer.from('{"paths":{}}') });
  const names = Array.from({ length: MANY }, (_, index) => `many${index}`);
  for (const name of names) cluster.lamps.answers[`/apis/${name}.example/v1`] = (_, response) => json(response, RESOURCES);
  await Promise.all(names.map((name) => cluster.serve(name, `${name}.example`)));
  for (const name of names) await cluster.available(`v1.${name}.example`, PASSED);
  await untilQuiet(cluster.server);
  const answers = await assertShortTurns(cluster.server, askAll);
  for (const name of names) assert.match(answers[QUESTIONS.findIndex(([path]) => path === '/apis')] as string, `"${name}.example"`);
});

test.run();
