/** A program with a server over the folder that it is given, which tells what becomes of requests when the store ends; the file of FAILING_CALLS has the disk fail. */
import { writeFileSync } from 'node:fs';
import { startServer } from '../../runtime/embedded/start-server.ts';

const [directory = '', failure = ''] = process.argv.slice(2);
const failing = process.env.FAILING_CALLS as string;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

await using server = await startServer({ dialect: 'kubernetes', store: { directory }, log: false });
const asked = (method: 'GET' | 'POST', body?: object): Promise<unknown> =>
  server.client.request(method, CONFIGMAPS, body).then(
    () => 'done',
    ({ message }) => message,
  );
const write = (): Promise<unknown> => asked('POST', { metadata: { generateName: 'w-' } });

const told = [await write()];
writeFileSync(failing, `${failure}\n`);
for (let i = 0; i < 20 && told.at(-1) === 'done'; i++) {
  // more than are deferred: LMDB has some of them under way at once
  const all = await Promise.all(Array.from({ length: 40 }, write));
  told.push(all.find((each) => each !== 'done') ?? 'done');
}
told.push(await asked('GET'));
writeFileSync(failing, '');
told.push(await asked('GET'));
await server.stop();
console.log(JSON.stringify(told.filter((each) => each !== 'done')));
