/** Custom resources: until a new definition is served and described, what definitions hold, and their objects beside config maps of the same size. */
import { gunzipSync } from 'node:zlib';
import { type Bench, request, withProcessorTime } from '../bench.ts';
import { ratioOf } from '../comparison.ts';
import { benchDefinition, type Defined, likeGadgetBody } from '../definitions.ts';
import type { ClosedLoop } from '../load/closed-loop.ts';
import { Connection } from '../load/connection.ts';
import { NUMBER, NumberedRequest, TURN } from '../load/numbered-request.ts';
import { configMapName } from '../objects.ts';
import type { Started } from '../own-server.ts';
import { processFigures } from '../process-figures.ts';
import { median, percentile } from '../statistics.ts';
import { requestText } from '../target.ts';
import { fill } from './fill.ts';

const WORKLOAD = 'custom';
/** Measured one by one; numbers above those of the stored ones. */
const NEW_DEFINITIONS = 20;
/** Milliseconds in which a process that has made definitions comes to rest. */
const REST = 3_000;
/** of what is waited for */
const LIMIT = 60_000;
const LISTED = 10_000;
const PATCHED = 1_000;

/** Leaves the server running. It needs one of ours: what it measures of starts and memory cannot be asked for. */
export async function measureCustom(bench: Bench): Promise<void> {
  await measureObjects(bench);
  if (bench.own === undefined) return;
  await bench.own.clear();
  await bench.own.start('node');
  const without = await starts(bench);
  await firstObjects(bench, 0);
  await storeDefinitions(bench);
  await firstObjects(bench, bench.options.definitions);
  await measureDescriptions(bench);
  const named = `with ${bench.options.definitions} definitions`;
  startRow(bench, `start ${named}`, await starts(bench), without);
}

/** Makes as many as are asked for, and says what each of them holds in the process that they were made in. */
async function storeDefinitions(bench: Bench): Promise<void> {
  const { target, options, report } = bench;
  const before = anonymousBytes(bench);
  const connection = await Connection.open(target);
  const began = performance.now();
  for (let i = 0; i < options.definitions; i++) await send(bench, connection, 'POST', definitionsPath(bench), definition(bench, i).body);
  const milliseconds = (performance.now() - began) / options.definitions;
  connection.close();
  await new Promise((resolve) => setTimeout(resolve, REST));
  const kilobytes = (anonymousBytes(bench) - before) / options.definitions / 1e3;
  report({
    workload: WORKLOAD,
    name: `${options.definitions} definitions made one after the other, each`,
    p50Ms: milliseconds,
    note: `${kilobytes.toFixed(0)} KB each`,
  });
}

/** From the POST of a definition until its first object is stored. @param stored definitions that are there already */
async function firstObjects(bench: Bench, stored: number): Promise<void> {
  const connection = await Connection.open(bench.target);
  const namespace = await bench.makeNamespace();
  await newDefinitions(bench, connection, `from a definition to its first object, with ${stored} others`, ({ collection, object }) => {
    const path = collection(namespace);
    const first = new NumberedRequest(object);
    first.number = 1;
    const text = first.bytes.toString();
    return async () => ((await exchange(bench, connection, 'POST', path, text)).status < 300 ? performance.now() : undefined);
  });
  connection.close();
}

/** When the answer that shows something had come, as of `performance.now()`; undefined where it does not show it. */
type Shown = () => Promise<number | undefined>;

/** From the POST of each of some definitions until something holds, which is asked for again and again. @param asks whether it holds of a definition */
async function newDefinitions(bench: Bench, connection: Connection, name: string, asks: (defined: Defined) => Shown) {
  const measure = async () => {
    const times: number[] = [];
    for (let i = 0; i < NEW_DEFINITIONS; i++) {
      const defined = definition(bench, bench.options.definitions + i);
      const holds = asks(defined);
      const began = performance.now();
      await send(bench, connection, 'POST', definitionsPath(bench), defined.body);
      times.push((await until(`${name}: ${defined.name}`, holds)) - began);
    }
    return Float64Array.from(times).sort();
  };
  const [sorted, processorUs] = await withProcessorTime(bench.target, measure, ({ length }) => length);
  await removeNew(bench, connection);
  const times = { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
  bench.report({
    workload: WORKLOAD,
    name,
    ...times,
    ...(processorUs !== undefined && { processorUs }),
    note: `best: ${sorted[0]?.toFixed(1)} ms`,
  });
}

async function removeNew(bench: Bench, connection: Connection): Promise<void> {
  for (let i = 0; i < NEW_DEFINITIONS; i++) {
    const path = `${definitionsPath(bench)}/${definition(bench, bench.options.definitions + i).name}`;
    await send(bench, connection, 'DELETE', path);
    await until(`the end of ${path}`, async () => ((await exchange(bench, connection, 'GET', path)).status === 404 ? 0 : undefined));
  }
}

/** As kubectl asks for the document of all kinds. */
const KUBECTL = { Accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 'Accept-Encoding': 'gzip' };

/** From the POST of a definition until the documents have its kind, which are asked for all the time. */
async function measureDescriptions(bench: Bench): Promise<void> {
  const connection = await Connection.open(bench.target);
  const forms: Record<string, (defined: Defined) => Shown> = {
    'OpenAPI v3': inItsDocument(bench, connection),
    'OpenAPI v2': inDocumentOfAll(bench, connection, {}),
    'OpenAPI v2 as kubectl asks': inDocumentOfAll(bench, connection, KUBECTL),
  };
  for (const [form, shows] of Object.entries(forms)) {
    await shows(definition(bench, 0))();
    const name = `from a definition to ${form}, with ${bench.options.definitions} others`;
    await newDefinitions(bench, connection, name, shows);
  }
  connection.close();
}

function inItsDocument(bench: Bench, connection: Connection): (defined: Defined) => Shown {
  return ({ groupVersion, kind }) =>
    async () => {
      const { paths } = JSON.parse((await document(bench, connection, '/openapi/v3')).body.toString()) as {
        paths: Record<string, { serverRelativeURL: string }>;
      };
      const address = paths[groupVersion]?.serverRelativeURL;
      const found = address === undefined ? undefined : await document(bench, connection, address);
      return found?.body.includes(`"${kind}"`) ? found.came : undefined;
    };
}

/** Asked for by who keeps the one that came last: nothing comes until there is another one. */
function inDocumentOfAll(bench: Bench, connection: Connection, headers: Record<string, string>): (defined: Defined) => Shown {
  let tag = '""';
  return ({ kind }) =>
    async () => {
      const { head, body, came } = await document(bench, connection, '/openapi/v2', { ...headers, 'If-None-Match': tag });
      tag = /\r\netag: *(\S+)/i.exec(head)?.[1] ?? tag;
      const whole = /\r\ncontent-encoding: *gzip/i.test(head) ? gunzipSync(body) : body;
      return whole.includes(kind) ? came : undefined;
    };
}

interface Answer {
  readonly head: string;
  readonly body: Buffer;
  /** when its last byte came */
  readonly came: number;
}

/** How long it takes to put the body together counts no more. */
function document({ target }: Bench, connection: Connection, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let head = '';
    connection.onClose(() => reject(new Error('the server closed the connection')));
    connection.send(requestText(target, 'GET', path, '', headers), {
      onHead: (_, text) => (head = text),
      onBody: (bytes) => parts.push(Buffer.from(bytes)),
      onEnd() {
        const came = performance.now();
        resolve({ head, body: Buffer.concat(parts), came });
      },
    });
  });
}

async function starts({ own, options }: Bench): Promise<Started[]> {
  const all: Started[] = [];
  for (let i = 0; own !== undefined && i < options.repeat; i++) {
    await own.stop();
    all.push(await own.start('node'));
  }
  return all;
}

function startRow({ report, options }: Bench, name: string, all: readonly Started[], without: readonly Started[]): void {
  const ready = (some: readonly Started[]) => median(some.map(({ readyMs }) => readyMs));
  const held = (some: readonly Started[]) => median(some.map(({ figures }) => figures?.anonymousBytes ?? Number.NaN));
  const kilobytes = (held(all) - held(without)) / options.definitions / 1e3;
  const ratio = ready(all) / ready(without);
  report({
    workload: WORKLOAD,
    name,
    p50Ms: ready(all),
    note: `${ratio.toFixed(2)} of one without (${ready(without).toFixed(0)} ms); ${kilobytes.toFixed(0)} KB for each definition`,
  });
}

/** Objects of a definition beside config maps of the same size. */
async function measureObjects(bench: Bench): Promise<void> {
  const defined = definition(bench, 0);
  await request(bench.target, 'POST', definitionsPath(bench), defined.body);
  const namespace = await bench.makeNamespace();
  const custom = defined.collection(namespace);
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  await until(custom, async () =>
    request(bench.target, 'GET', custom).then(
      () => 0,
      () => undefined,
    ),
  );
  const posts = [
    requestText(bench.target, 'POST', custom, defined.object),
    requestText(bench.target, 'POST', maps, likeGadgetBody()),
  ] as const;
  for (const connections of [1, bench.options.connections]) {
    await inTurn(bench, `creates, ${writers(connections)}`, { texts: posts, connections, first: connections * 1e6 });
  }
  await fill(bench, custom, defined.object, PATCHED);
  await fill(bench, maps, likeGadgetBody(), PATCHED);
  const patch = JSON.stringify({ metadata: { annotations: { 'example.com/turn': TURN } } });
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const patches = [
    requestText(bench.target, 'PATCH', `${custom}/gadget-${NUMBER}`, patch, headers),
    requestText(bench.target, 'PATCH', `${maps}/${configMapName}`, patch, headers),
  ] as const;
  for (const connections of [1, bench.options.connections])
    await inTurn(bench, `merge patches, ${writers(connections)}`, { texts: patches, connections, first: 0, cycle: PATCHED });
  await measureLists(bench, defined);
}

const writers = (count: number): string => (count === 1 ? '1 writer' : `${count} writers`);

interface InTurn {
  /** of a custom resource, of a config map */
  readonly texts: readonly [string, string];
  readonly connections: number;
  readonly first: number;
  readonly cycle?: number;
}

/** Two closed loops against one server, a slice each in turn. */
async function inTurn(bench: Bench, name: string, { texts, connections, first, ...cycle }: InTurn): Promise<void> {
  const { target, load, options, report } = bench;
  const loops = (offset: number, seconds: number) =>
    texts.map((text): ClosedLoop => ({ kind: 'closedLoop', target, connections, request: text, first: first + offset, seconds, ...cycle }));
  const run = async (offset: number, seconds: number) => {
    const results = await load.run({ kind: 'alternatingLoops', loops: loops(offset, seconds) as [ClosedLoop, ClosedLoop] });
    const failed = results.find(({ failures }) => failures > 0);
    if (failed !== undefined) throw new Error(`${name}: ${failed.failures} requests failed, first: ${failed.firstFailure}`);
    return results;
  };
  const warm = await run(0, options.warmUpSeconds);
  const results = await run(Math.max(...warm.map(({ sent }) => sent)), options.seconds);
  const [custom, map] = results;
  const ratio = ratioOf(results);
  report({
    workload: WORKLOAD,
    name,
    perSecond: custom.perSecond,
    p50Ms: custom.p50Ms,
    p99Ms: custom.p99Ms,
    ...(custom.processorUs !== undefined && { processorUs: custom.processorUs }),
    ...(ratio !== undefined && { processorRatio: ratio }),
    note: `config maps: ${map.perSecond.toFixed(0)}/s`,
  });
}

/** Each list in turn with that of config maps, so that both meet the machine in the same state. */
async function measureLists(bench: Bench, { collection, object }: Defined): Promise<void> {
  const { target, groupDomain } = bench;
  const namespace = await bench.makeNamespace();
  const paths = [collection(namespace), `/api/v1/namespaces/${namespace}/configmaps`] as const;
  await fill(bench, paths[0], object, LISTED);
  await fill(bench, paths[1], likeGadgetBody(), LISTED);
  const forms = {
    JSON: 'application/json',
    Table: `application/json;as=Table;v=v1;g=meta.${groupDomain}`,
    'metadata only': `application/json;as=PartialObjectMetadataList;v=v1;g=meta.${groupDomain}`,
  };
  for (const [form, Accept] of Object.entries(forms)) {
    const [custom, maps] = paths.map((path) => requestText(target, 'GET', path, '', { Accept })) as [string, string];
    await inTurn(bench, `list of ${LISTED.toLocaleString('en')}: ${form}`, { texts: [custom, maps], connections: 1, first: 0 });
  }
}

const definition = (bench: Bench, number: number): Defined => benchDefinition(number, bench.groupDomain);
const definitionsPath = ({ groupDomain }: Bench): string => `/apis/apiextensions.${groupDomain}/v1/customresourcedefinitions`;

function anonymousBytes({ target }: Bench): number {
  return (target.pid === undefined ? undefined : processFigures(target.pid)?.anonymousBytes) ?? Number.NaN;
}

function exchange({ target }: Bench, connection: Connection, method: string, path: string, body = '') {
  return connection.exchange(requestText(target, method, path, body));
}

/** @throws Error with the answer where it is refused */
async function send(bench: Bench, connection: Connection, method: string, path: string, body = ''): Promise<Buffer> {
  const answer = await exchange(bench, connection, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`);
  return answer.body;
}

/** Asks again and again. @throws Error when it takes too long */
async function until(what: string, holds: Shown): Promise<number> {
  const began = performance.now();
  for (;;) {
    const shown = await holds();
    if (shown !== undefined) return shown;
    if (performance.now() - began > LIMIT) throw new Error(`${what}: not within ${LIMIT / 1e3} s`);
  }
}
