import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RuntimeHealth } from '../../../runtime/node-agent/container-runtime/runtime-health.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { eventually } from '../../harness/eventually.ts';
import { closeRuntime, openRuntime, type RuntimeContext } from '../with-runtime.ts';

interface Context extends RuntimeContext {
  health: RuntimeHealth;
  warnings: object[];
}

const INTERVALS = { first: 10, later: 20, silence: 0 };

const healths = suite<Context>('readiness of the runtime');
healths.before.each(async (context) => {
  await openRuntime(context);
  context.warnings = [];
});
healths.after.each(async (context) => {
  await context.health.stop();
  closeRuntime(context);
});

function follow(context: Context, { isRequired = true, silence = INTERVALS.silence } = {}): RuntimeHealth {
  const none = (): void => {};
  const log: Log = { debug: none, info: none, error: none, warn: (fields) => context.warnings.push(fields) };
  context.health = new RuntimeHealth({ runtime: context.runtime, log, isRequired, intervals: { ...INTERVALS, silence } });
  return context.health;
}

/** Waits for a change after which it is so. */
async function until(health: RuntimeHealth, isSo: () => boolean): Promise<void> {
  const done = Promise.withResolvers<void>();
  const look = (): void => {
    if (isSo()) done.resolve();
  };
  health.onChange(look);
  look();
  await done.promise;
}

healths('a runtime that answers has a version and no problems', async (context) => {
  const health = follow(context);
  assert.equal(health.problems(), ['container runtime status check may not have completed yet']);
  health.start();
  await until(health, () => health.version() !== undefined);
  assert.is(health.version(), 'test://1.2.3');
  assert.equal(health.problems(), []);
});
healths('a runtime says what it lacks', async (context) => {
  context.test.conditions = [
    { type: 'RuntimeReady', status: true },
    { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady', message: 'cni plugin not initialized' },
    { type: 'Other', status: false },
  ];
  const health = follow(context);
  health.start();
  await until(health, () => health.version() !== undefined);
  assert.equal(health.problems(), [
    'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized',
  ]);
  context.test.conditions = [
    { type: 'NetworkReady', status: true },
    { type: 'RuntimeReady', status: true },
  ];
  await until(health, () => health.problems().length === 0);
});
healths('a runtime that does not say whether it is ready is not, and what is wrong has its order', async (context) => {
  context.test.conditions = [];
  const health = follow(context);
  health.start();
  await until(health, () => health.version() !== undefined);
  assert.equal(health.problems(), ['container runtime not ready: <nil>', 'container runtime network not ready: <nil>']);
  context.test.conditions = [
    { type: 'NetworkReady', status: false, reason: 'N', message: 'n' },
    { type: 'RuntimeReady', status: false, reason: 'R', message: 'r' },
  ];
  await until(health, () => health.problems()[0]?.includes('RuntimeReady') === true);
  assert.equal(health.problems(), [
    'container runtime not ready: RuntimeReady=false reason:R message:r',
    'container runtime network not ready: NetworkReady=false reason:N message:n',
  ]);
});
healths('a runtime that never answered is down, and found when it comes', async (context) => {
  context.test.stop();
  const health = follow(context);
  health.start();
  await until(health, () => health.problems().join() === 'container runtime is down');
  assert.is(health.version(), undefined);
  assert.is(context.warnings.length, 1);
  await context.test.start();
  await until(health, () => health.problems().length === 0);
});
healths('a runtime that falls silent for long is down', async (context) => {
  const health = follow(context, { silence: 0 });
  health.start();
  await until(health, () => health.version() !== undefined);
  context.test.failure = new InterfaceError('INTERNAL', 'broken');
  await until(health, () => health.problems().join() === 'container runtime is down');
  assert.is(health.version(), 'test://1.2.3');
  context.test.failure = undefined;
  await until(health, () => health.problems().length === 0);
});
healths('a runtime that falls silent for a short while is not down', async (context) => {
  const health = follow(context, { silence: 3_600_000 });
  health.start();
  await until(health, () => health.version() !== undefined);
  context.test.failure = new InterfaceError('INTERNAL', 'broken');
  await eventually('it warns', () => context.warnings.length > 0);
  assert.equal(health.problems(), []);
});
healths('a runtime that nobody asked for may be absent', async (context) => {
  context.test.stop();
  const health = follow(context, { isRequired: false });
  health.start();
  await until(health, () => true);
  assert.equal(health.problems(), []);
  await context.test.start();
  await until(health, () => health.version() === 'test://1.2.3');
  assert.equal(context.warnings, []);
});
healths.run();
