/** An unmodified kubectl of today works with servers that have the API of releases from 1.27 on, and is told what these do not have. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareReleases } from '../../../runtime/contract/lifespan.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';
import { findKubectl, KUBECTL_MISSING, Kubectl } from '../../harness/kubectl.ts';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
const objects = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', labels }, data: { a: 'b' } },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', labels }, spec: { selector: labels, ports: [{ port: 80 }] } },
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', labels }, spec: { selector: { matchLabels: labels }, template } },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly', labels },
    spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } } },
  },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', labels },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  },
];
const list = (image: string) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }).replaceAll('web:1', image);
const flowSchema = (version: string) => ({
  apiVersion: `flowcontrol.apiserver.k8s.io/${version}`,
  kind: 'FlowSchema',
  metadata: { name: 'mine' },
  spec: { priorityLevelConfiguration: { name: 'exempt' } },
});

interface Row {
  readonly run: string | readonly string[];
  readonly input?: unknown;
  readonly prints: RegExp | readonly RegExp[];
  readonly lacks?: RegExp;
  /** default 0 */
  readonly code?: number;
  /** the first release that it is for, and the first that it is not for */
  readonly since?: string;
  readonly until?: string;
}

const rowsAt = (release: string): readonly Row[] => [
  { run: 'version', prints: [new RegExp(`^Server Version: v${release.replace('.', '\\.')}\\.`, 'm')] },
  {
    run: 'api-resources',
    prints: [
      /^deployments +deploy +apps\/v1 +true +Deployment$/m,
      /^cronjobs +cj +batch\/v1 +true +CronJob$/m,
      compareReleases(release, '1.29') < 0
        ? /^flowschemas +flowcontrol\.apiserver\.k8s\.io\/v1beta3 /m
        : /^flowschemas +flowcontrol\.apiserver\.k8s\.io\/v1 /m,
    ],
    lacks: /alpha|podsecuritypolicies/,
  },
  { run: 'api-versions', prints: /^admissionregistration\.k8s\.io\/v1$/m },
  { run: 'apply -f -', input: list('web:1'), prints: [/^deployment\.apps\/web created$/m, /^cronjob\.batch\/nightly created$/m] },
  {
    run: 'apply -f -',
    input: list('web:1'),
    prints: [/^deployment\.apps\/web unchanged$/m, /^horizontalpodautoscaler\.autoscaling\/web unchanged$/m],
  },
  { run: 'apply -f -', input: list('web:2'), prints: [/^configmap\/settings unchanged$/m, /^deployment\.apps\/web configured$/m] },
  {
    run: 'apply --server-side --force-conflicts -f -',
    input: list('web:3'),
    prints: [/^service\/web serverside-applied$/m, /^deployment\.apps\/web serverside-applied$/m],
  },
  {
    run: 'get deploy,svc,cm,cj,hpa -l app=web -o wide',
    prints: [
      /^deployment\.apps\/web +0\/1 +0 +0 +\S+ +web +web:3 +app=web$/m,
      /^service\/web +ClusterIP /m,
      /^cronjob\.batch\/nightly +0 3 \* \* \* +/m,
    ],
  },
  { run: 'get cj nightly', prints: /^NAME +SCHEDULE +SUSPEND /m, until: '1.30' },
  { run: 'get cj nightly', prints: /^NAME +SCHEDULE +TIMEZONE +SUSPEND /m, since: '1.30' },
  { run: 'get deploy web -o jsonpath={.spec.template.spec.containers[0].image}', prints: /^web:3$/ },
  { run: 'explain deployment.spec.strategy.rollingUpdate', prints: [/^VERSION: +v1$/m, /^ +maxSurge\t<IntOrString>$/m] },
  ...fieldRows('job.spec.podReplacementPolicy', '1.28'),
  ...fieldRows('job.spec.managedBy', '1.30'),
  ...fieldRows('pod.spec.securityContext.supplementalGroupsPolicy', '1.31'),
  { run: 'describe deploy web', prints: [/^Name: +web$/m, /Image: +web:3/, /^Replicas: +1 desired/m] },
  { run: 'describe svc web', prints: [/^Type: +ClusterIP$/m, /^Port: +<unset> +80\/TCP$/m] },
  { run: 'rollout restart deploy/web', prints: /web restarted$/m },
  { run: 'rollout status deploy/web --timeout=1s --watch=false', prints: /Waiting for deployment spec update to be observed/ },
  { run: 'rollout history deploy/web', prints: /No rollout history found/ },
  {
    run: 'apply -f -',
    input: flowSchema('v1beta2'),
    prints: [
      /^Warning: flowcontrol\.apiserver\.k8s\.io\/v1beta2 FlowSchema is deprecated in v1\.26\+, unavailable in v1\.29\+; use flowcontrol\.apiserver\.k8s\.io\/v1beta3 FlowSchema$/m,
      /mine created$/m,
    ],
    until: '1.29',
  },
  { run: 'apply -f -', input: flowSchema('v1beta2'), prints: /no matches for kind "FlowSchema"/, code: 1, since: '1.29' },
  { run: 'apply -f -', input: flowSchema('v1'), prints: /no matches for kind "FlowSchema"/, code: 1, until: '1.29' },
  { run: 'apply -f -', input: flowSchema('v1'), prints: /^flowschema\S* created$/m, lacks: /Warning: .*deprecated/, since: '1.29' },
  {
    run: 'delete deploy,svc,cm,cj,hpa -l app=web',
    prints: [
      /^deployment\.apps "web" deleted( from default namespace)?$/m,
      /^cronjob\.batch "nightly" deleted( from default namespace)?$/m,
    ],
  },
  { run: 'get deploy,svc,cm,cj,hpa -l app=web', prints: /^No resources found in default namespace\.$/m },
];

/** A field that came with a release is explained, and taken, from then on. */
function fieldRows(field: string, since: string): Row[] {
  return [
    { run: `explain ${field}`, prints: [/^FIELD: /m, /^DESCRIPTION:$/m], since },
    { run: `explain ${field}`, prints: /field ".*" does not exist/, code: 1, until: since },
  ];
}

const isFor = ({ since, until }: Row, release: string): boolean =>
  (since === undefined || compareReleases(since, release) <= 0) && (until === undefined || compareReleases(release, until) < 0);

const program = await findKubectl();
const test = suite('kubectl of today with earlier releases');
if (program === undefined) console.log(KUBECTL_MISSING);
else
  for (const release of ['1.27', '1.28', '1.29', '1.30', '1.31'])
    test(release, async () => {
      const directory = mkdtempSync(path.join(tmpdir(), 'kubectl-release-'));
      const flags = { 'emulated-release': release, 'disable-admission-plugins': ['ServiceAccount'] };
      const server = await startServer({ dialect: 'kubernetes', log: false, flags });
      try {
        const kubeconfig = path.join(directory, 'config');
        writeFileSync(kubeconfig, server.clientConfig.kubeconfig, { mode: 0o600 });
        const kubectl = await Kubectl.create(program, { kubeconfig, directory });
        for (const { run, input, prints, lacks, code = 0 } of rowsAt(release).filter((row) => isFor(row, release))) {
          const output = await kubectl.try(run, input);
          const said = output.stdout + output.stderr;
          assert.is(output.code, code, `${run}\n${said}`);
          for (const expected of [prints].flat()) assert.match(said, expected, `${run}\n${said}`);
          if (lacks !== undefined) assert.not.match(said, lacks, `${run}\n${said}`);
        }
      } finally {
        await server.stop();
        rmSync(directory, { recursive: true, force: true });
      }
    });
test.run();
