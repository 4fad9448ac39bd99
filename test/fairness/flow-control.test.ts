/** What becomes of requests, by the schemas and levels that are there: on a clock of its own. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { Query } from '../../runtime/endpoints/request/request-info.ts';
import { BORROWING_PERIOD, FlowControl, type FlowRequest, type FlowTurn } from '../../runtime/fairness/flow-control.ts';
import { dumpPriorityLevels, dumpQueues, dumpRequests } from '../../runtime/fairness/flow-dumps.ts';
import { InflightLimits } from '../../runtime/fairness/inflight-limits.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { LongObject } from '../../runtime/registry/stored-objects/long-value.ts';
import { TestClock } from './flow-clock.ts';

class Objects {
  changes = 0;
  isLong = false;
  readonly #objects: Map<string, ApiObject>;

  constructor(...objects: ApiObject[]) {
    this.#objects = new Map(objects.map((object) => [object.metadata.name as string, object]));
  }

  in(): ApiObject[] {
    if (this.isLong) throw new LongObject();
    return [...this.#objects.values()];
  }

  put(object: ApiObject): void {
    this.changes++;
    this.#objects.set(object.metadata.name as string, object);
  }

  delete(name: string): void {
    this.changes++;
    this.#objects.delete(name);
  }
}

const level = (name: string, spec: object): ApiObject =>
  ({ apiVersion: 'v1', kind: 'PriorityLevelConfiguration', metadata: { name, uid: `level-${name}` }, spec }) as ApiObject;
const rejecting = (name: string, shares: number, more: object = {}): ApiObject =>
  level(name, { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' }, ...more } });
const queueing = (
  name: string,
  shares: number,
  more: object = {},
  queuing: object = { queues: 8, handSize: 2, queueLengthLimit: 3 },
): ApiObject =>
  level(name, { type: 'Limited', limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Queue', queuing }, ...more } });
const LONG = { queues: 1, handSize: 1, queueLengthLimit: 500 };
/** For one user. */
const schema = (user: string, levelName: string, precedence = 100): ApiObject =>
  ({
    apiVersion: 'v1',
    kind: 'FlowSchema',
    metadata: { name: `of-${user}`, uid: `schema-${user}` },
    spec: {
      priorityLevelConfiguration: { name: levelName },
      matchingPrecedence: precedence,
      distinguisherMethod: { type: 'ByNamespace' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: user } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
        },
      ],
    },
  }) as ApiObject;

interface Asked {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly verb?: string;
  readonly namespace?: string;
  readonly query?: string;
  /** milliseconds */
  readonly time?: number;
  readonly signal?: AbortSignal;
}

function control(
  levels: Objects,
  schemas: Objects,
  { seats = 10, objects = 0, watchers = 0, unread = '', consistentFromCache = true } = {},
) {
  const clock = new TestClock();
  const metrics = new Metrics(metricsData);
  const flow = new FlowControl<FlowRequest>({
    seats,
    schemas,
    levels,
    work: { objects: () => objects, watchers: () => watchers, consistentFromCache },
    unread: { isHeldBy: (user) => user === unread },
    patience: 15_000,
    metrics,
    clock,
  });
  const users = new Map<string, FlowRequest['user']>();
  const ask = ({
    user = 'alice',
    groups = ['system:authenticated'],
    verb = 'get',
    namespace = 'default',
    query = '',
    time,
    signal,
  }: Asked = {}) => {
    const known = users.get(user) ?? { name: user, groups };
    users.set(user, known);
    const request: FlowRequest = {
      user: known,
      info: {
        isResource: true,
        verb,
        path: '/api/v1/pods',
        namespace,
        group: '',
        version: 'v1',
        resource: 'pods',
        subresource: '',
        name: '',
        query: new Query(query),
      },
      received: clock.now(),
      ...(time !== undefined && { deadline: clock.now() + time }),
      signal: signal ?? new AbortController().signal,
    };
    return flow.begin(request, verb === 'watch');
  };
  return { clock, flow, metrics, ask };
}

/** @throws Error for a turn that is waited for */
function atOnce(turn: FlowTurn | Promise<FlowTurn> | undefined): FlowTurn {
  if (turn === undefined || turn instanceof Promise) throw new Error('it is not its turn');
  return turn;
}
/** What became of one that waits, as far as it is known. */
function outcome(turn: FlowTurn | Promise<FlowTurn> | undefined): { turn?: FlowTurn } {
  const known: { turn?: FlowTurn } = {};
  assert.ok(turn instanceof Promise);
  void (turn as Promise<FlowTurn>).then((got) => {
    known.turn = got;
  });
  return known;
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

const test = suite('flow control');
test('without any objects all but administrators share one level that rejects', () => {
  const { ask } = control(new Objects(), new Objects(), { seats: 2 });
  const turns = [atOnce(ask()), atOnce(ask())];
  assert.equal([turns[0]?.schema.name, turns[0]?.mayRun], ['catch-all', true]);
  assert.equal([atOnce(ask()).refusal, atOnce(ask()).mayRun], ['concurrency-limit', false]);
  const admin = atOnce(ask({ user: 'admin', groups: ['system:masters'] }));
  assert.equal([admin.schema.name, admin.mayRun], ['exempt', true]);
  turns[0]?.end();
  turns[0]?.end();
  assert.ok(atOnce(ask()).mayRun);
  assert.not.ok(atOnce(ask()).mayRun);
});
test('says by which objects it decided', () => {
  const { ask } = control(new Objects(queueing('small', 10)), new Objects(schema('alice', 'small')));
  const { schemaUid, levelUid } = atOnce(ask());
  assert.equal([schemaUid, levelUid], ['schema-alice', 'level-small']);
});
test('a level of no shares that rejects lets nobody through', () => {
  const { ask } = control(new Objects(rejecting('none', 0)), new Objects(schema('alice', 'none')));
  assert.is(atOnce(ask()).refusal, 'concurrency-limit');
});
test('a level of no shares that rejects lets nobody through later either, whatever others lend', () => {
  const levels = new Objects(
    rejecting('none', 0),
    queueing('calm', 30, { lendablePercent: 50 }),
    queueing('free', 30, { lendablePercent: 90 }),
  );
  const { ask, flow, clock } = control(levels, new Objects(schema('alice', 'none'), schema('bob', 'calm')), { seats: 600 });
  for (let period = 0; period < 50; period++) {
    for (let i = 0; i < 10; i++) assert.is(atOnce(ask()).refusal, 'concurrency-limit');
    atOnce(ask({ user: 'bob' })).end();
    clock.pass(BORROWING_PERIOD);
  }
  assert.equal([flow.levels.get('none')?.queues.limit, flow.levels.get('none')?.queues.counts.dispatched], [0, 0]);
});
test('whoever does not take their answers is refused, but for administrators', () => {
  const { ask } = control(new Objects(queueing('small', 10)), new Objects(schema('alice', 'small'), schema('bob', 'small')), {
    unread: 'alice',
  });
  assert.equal([atOnce(ask()).refusal, atOnce(ask()).schemaUid], ['concurrency-limit', 'schema-alice']);
  assert.ok(atOnce(ask({ user: 'bob' })).mayRun);
  const admin = control(new Objects(), new Objects(), { unread: 'admin' });
  assert.ok(atOnce(admin.ask({ user: 'admin', groups: ['system:masters'] })).mayRun);
});
test('a list that waits for its client leaves its seats to others, and is counted without its rest', async () => {
  const { ask, flow, clock, metrics } = control(
    new Objects(queueing('small', 10)),
    new Objects(schema('alice', 'small'), schema('bob', 'small')),
    {
      seats: 1,
    },
  );
  const list = atOnce(ask({ verb: 'list' }));
  const waiting = outcome(ask({ user: 'bob' }));
  clock.pass(10);
  list.rest();
  await settle();
  assert.ok(waiting.turn?.mayRun);
  assert.match(dumpRequests(flow.levels.all, false), /small, +of-bob/);
  assert.not.match(dumpRequests(flow.levels.all, false), /small, +of-alice/);
  clock.pass(2_000);
  const resuming = list.resume();
  assert.ok(resuming instanceof Promise);
  waiting.turn?.end();
  await resuming;
  clock.pass(10);
  list.end();
  assert.ok(flow.levels.get('small')?.queues.isIdle);
  const { body } = await metrics.text();
  assert.match(body, /request_execution_seconds_sum\{flow_schema="of-alice",priority_level="small",type="regular"\} 0\.02\n/);
});
test('a list that is next and needs more seats than are free is counted', async () => {
  const { ask, flow, metrics } = control(
    new Objects(queueing('small', 10, { lendablePercent: 0 })),
    new Objects(schema('alice', 'small'), schema('bob', 'small')),
    {
      seats: 600,
      objects: 350,
    },
  );
  const free = (): number => {
    const { limit = 0, seatsInUse = 0 } = flow.levels.get('small')?.queues ?? {};
    return limit - seatsInUse;
  };
  do assert.ok(atOnce(ask({ user: 'bob' })).mayRun);
  while (free() > 1);
  const waiting = outcome(ask({ verb: 'list' }));
  assert.is(waiting.turn, undefined);
  const { body } = await metrics.text();
  const counted = /^apiserver_flowcontrol_request_dispatch_no_accommodation_total(.*)$/gm;
  assert.equal(
    [...body.matchAll(counted)].map(([, row]) => row),
    ['{flow_schema="of-alice",priority_level="small"} 1'],
  );
});
test('a list whose client goes while it waits to go on waits no longer', async () => {
  const { ask, flow } = control(new Objects(queueing('small', 10)), new Objects(schema('alice', 'small'), schema('bob', 'small')), {
    seats: 1,
  });
  const gone = new AbortController();
  const list = atOnce(ask({ verb: 'list', signal: gone.signal }));
  list.rest();
  const other = atOnce(ask({ user: 'bob' }));
  const resuming = list.resume();
  gone.abort();
  await resuming;
  assert.is(flow.levels.get('small')?.queues.waiting, 0);
  list.end();
  other.end();
  assert.equal([flow.levels.get('small')?.queues.isIdle, flow.levels.get('small')?.queues.seatsInUse], [true, 0]);
});
test('a request waits for a quarter of its time, a minute at most, and patience where it has none', async () => {
  for (const [time, waits] of [
    [8_000, 2_000],
    [3_600_000, 60_000],
    [undefined, 15_000],
  ] as const) {
    const { ask, clock } = control(new Objects(queueing('none', 0)), new Objects(schema('alice', 'none')));
    const known = outcome(ask(time === undefined ? { verb: 'watch' } : { time }));
    clock.pass(waits - 1);
    await settle();
    assert.is(known.turn, undefined);
    clock.pass(1);
    await settle();
    assert.is(known.turn?.refusal, 'time-out');
  }
});
test('a request whose client goes waits no longer', async () => {
  const { ask, flow } = control(new Objects(queueing('none', 0)), new Objects(schema('alice', 'none')));
  const client = new AbortController();
  const known = outcome(ask({ signal: client.signal }));
  const gone = outcome(ask({ signal: AbortSignal.abort() }));
  client.abort();
  await settle();
  assert.equal([known.turn?.refusal, gone.turn?.refusal], ['cancelled', 'cancelled']);
  assert.is(flow.levels.get('none')?.queues.waiting, 0);
});
test('long-running requests wait for nothing, watches until they have begun', () => {
  const { ask, flow } = control(new Objects(queueing('small', 10)), new Objects(schema('alice', 'small')));
  const watching = atOnce(ask({ verb: 'watch' }));
  assert.is(flow.levels.get('small')?.queues.executing, 1);
  watching.end();
  assert.is(flow.levels.get('small')?.queues.seatsInUse, 0);
  const request = { ...watching.request, info: { ...watching.request.info, verb: 'get', subresource: 'exec' } };
  assert.is(flow.begin(request, true), undefined);
});
for (const consistentFromCache of [true, false])
  test(`lists take seats by what they will return, those of the newest state ${consistentFromCache ? 'too' : 'more'}`, () => {
    const { ask, flow } = control(new Objects(queueing('small', 10, { lendablePercent: 0 })), new Objects(schema('alice', 'small')), {
      seats: 600,
      objects: 350,
      consistentFromCache,
    });
    const seatsOf = (query: string): number => {
      const turn = atOnce(ask({ verb: 'list', query }));
      const seatsInUse = flow.levels.get('small')?.queues.seatsInUse ?? 0;
      turn.end();
      return seatsInUse;
    };
    const newest = consistentFromCache ? 4 : 7;
    const queries = ['resourceVersion=0', '', 'limit=100', 'fieldSelector=metadata.name=a'];
    assert.equal(queries.map(seatsOf), [4, newest, 2, 1]);
  });
test('writes keep seats for their watchers', () => {
  const { ask, flow, clock } = control(new Objects(queueing('small', 10)), new Objects(schema('alice', 'small')), {
    seats: 600,
    watchers: 29,
  });
  atOnce(ask({ verb: 'create' })).end();
  const { queues } = flow.levels.get('small') as { queues: { seatsInUse: number } };
  assert.is(queues.seatsInUse, 3);
  clock.pass(5);
  assert.is(queues.seatsInUse, 0);
});
const broken: [name: string, levels: ApiObject[], schemas: ApiObject[]][] = [
  ['a schema whose level is not there', [], [schema('alice', 'small')]],
  ['a level without a spec', [level('small', undefined as never)], [schema('alice', 'small')]],
  ['a level of another type than its members', [level('small', { type: 'Limited', exempt: {} })], [schema('alice', 'small')]],
  ['an exempt level of another name', [level('small', { type: 'Exempt', exempt: {} })], [schema('alice', 'small')]],
  [
    'a hand larger than the queues',
    [queueing('small', 10, {}, { queues: 2, handSize: 4, queueLengthLimit: 3 })],
    [schema('alice', 'small')],
  ],
  [
    'a schema without rules',
    [queueing('small', 10)],
    [{ ...schema('alice', 'small'), spec: { priorityLevelConfiguration: { name: 'small' } } } as ApiObject],
  ],
  ['a schema without a spec', [queueing('small', 10)], [{ ...schema('alice', 'small'), spec: undefined } as never]],
];
for (const [name, levels, schemas] of broken)
  test(`${name} counts as if it were not there`, () => {
    const { ask } = control(new Objects(...levels), new Objects(...schemas));
    assert.is(atOnce(ask()).schema.name, 'catch-all');
  });
test('a change counts from the next request on, and requests keep their places', async () => {
  const levels = new Objects(queueing('small', 0));
  const schemas = new Objects(schema('alice', 'small'));
  const { ask, flow } = control(levels, schemas);
  const waiting = outcome(ask({ time: 40_000 }));
  schemas.delete('of-alice');
  assert.is(atOnce(ask()).schema.name, 'catch-all');
  levels.delete('small');
  atOnce(ask());
  assert.equal(
    flow.levels.all.map(({ name, isQuiescing }) => [name, isQuiescing]),
    [
      ['catch-all', false],
      ['exempt', false],
      ['small', true],
    ],
  );
  await settle();
  assert.is(waiting.turn, undefined);
  levels.put(queueing('small', 10));
  atOnce(ask());
  await settle();
  assert.ok(waiting.turn?.mayRun);
  levels.delete('small');
  atOnce(ask());
  assert.ok(flow.levels.all.some(({ name }) => name === 'small'));
  waiting.turn?.end();
  flow.levels.rebalance();
  assert.not.ok(flow.levels.all.some(({ name }) => name === 'small'));
});
test('an object that takes long to read counts when it was read', () => {
  const levels = new Objects(queueing('small', 10));
  const schemas = new Objects(schema('alice', 'small'));
  schemas.isLong = true;
  const { ask } = control(levels, schemas);
  assert.is(atOnce(ask()).schema.name, 'catch-all');
  schemas.isLong = false;
  assert.is(atOnce(ask()).schema.name, 'of-alice');
});
test('a level that could use more borrows what others lend, and gives it back', () => {
  const levels = new Objects(queueing('busy', 10, { lendablePercent: 50 }, LONG), queueing('calm', 30, { lendablePercent: 50 }, LONG));
  const { ask, flow, clock } = control(levels, new Objects(schema('alice', 'busy'), schema('bob', 'calm')), { seats: 90 });
  const limits = () => ['busy', 'calm'].map((name) => flow.levels.get(name)?.queues.limit as number);
  const nominal = ['busy', 'calm'].map((name) => flow.levels.get(name)?.nominal);
  atOnce(ask());
  assert.equal(
    ['busy', 'calm'].map((name) => flow.levels.get(name)?.nominal),
    [20, 60],
  );
  assert.equal(nominal, [undefined, undefined]);
  const turns = Array.from({ length: 200 }, () => ask({ time: 10 * 60_000 }));
  for (let period = 0; period < 3; period++) clock.pass(BORROWING_PERIOD);
  const [busy = 0, calm = 0] = limits();
  assert.ok(busy >= 45 && calm >= 30 && calm <= 34, `${busy} and ${calm}`);
  assert.ok(turns.length === 200);
  // who lends has its own back when it could use it: one period later
  for (let i = 0; i < 80; i++) ask({ user: 'bob', time: 10 * 60_000 });
  clock.pass(BORROWING_PERIOD);
  const [, back = 0] = limits();
  assert.ok(back >= 60, `${back}`);
});
test('a level borrows no more than its limit', () => {
  const levels = new Objects(queueing('busy', 10, { borrowingLimitPercent: 50 }, LONG), queueing('calm', 30, { lendablePercent: 100 }));
  const { ask, flow, clock } = control(levels, new Objects(schema('alice', 'busy')), { seats: 90 });
  for (let i = 0; i < 200; i++) ask({ time: 10 * 60_000 });
  for (let period = 0; period < 5; period++) clock.pass(BORROWING_PERIOD);
  assert.is(flow.levels.get('busy')?.queues.limit, 30);
});
test('keeps figures of the latest levels and schemas that are gone, forgets those before, and keeps those of others', async () => {
  const levels = new Objects(queueing('kept', 10));
  const schemas = new Objects(schema('alice', 'kept'));
  const { ask, metrics } = control(levels, schemas);
  const rows = async () => (await metrics.text()).body.split('\n').filter((line) => !line.startsWith('#'));
  const serve = async (name: string): Promise<readonly string[]> => {
    levels.put(queueing(name, 10));
    schemas.put(schema(name, name));
    for (const user of ['alice', name]) {
      const turn = atOnce(ask({ user }));
      await rows();
      turn.end();
    }
    const shown = await rows();
    levels.delete(name);
    schemas.delete(`of-${name}`);
    atOnce(ask()).end();
    return shown;
  };
  const first = await serve('first');
  const shows = (lines: readonly string[], name: string) => lines.some((line) => line.includes(`of-${name}"`));
  assert.ok(shows(first, 'first'));
  for (let i = 0; i < 40; i++) await serve(`next-${i}`);
  const { length } = await rows();
  for (let i = 40; i < 60; i++) await serve(`next-${i}`);
  const shown = await rows();
  assert.equal(
    ['first', 'next-0', 'next-59'].map((name) => shows(shown, name)),
    [false, false, true],
  );
  assert.is(shown.length, length);
  assert.ok(shown.includes('apiserver_flowcontrol_dispatched_requests_total{flow_schema="of-alice",priority_level="kept"} 122'));
});
test('counts what it did', async () => {
  const { ask, metrics, clock } = control(
    new Objects(queueing('small', 10, {}, { queues: 1, handSize: 1, queueLengthLimit: 1 })),
    new Objects(schema('alice', 'small')),
    {
      seats: 1,
    },
  );
  const turn = atOnce(ask());
  const waiting = outcome(ask({ time: 4_000 }));
  assert.is(atOnce(ask()).refusal, 'queue-full');
  const lines = async () =>
    (await metrics.text()).body.split('\n').filter((line) => line.includes('of-alice') && !line.includes('_bucket') && !/ 0$/.test(line));
  const flow = '{flow_schema="of-alice",priority_level="small"';
  const shown = await lines();
  for (const line of [
    `apiserver_flowcontrol_dispatched_requests_total${flow}} 1`,
    `apiserver_flowcontrol_rejected_requests_total${flow},reason="queue-full"} 1`,
    `apiserver_flowcontrol_current_inqueue_requests${flow}} 1`,
    `apiserver_flowcontrol_current_inqueue_seats${flow}} 1`,
    `apiserver_flowcontrol_current_executing_requests${flow}} 1`,
    `apiserver_flowcontrol_current_executing_seats${flow}} 1`,
    `apiserver_flowcontrol_work_estimated_seats_count${flow}} 3`,
  ])
    assert.ok(shown.includes(line), line);
  clock.pass(1_000);
  await settle();
  assert.is(waiting.turn?.refusal, 'time-out');
  turn.end();
  const later = await lines();
  assert.ok(later.includes(`apiserver_flowcontrol_rejected_requests_total${flow},reason="time-out"} 1`));
  assert.ok(later.includes(`apiserver_flowcontrol_request_wait_duration_seconds_sum{execute="false",${flow.slice(1)}} 1`));
  assert.ok(later.includes(`apiserver_flowcontrol_request_execution_seconds_count${flow},type="regular"} 1`));
  assert.not.ok(later.some((line) => line.includes('current_')));
});
test('shows what it does in tables', () => {
  const { ask, flow } = control(
    new Objects(queueing('small', 10, {}, { queues: 2, handSize: 1, queueLengthLimit: 5 })),
    new Objects(schema('alice', 'small')),
    { seats: 1 },
  );
  atOnce(ask({ namespace: 'a\nb' }));
  ask({ verb: 'create', namespace: 'other' });
  const levels = dumpPriorityLevels(flow.levels.all).split('\n');
  assert.match(levels[0] as string, /^PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, /);
  assert.is(
    levels[3],
    'small,             1,            false,  false,       1,               1,                 1,                  0,                0,                0',
  );
  const queues = dumpQueues(flow.levels.all).trim().split('\n');
  assert.is(queues.length, 3);
  assert.match(queues.join('\n'), /small, +\d, +\d, +1, +1, +0\.00300000ss, +\d, +\d, +0\.00\d00000ss/);
  const requests = dumpRequests(flow.levels.all, true).trim().split('\n');
  assert.is(requests.length, 3);
  assert.match(
    requests[1] as string,
    /^small, +of-alice, +\d, +-1, +a\?b, +\d{4}-\S+Z, +1, +0, +0s, +\d{4}-\S+Z, +alice, +get, +\/api\/v1\/pods, +a\?b, +, +v1, +pods, *$/,
  );
  assert.match(requests[2] as string, /^small, +of-alice, +\d, +0, +other, .* 0001-01-01T00:00:00Z, +alice, +create,/);
  assert.is(dumpRequests(flow.levels.all, false).split('\n')[0]?.includes('UserName'), false);
});
test.run();

const limits = suite('the limits without flow control');
const NOBODY = { isHeldBy: () => false };
const asked = (verb: string, ...groups: string[]) => ({ user: { name: 'alice', groups }, info: { verb } });
limits('hold reads and writes apart', () => {
  const flow = new InflightLimits({ readOnly: 1, mutating: 1 }, new Metrics(metricsData), NOBODY);
  const read = flow.begin(asked('get'), false);
  assert.equal([read?.mayRun, flow.begin(asked('list'), false)?.mayRun], [true, false]);
  assert.ok(flow.begin(asked('create'), false)?.mayRun);
  assert.not.ok(flow.begin(asked('delete'), false)?.mayRun);
  read?.end();
  assert.ok(flow.begin(asked('list'), false)?.mayRun);
});
limits('hold for nobody of system:masters, and for nothing that lasts', () => {
  const flow = new InflightLimits({ readOnly: 1, mutating: 0 }, new Metrics(metricsData), NOBODY);
  flow.begin(asked('get'), false);
  assert.is(flow.begin(asked('get', 'system:masters'), false), undefined);
  assert.is(flow.begin(asked('watch'), true), undefined);
  assert.is(flow.begin(asked('create'), false), undefined);
});
limits('do not count what rests', () => {
  const flow = new InflightLimits({ readOnly: 1, mutating: 1 }, new Metrics(metricsData), NOBODY);
  const list = flow.begin(asked('list'), false);
  list?.rest();
  const read = flow.begin(asked('get'), false);
  assert.ok(read?.mayRun);
  list?.resume();
  read?.end();
  assert.not.ok(flow.begin(asked('get'), false)?.mayRun);
  list?.end();
  assert.ok(flow.begin(asked('get'), false)?.mayRun);
});
limits('refuse who does not take their answers', () => {
  const flow = new InflightLimits({ readOnly: 1, mutating: 1 }, new Metrics(metricsData), { isHeldBy: (user) => user === 'alice' });
  assert.not.ok(flow.begin(asked('get'), false)?.mayRun);
  assert.is(flow.begin(asked('get', 'system:masters'), false), undefined);
});
limits.run();
