/** Quotas as people make, read and exceed them with kubectl. One conversation. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithKubectl } from '../../harness/kubectl.ts';

const test = suite('kubectl and quotas');

const { server, kubectl } = await startWithKubectl();
test.after(async () => {
  await server.stop();
});

const pod = (name: string, cpu?: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', ...(cpu && { resources: { requests: { cpu } } }) }] },
});

interface Row {
  readonly run: string;
  readonly input?: unknown;
  readonly prints: RegExp | readonly RegExp[];
  /** default 0 */
  readonly code?: number;
  /** it is run until it prints that: who counts is not the one who asks */
  readonly soon?: true;
}

const ROWS: readonly Row[] = [
  { run: 'create quota q --hard=requests.cpu=1,pods=2,count/configmaps=2,services.nodeports=1', prints: /^resourcequota\/q created$/m },
  {
    run: 'get quota q',
    prints: /^q +\S+ +count\/configmaps: 1\/2, pods: 0\/2, requests\.cpu: 0\/1, services\.nodeports: 0\/1 *$/m,
    soon: true,
  },
  { run: 'create -f -', input: pod('one', '600m'), prints: /pod\/one created/ },
  {
    run: 'describe quota q',
    prints: [/^Resource +Used +Hard$/m, /^count\/configmaps +1 +2$/m, /^pods +1 +2$/m, /^requests\.cpu +600m +1$/m],
  },
  { run: 'describe namespace default', prints: [/^Resource Quotas/m, /requests\.cpu +600m +1$/m] },
  {
    run: 'create -f -',
    input: pod('two', '500m'),
    prints:
      /Error from server \(Forbidden\): .*pods "two" is forbidden: exceeded quota: q, requested: requests\.cpu=500m, used: requests\.cpu=600m, limited: requests\.cpu=1$/m,
    code: 1,
  },
  {
    run: 'create -f - --dry-run=server',
    input: pod('two', '500m'),
    prints: /exceeded quota: q/,
    code: 1,
  },
  {
    run: 'create -f -',
    input: pod('two'),
    prints: /pods "two" is forbidden: failed quota: q: must specify requests\.cpu for: c$/m,
    code: 1,
  },
  { run: 'create -f - --dry-run=server', input: pod('two', '400m'), prints: /pod\/two created \(server dry run\)/ },
  { run: 'create service nodeport np --tcp=80 --tcp=81', prints: /exceeded quota: q, requested: services\.nodeports=2/, code: 1 },
  { run: 'create configmap a', prints: /created/ },
  { run: 'create configmap b', prints: /configmaps "b" is forbidden: exceeded quota: q, requested: count\/configmaps=1, used/, code: 1 },
  { run: 'delete configmap a', prints: /deleted/ },
  { run: 'create configmap b', prints: /created/, soon: true },
  { run: 'delete pod one --now', prints: /deleted/ },
  { run: 'describe quota q', prints: [/^pods +0 +2$/m, /^requests\.cpu +0 +1$/m], soon: true },
  { run: 'create quota best --hard=pods=0 --scopes=BestEffort', prints: /created/ },
  { run: 'describe quota best', prints: [/^Scopes: +BestEffort$/m, /^pods +0 +0$/m], soon: true },
  { run: 'delete quota q', prints: /deleted/ },
  { run: 'create -f -', input: pod('two'), prints: /exceeded quota: best, requested: pods=1, used: pods=0, limited: pods=0/, code: 1 },
  { run: 'create -f -', input: pod('three', '5'), prints: /created/ },
  {
    run: 'create quota bad --hard=pods=-1',
    prints: /spec\.hard\[pods\]: Invalid value: "-1": must be greater than or equal to 0/,
    code: 1,
  },
];

/** Milliseconds. */
const PATIENCE = 10_000;

for (const [number, { run, input, prints, code = 0, soon }] of ROWS.entries())
  test(`${number}: ${run}`, async () => {
    const until = Date.now() + PATIENCE;
    const attempt = async () => {
      const output = await kubectl.try(run, input);
      return { code: output.code, text: output.stdout + output.stderr };
    };
    const isAsWanted = ({ code: ended, text }: { code: number | null; text: string }) =>
      ended === code && [prints].flat().every((pattern) => pattern.test(text));
    let output = await attempt();
    while (soon === true && !isAsWanted(output) && Date.now() < until) {
      await sleep(100);
      output = await attempt();
    }
    for (const pattern of [prints].flat()) assert.match(output.text, pattern);
    assert.is(output.code, code, output.text);
  });

test.run();
