/** Documents of other servers are read once for each thing that they say. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DocumentWork, documentWorks, type WorkName } from '../../runtime/aggregation/document-work.ts';
import { RemoteOpenapi } from '../../runtime/aggregation/remote-openapi.ts';
import type { RemoteServers } from '../../runtime/aggregation/remote-servers.ts';
import type { RemoteVersion } from '../../runtime/aggregation/remote-version.ts';
import type { RemoteChanges } from '../../runtime/aggregation/remote-versions.ts';

const version = (name: string): RemoteVersion => ({
  name: `${name}.lamps.example`,
  group: 'lamps.example',
  version: name,
  groupPriority: 1,
  versionPriority: 1,
  service: { namespace: 'default', name: 'lamps', port: 443 },
  trust: { caBundle: '', insecure: true },
  available: true,
  resourceVersion: '1',
});

interface Said {
  readonly status?: number;
  readonly etag?: string;
  readonly document?: object;
}

/** @param say what the server answers to each question */
function openapiOf(say: (asked: number, etag: string | undefined) => Said) {
  const [one, two] = [version('v1'), version('v2')] as const;
  const all = [one];
  let change = (_: RemoteChanges): void => {};
  let asked = 0;
  const read: WorkName[] = [];
  const servers = {
    versions: {
      all: () => all,
      onChange: (listener: typeof change) => {
        change = listener;
      },
    },
    async ask(_: RemoteVersion, { path, etag }: { path: string; etag?: string }) {
      if (path !== '/openapi/v2') return { status: 404, headers: {}, body: Buffer.alloc(0) };
      const { status = 200, document = {}, etag: tag } = say(asked++, etag);
      return { status, headers: tag === undefined ? {} : { etag: tag }, body: Buffer.from(JSON.stringify(document)) };
    },
  };
  const work = new DocumentWork({
    async work(name, order) {
      read.push(name);
      return (await (documentWorks[name] as (of: typeof order) => unknown)(order)) as never;
    },
    async close() {},
  });
  const openapi = new RemoteOpenapi(servers as unknown as RemoteServers, work);
  return {
    read,
    v2: (of = one) => openapi.of(of).v2(),
    touch: () => change({ gone: [one], come: [one] }),
    /** The APIService is deleted, and made again later. */
    leave: () => {
      all.length = 0;
      change({ gone: [one], come: [] });
    },
    serveSecond() {
      all.push(two);
      change({ gone: [], come: [two] });
      return two;
    },
  };
}

const lamps = (description: string) => ({ paths: { '/apis/lamps.example/v1/lamps': { description }, '/apis/lamps.example/v2/lamps': {} } });
/** Of much work. */
const LONG = 'x'.repeat(100_000);

const test = suite('OpenAPI documents of other servers');

test('that say the same after a change of an APIService are those that were read', async () => {
  for (const etag of [undefined, 'one']) {
    const { v2, touch } = openapiOf(() => ({ ...(etag && { etag }), document: lamps(LONG) }));
    const first = await v2();
    assert.is(await v2(), first);
    touch();
    assert.is(await v2(), first);
  }
});

test('that the server says not to have changed are not read again', async () => {
  const { v2, touch, read } = openapiOf((_, etag) => (etag === '"a"' ? { status: 304 } : { etag: '"a"', document: lamps(LONG) }));
  const first = await v2();
  touch();
  assert.is(await v2(), first);
  assert.equal(read, ['readSwagger']);
});

test('that say something else are read', async () => {
  const { v2, touch } = openapiOf((asked) => ({ document: lamps(`${LONG}${asked}`) }));
  const first = await v2();
  touch();
  assert.is.not((await v2())?.hash, first?.hash);
});

test('are read anew for a version that comes', async () => {
  const { v2, serveSecond } = openapiOf((_, etag) => (etag === undefined ? { etag: '"a"', document: lamps('') } : { status: 304 }));
  const first = await v2();
  assert.not.match(Buffer.from(first?.document ?? []).toString(), 'v2/lamps');
  const second = await v2(serveSecond());
  assert.match(Buffer.from(second?.document ?? []).toString(), 'v2/lamps');
});

test('of a server that has gone away stay, whatever changes of its APIService', async () => {
  const { v2, touch, leave } = openapiOf((asked) => (asked === 0 ? { document: lamps('') } : { status: 500 }));
  const first = await v2();
  assert.ok(first);
  touch();
  assert.is(await v2(), first);
  leave();
  assert.is(await v2(), undefined);
});

test('of a server that has never said any are left out', async () => {
  const { v2 } = openapiOf(() => ({ status: 500 }));
  assert.is(await v2(), undefined);
});

test.run();
