/**
 * Paths of node agents that this one does not support, because it runs no pods. Callers with rights get a 501 that says so, so that they do not look for
 * a wrong address. Others are refused as on all paths.
 */
import { type AgentContext, type AgentPart, AgentProblem, type AgentRoute } from '../contract/part.ts';

type Method = AgentRoute['method'];

interface Unsupported {
  readonly what: string;
  readonly methods: readonly Method[];
  /** of nodes, as 1.32 has it */
  readonly subresource: string;
  readonly paths: readonly string[];
}

const CONTAINER = '{namespace}/{pod}/{container}';
const CONTAINER_BY_UID = '{namespace}/{pod}/{uid}/{container}';
const BOTH: readonly Method[] = ['GET', 'POST'];

const ALL: readonly Unsupported[] = [
  { what: 'logs of containers', methods: ['GET'], subresource: 'proxy', paths: [`/containerLogs/${CONTAINER}`] },
  { what: 'commands in containers', methods: BOTH, subresource: 'proxy', paths: [`/exec/${CONTAINER}`, `/exec/${CONTAINER_BY_UID}`] },
  { what: 'commands in containers', methods: ['POST'], subresource: 'proxy', paths: [`/run/${CONTAINER}`, `/run/${CONTAINER_BY_UID}`] },
  { what: 'terminals of containers', methods: BOTH, subresource: 'proxy', paths: [`/attach/${CONTAINER}`, `/attach/${CONTAINER_BY_UID}`] },
  {
    what: 'forwarded ports',
    methods: BOTH,
    subresource: 'proxy',
    paths: ['/portForward/{namespace}/{pod}', '/portForward/{namespace}/{pod}/{uid}'],
  },
  { what: 'logs of the machine', methods: ['GET'], subresource: 'log', paths: ['/logs', '/logs/{file}'] },
  { what: 'figures of pods', methods: ['GET'], subresource: 'stats', paths: ['/stats/summary'] },
  {
    what: 'figures of pods',
    methods: ['GET'],
    subresource: 'metrics',
    paths: ['/metrics/cadvisor', '/metrics/probes', '/metrics/resource'],
  },
];

export async function startUnsupported(_context: AgentContext): Promise<AgentPart> {
  return { routes: ALL.flatMap(routesOf), stop: async () => {} };
}

function routesOf({ what, methods, subresource, paths }: Unsupported): AgentRoute[] {
  const handle: AgentRoute['handle'] = async () => {
    throw new AgentProblem(501, `this node agent runs no pods: it has no ${what}`);
  };
  return paths.flatMap((path) => methods.map((method) => ({ method, path, subresource, handle })));
}
