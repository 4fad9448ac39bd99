import type { IncomingMessage } from 'node:http';
import { answerOf } from '../../../connections/client-answer.ts';
import { hostPort } from '../../../connections/connection-problem.ts';
import { upgradeProtocol } from '../../../connections/upgrade.ts';
import type { ApiObject } from '../../../contract/object.ts';
import type { Target } from '../../../relay/dial.ts';
import { exchange } from '../../../relay/exchange.ts';
import { relayMessages } from '../../../relay/log-messages.ts';
import { nodeAgent, unverified } from '../../../relay/node-agents.ts';
import { chosenContainer, storedPod } from '../../../relay/pod-containers.ts';
import { explanation, redirection } from '../../../relay/relay-answer.ts';
import { clientSignal, failureText } from '../../../relay/relay-request.ts';
import { numberText } from '../../../schema/scalar/raw-number.ts';
import { newBadRequest, newInternalErrorOf, newInvalid, newServerAnswer, newUnknown, type StatusError } from '../../../status/status.ts';
import { objectErrors } from '../../../validation/kind-errors.ts';
import { decodeQuery } from '../../request/query-object.ts';
import type { ResourceRequest } from '../../resource-request.ts';

const TYPE = 'text/plain';

/** GET of a pod's `log`: what the node agent has of a container's output, as it comes. */
export async function log(request: ResourceRequest): Promise<void> {
  const { server, info, context } = request;
  server.negotiator.requireStream(context.req.headers.accept, TYPE);
  const options = await logOptions(request);
  const pod = await storedPod(server, info.namespace, info.name);
  const container = chosenContainer(pod, options.container ?? '');
  const node: string = pod.spec.nodeName ?? '';
  // nobody has run it yet
  if (node === '') return answerOf(context).sendEmpty(204);
  const agent = await nodeAgent(server, node, 'pods');
  const usage = options.insecureSkipTLSVerifyBackend === true ? 'skip_tls_allowed' : 'enforce_tls';
  server.metrics.counter('kube_apiserver_pod_logs_insecure_backend_total').inc({ usage });
  const target = options.insecureSkipTLSVerifyBackend === true ? unverified(agent) : agent;
  const answer = await ask(request, target, `/containerLogs/${info.namespace}/${info.name}/${container}`, logQuery(options));
  if (!isSuccess(answer)) throw await refusal(answer, info.name);
  if (upgradeProtocol(context.req) === 'websocket') return relayMessages(context, answer, server.identity.text);
  context.res.setHeader('content-type', TYPE);
  answerOf(context).pipe(200, answer);
}

/** @returns options of the hub. @throws StatusError BadRequest, Invalid */
async function logOptions({ server, client, registry, info, resource }: ResourceRequest): Promise<ApiObject> {
  const kind = await registry.kind(resource.groupVersion.group, resource.groupVersion.version, 'PodLogOptions');
  const options = kind.toHub(decodeQuery(info.query, kind));
  const errors = objectErrors(kind.hub, options, undefined, server.ruleContext(false, client));
  if (errors.length > 0) throw newInvalid({ group: '', kind: kind.kind }, info.name, errors);
  return options;
}

/** Matches the text of `tlsProblem` for a certificate that cannot be verified. */
const UNVERIFIED = /^tls: failed to verify certificate: /;

const FLAGS = ['follow', 'previous', 'timestamps'];
const VALUES = ['limitBytes', 'sinceSeconds', 'sinceTime', 'stream', 'tailLines'];

/** What the agent needs to know of the options. */
function logQuery(options: ApiObject): string {
  const query = new URLSearchParams();
  for (const name of FLAGS) if (options[name] === true) query.set(name, 'true');
  for (const name of VALUES) {
    const value: unknown = options[name];
    if (value !== undefined) query.set(name, numberText(value) ?? String(value));
  }
  query.sort();
  return query.size === 0 ? '' : `?${query}`;
}

async function ask({ server, context }: ResourceRequest, target: Target, path: string, query: string): Promise<IncomingMessage> {
  const { dial, nodeAgents } = server.outbound;
  try {
    const { head } = await exchange(
      { target, method: 'GET', path: path + query, headers: ['Host', hostPort(target.host, target.port)] },
      { dial, connectLimit: nodeAgents.connectLimit, signal: clientSignal(context) },
    );
    return head;
  } catch (error) {
    const problem = failureText(error);
    if (target.tls !== undefined && UNVERIFIED.test(problem))
      server.metrics.counter('kube_apiserver_pod_logs_backend_tls_failure_total').inc({});
    throw newUnknown(`Get "https://${hostPort(target.host, target.port)}${path}${query}": ${problem}`);
  }
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode <= 206;
}

async function refusal(answer: IncomingMessage, pod: string): Promise<StatusError> {
  const elsewhere = redirection(answer);
  if (elsewhere !== undefined) {
    answer.destroy();
    return newUnknown(`Get ${JSON.stringify(elsewhere)}: redirects forbidden`);
  }
  const text = await explanation(answer);
  if (answer.statusCode === 500) return newInternalErrorOf(text);
  if (answer.statusCode === 400) return newBadRequest(text);
  return newServerAnswer(answer.statusCode ?? 500, { group: '', resource: 'pods/log' }, pod, text);
}
