import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AgentContext, AgentProblem, type AgentRequest } from '../../../runtime/node-agent/contract/part.ts';
import { startUnsupported } from '../../../runtime/node-agent/unsupported/unsupported-part.ts';

const { routes = [] } = await startUnsupported({} as AgentContext);

const paths: [method: string, path: string, subresource: string, what: RegExp][] = [
  ['GET', '/containerLogs/{namespace}/{pod}/{container}', 'proxy', /no logs of containers$/],
  ['GET', '/exec/{namespace}/{pod}/{container}', 'proxy', /no commands in containers$/],
  ['POST', '/exec/{namespace}/{pod}/{uid}/{container}', 'proxy', /no commands in containers$/],
  ['POST', '/run/{namespace}/{pod}/{container}', 'proxy', /no commands in containers$/],
  ['POST', '/attach/{namespace}/{pod}/{container}', 'proxy', /no terminals of containers$/],
  ['POST', '/portForward/{namespace}/{pod}', 'proxy', /no forwarded ports$/],
  ['GET', '/logs/{file}', 'log', /no logs of the machine$/],
  ['GET', '/stats/summary', 'stats', /no figures of pods$/],
  ['GET', '/metrics/cadvisor', 'metrics', /no figures of pods$/],
];

const unsupported = suite('what the agent does not do');
for (const [method, path, subresource, what] of paths)
  unsupported(`${method} ${path}: 501 for who has rights to nodes/${subresource}`, async () => {
    const found = routes.filter((route) => route.method === method && route.path === path);
    assert.equal(
      found.map((route) => route.subresource),
      [subresource],
    );
    const error = await found[0]?.handle({} as AgentRequest).catch((thrown: unknown) => thrown);
    assert.instance(error, AgentProblem);
    assert.is((error as AgentProblem).status, 501);
    assert.match((error as AgentProblem).message, what);
  });
unsupported('no path is stated twice', () => {
  const all = routes.map(({ method, path }) => `${method} ${path}`);
  assert.is(new Set(all).size, all.length);
});
unsupported.run();
