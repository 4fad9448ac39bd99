/** Calls of gRPC interfaces over Unix sockets, between the client and the server of the agent. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RuntimeService } from '../../../generated/node-interfaces/container-runtime.ts';
import { DevicePlugin } from '../../../generated/node-interfaces/device-plugins.ts';
import type { WireMessage } from '../../../runtime/contract/node-interface.ts';
import { InterfaceClient } from '../../../runtime/node-agent/grpc/interface-client.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';

interface Context {
  folder: string;
  socket: string;
  client: InterfaceClient;
  servers: InterfaceServer[];
}

const LIMITS = { timeout: 10_000 };
const { Version } = RuntimeService;

const calls = suite<Context>('calls over a Unix socket');
calls.before.each((context) => {
  context.folder = mkdtempSync(path.join(tmpdir(), 'grpc-'));
  context.socket = path.join(context.folder, 'a.sock');
  context.client = new InterfaceClient(context.socket);
  context.servers = [];
});
calls.after.each(({ folder, client, servers }) => {
  client.close();
  for (const server of servers) server.stop();
  rmSync(folder, { recursive: true });
});

async function serve(context: Context, prepare: (server: InterfaceServer) => void): Promise<InterfaceServer> {
  const server = new InterfaceServer();
  context.servers.push(server);
  prepare(server);
  await server.listen(context.socket);
  return server;
}

async function failure(call: Promise<unknown>): Promise<InterfaceError> {
  try {
    await call;
  } catch (error) {
    assert.instance(error, InterfaceError);
    return error as InterfaceError;
  }
  throw new Error('the call did not fail');
}

calls('an answer comes', async (context) => {
  await serve(context, (server) => server.answer(Version, ({ version }) => ({ version, runtimeName: 'ours' })));
  const answer = await context.client.call(Version, { version: '0.1.0' }, LIMITS);
  assert.equal(answer, { version: '0.1.0', runtimeName: 'ours', runtimeVersion: '', runtimeApiVersion: '' });
  assert.is(statSync(context.socket).mode & 0o777, 0o600);
});
calls('an error of the other side comes with its code and its words', async (context) => {
  await serve(context, (server) =>
    server
      .answer(Version, () => {
        throw new InterfaceError('NOT_FOUND', 'no such thing');
      })
      .answer(RuntimeService.Status, async () => {
        throw new Error('broken');
      }),
  );
  const notFound = await failure(context.client.call(Version, {}, LIMITS));
  assert.is(notFound.code, 'NOT_FOUND');
  assert.is(notFound.message, 'rpc error: code = NotFound desc = no such thing');
  assert.is((await failure(context.client.call(RuntimeService.Status, {}, LIMITS))).message, 'rpc error: code = Unknown desc = broken');
});
calls('a call that the other side lacks is not implemented', async (context) => {
  await serve(context, (server) => server.answer(Version, () => ({})));
  assert.is((await failure(context.client.call(RuntimeService.Status, {}, LIMITS))).code, 'UNIMPLEMENTED');
});
calls('a call without an answer ends at its deadline, and the other side hears of it', async (context) => {
  const heard = Promise.withResolvers<void>();
  await serve(context, (server) =>
    server.answer(Version, async (_request, signal) => {
      signal.addEventListener('abort', () => heard.resolve());
      await heard.promise;
      return {};
    }),
  );
  assert.is((await failure(context.client.call(Version, {}, { timeout: 50 }))).code, 'DEADLINE_EXCEEDED');
  await heard.promise;
});
calls('a caller who goes ends the call', async (context) => {
  const [began, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await serve(context, (server) =>
    server.answer(Version, async (_request, signal) => {
      signal.addEventListener('abort', () => heard.resolve());
      began.resolve();
      await heard.promise;
      return {};
    }),
  );
  const gone = new AbortController();
  const call = failure(context.client.call(Version, {}, { ...LIMITS, signal: gone.signal }));
  await began.promise;
  gone.abort();
  assert.is((await call).code, 'CANCELLED');
  await heard.promise;
  assert.is((await failure(context.client.call(Version, {}, { ...LIMITS, signal: gone.signal }))).code, 'CANCELLED');
});
calls('nobody there is an error at once, and whoever comes later is found', async (context) => {
  assert.is((await failure(context.client.call(Version, {}, LIMITS))).code, 'UNAVAILABLE');
  const first = await serve(context, (server) => server.answer(Version, () => ({ runtimeName: 'first' })));
  assert.is((await answered(context)).runtimeName, 'first');
  first.stop();
  rmSync(context.socket, { force: true });
  assert.is((await failure(context.client.call(Version, {}, LIMITS))).code, 'UNAVAILABLE');
  await serve(context, (server) => server.answer(Version, () => ({ runtimeName: 'second' })));
  assert.is((await answered(context)).runtimeName, 'second');
});
calls('an answer beyond its bound is an error', async (context) => {
  await serve(context, (server) => server.answer(Version, () => ({ version: 'x'.repeat(17 * 1024 * 1024) })));
  assert.is((await failure(context.client.call(Version, {}, LIMITS))).code, 'RESOURCE_EXHAUSTED');
});
calls('bytes that are no such message are an error', async (context) => {
  const texts: WireMessage<{ text: string }> = { name: 'Text', fields: [{ name: 'text', number: 1, rule: 'single', type: 'string' }] };
  await serve(context, (server) =>
    server
      .answer({ ...RuntimeService.Status, answer: texts }, () => ({ text: 'no status' }))
      .stream({ ...DevicePlugin.ListAndWatch, answer: texts }, async function* () {
        yield { text: 'no devices' };
      }),
  );
  assert.is((await failure(context.client.call(RuntimeService.Status, {}, LIMITS))).code, 'INTERNAL');
  const all = async (): Promise<void> => {
    for await (const _ of context.client.stream(DevicePlugin.ListAndWatch, {}, new AbortController().signal));
  };
  assert.is((await failure(all())).code, 'INTERNAL');
});
calls('answers stream until either side ends them', async (context) => {
  const heard = Promise.withResolvers<void>();
  await serve(context, (server) =>
    server.stream(DevicePlugin.ListAndWatch, async function* (_request, signal) {
      signal.addEventListener('abort', () => heard.resolve());
      for (let i = 0; ; i++) {
        yield { devices: [{ ID: String(i) }] };
        if (i === 2) await heard.promise;
      }
    }),
  );
  const end = new AbortController();
  const seen: string[] = [];
  for await (const { devices } of context.client.stream(DevicePlugin.ListAndWatch, {}, end.signal)) {
    seen.push(devices[0]?.ID ?? '');
    if (seen.length === 3) end.abort();
  }
  assert.equal(seen, ['0', '1', '2']);
  await heard.promise;
});
calls('a stream that fails says so', async (context) => {
  await serve(context, (server) =>
    server.stream(DevicePlugin.ListAndWatch, async function* () {
      yield { devices: [] };
      throw new InterfaceError('INTERNAL', 'burnt');
    }),
  );
  const all = async (): Promise<void> => {
    for await (const _ of context.client.stream(DevicePlugin.ListAndWatch, {}, new AbortController().signal));
  };
  assert.is((await failure(all())).message, 'rpc error: code = Internal desc = burnt');
});
calls.run();

/** Asks until somebody answers: connections are tried again after a while. */
async function answered({ client }: Context): Promise<{ runtimeName: string }> {
  const end = performance.now() + 10_000;
  for (;;) {
    try {
      return await client.call(Version, {}, LIMITS);
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(20);
    }
  }
}
