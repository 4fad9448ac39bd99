import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serviceManager } from '../../runtime/main/service-manager.ts';
import type { Log } from '../../runtime/observability/log.ts';
import { lacksServiceManager, NotifySocket } from '../harness/notify-socket.ts';

const silent = () => {};
const errors: string[] = [];
const log: Log = { debug: silent, info: silent, warn: silent, error: (_, message) => void errors.push(message) };
const folder = await mkdtemp(path.join(tmpdir(), 'service-manager-'));
const { PATH } = process.env;
const unasked = (): boolean => {
  throw new Error('nobody is to ask');
};

const environment = suite('the environment of a service');
environment('is left without what is for this process alone', () => {
  const variables = { PATH, NOTIFY_SOCKET: '/nowhere/notify', WATCHDOG_USEC: '1000', WATCHDOG_PID: '1' };
  serviceManager(variables, log);
  assert.equal(variables, { PATH });
});
environment('without a socket: nobody is told, and nothing is asked', async () => {
  for (const variables of [
    { PATH, WATCHDOG_USEC: '1000' },
    { NOTIFY_SOCKET: '', WATCHDOG_USEC: '1000' },
  ]) {
    const manager = serviceManager(variables, log);
    manager.ready('x');
    manager.watchdog(unasked);
    await sleep(20);
    await manager.told();
  }
  assert.equal(errors, []);
});
environment('without systemd’s program: the log says so, once', async () => {
  const manager = serviceManager({ PATH: folder, NOTIFY_SOCKET: path.join(folder, 'none') }, log);
  manager.ready('x');
  manager.status('y');
  await manager.told();
  assert.equal(errors.splice(0), [
    'the service manager that NOTIFY_SOCKET names cannot be told how the server is, for there is no program systemd-notify here',
  ]);
});
environment.run();

const told = suite('a service manager');
told.after(() => rm(folder, { recursive: true }));
const missing = lacksServiceManager();
if (missing !== undefined) process.stdout.write(`SKIPPED: ${missing}\n`);
else
  for (const [what, address] of [
    ['a path', path.join(folder, 'notify')],
    ['a name of its own', `@service-manager-${process.pid}`],
  ] as const)
    told(`hears by ${what} how a service is, in order`, async () => {
      const socket = await NotifySocket.bind(address);
      try {
        const manager = serviceManager({ PATH, NOTIFY_SOCKET: address }, log);
        const before = process.hrtime.bigint() / 1_000n;
        manager.ready('serves\nat x');
        manager.reloading();
        manager.ready('again');
        manager.status('busy');
        manager.stopping(1_500.5);
        await manager.told();
        const after = process.hrtime.bigint() / 1_000n;
        assert.equal(errors, []);
        assert.equal(
          socket.messages.map(([first, ...rest]) => [first, ...rest.filter((member) => !/^MONOTONIC_USEC=/.test(member))]),
          [
            ['READY=1', 'STATUS=serves at x'],
            ['RELOADING=1', 'STATUS=reads its files again'],
            ['READY=1', 'STATUS=again'],
            ['STATUS=busy'],
            ['STOPPING=1', 'STATUS=ends, and answers what it has begun', 'EXTEND_TIMEOUT_USEC=1501000'],
          ],
        );
        const at = BigInt(socket.messages[1]?.find((member) => member.startsWith('MONOTONIC_USEC='))?.slice(15) ?? 0);
        assert.ok(before <= at && at <= after);
      } finally {
        socket.close();
      }
    });
if (missing === undefined)
  told('is asked for time as often as a start has gone on, and never by one that hangs', async () => {
    const address = path.join(folder, 'start');
    const socket = await NotifySocket.bind(address);
    const alive = setInterval(() => {}, 60_000);
    try {
      const manager = serviceManager({ PATH, NOTIFY_SOCKET: address }, log, { every: 20, extension: 1_500.5 });
      const progress = manager.starting();
      const silence = async (): Promise<void> => {
        const { length } = socket.messages;
        await sleep(200);
        await manager.told();
        assert.is(socket.messages.length, length);
      };
      await silence();
      for (const doing of ['page 1', 'page 2', 'page 1']) {
        progress(doing);
        const last = socket.messages.length;
        assert.equal(await socket.has(`STATUS=starts: ${doing}`, last), [`STATUS=starts: ${doing}`, 'EXTEND_TIMEOUT_USEC=1501000']);
        // who says the same again has not gone on
        progress(doing);
        await silence();
      }
      progress('page 3');
      manager.ready('serves');
      progress('page 4');
      await socket.has('READY=1');
      await silence();
      assert.is(socket.messages.length, 4);
      assert.equal(errors, []);
    } finally {
      clearInterval(alive);
      socket.close();
    }
  });
if (missing === undefined)
  told('hears from the watchdog as long as the service serves, until it ends', async () => {
    const address = path.join(folder, 'watchdog');
    const socket = await NotifySocket.bind(address);
    try {
      const manager = serviceManager({ PATH, NOTIFY_SOCKET: address, WATCHDOG_USEC: '30000', WATCHDOG_PID: String(process.pid) }, log);
      const asked = Promise.withResolvers<void>();
      let serves = false;
      let times = 0;
      manager.watchdog(() => {
        if (++times === 5) asked.resolve();
        return serves;
      });
      // what asks keeps no process alive
      const alive = setInterval(() => {}, 60_000);
      await asked.promise;
      await manager.told();
      assert.equal(socket.messages, []);
      serves = true;
      await socket.has('WATCHDOG=1');
      manager.stopping(0);
      await manager.told();
      // the program that tells may be heard of before what it has told
      await socket.has('STOPPING=1');
      clearInterval(alive);
      const { length } = socket.messages;
      assert.is(socket.messages.at(-1)?.[0], 'STOPPING=1');
      await sleep(100);
      assert.is(socket.messages.length, length);
    } finally {
      socket.close();
    }
  });
told('does not hear from the watchdog of another process', async () => {
  const manager = serviceManager({ PATH, NOTIFY_SOCKET: path.join(folder, 'x'), WATCHDOG_USEC: '3000', WATCHDOG_PID: '1' }, log);
  manager.watchdog(unasked);
  await sleep(30);
});
told.run();
