/** Many servers in one process, each with objects of its own: node many-servers.js COUNT. Prints what each takes as JSON, and ends by itself. */
import { startServer } from 'cluster-control-api';

const count = Number(process.argv[2]);
const MAPS = '/api/v1/namespaces/default/configmaps';

/** Bytes that are held once garbage is gone: of the process's own memory. */
function heldBytes() {
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage().rss;
}

// what this process has by itself, such as its streams
const own = process.getActiveResourcesInfo();
// loads what all servers share
await (await startServer()).stop();
const before = heldBytes();
const began = performance.now();
const servers = [];
for (let i = 0; i < count; i++) servers.push(await startServer());
const started = performance.now();
// what controllers do behind the start
for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
const idle = heldBytes();

for (const [i, { client }] of servers.entries()) await client.request('POST', MAPS, { metadata: { name: `of-${i}` } });
for (const [i, { client }] of servers.entries()) {
  const { items } = await client.request('GET', MAPS);
  /** @type {string[]} */
  const all = items.map((/** @type {{ metadata: { name: string } }} */ { metadata }) => metadata.name);
  const names = all.filter((name) => name.startsWith('of-'));
  if (names.length !== 1 || names[0] !== `of-${i}`) throw new Error(`server ${i} has ${names}`);
}
const stopping = performance.now();
await Promise.all(servers.map((server) => server.stop()));
console.log(
  JSON.stringify({
    count,
    startMilliseconds: (started - began) / count,
    idleBytes: (idle - before) / count,
    stopMilliseconds: (performance.now() - stopping) / count,
    left: process.getActiveResourcesInfo().filter((each) => !own.includes(each)),
  }),
);
