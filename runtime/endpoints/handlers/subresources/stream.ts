/** `exec`, `attach` and `portforward` of a pod: the client's connection is joined with one to the node agent, which speaks the protocol. */
import type { Context } from 'koa';
import { answerOf } from '../../../connections/client-answer.ts';
import { namesUpgrade, upgradeProtocol } from '../../../connections/upgrade.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { offersCommandChannels, relayCommand } from '../../../relay/command-channels.ts';
import type { ExchangeOptions, Outgoing } from '../../../relay/exchange.ts';
import { nodeAgent } from '../../../relay/node-agents.ts';
import { chosenContainer, storedPod } from '../../../relay/pod-containers.ts';
import { clientSignal, forwarded } from '../../../relay/relay-request.ts';
import { relayUpgrade } from '../../../relay/relay-upgrade.ts';
import { relayInside, tunnelProtocols, unwrapped } from '../../../relay/spdy-tunnel.ts';
import { newBadRequest, StatusError } from '../../../status/status.ts';
import { decodeQuery } from '../../request/query-object.ts';
import type { ResourceRequest } from '../../resource-request.ts';

/** Names that the agent has for options. */
const AGENT_STREAMS: readonly [option: string, parameter: string][] = [
  ['stdin', 'input'],
  ['stdout', 'output'],
  ['stderr', 'error'],
  ['tty', 'tty'],
];

export function exec(request: ResourceRequest): Promise<void> {
  return connect(
    request,
    (options, pod) => {
      const query = streams(options);
      for (const word of (options.command ?? []) as string[]) query.append('command', word);
      // by name, as agents get them from 1.32
      query.sort();
      return { path: `/exec/${place(pod)}/${chosenContainer(pod, options.container ?? '')}`, query };
    },
    commandRelay(request),
  );
}

export function attach(request: ResourceRequest): Promise<void> {
  return connect(
    request,
    (options, pod) => ({
      path: `/attach/${place(pod)}/${chosenContainer(pod, options.container ?? '')}`,
      query: streams(options),
    }),
    commandRelay(request),
  );
}

/** Passes all bytes on unchanged, because the client and the agent have the same protocol. */
const relayRaw: Relay = (context, outgoing, exchange) => relayUpgrade(context, outgoing, exchange);

/**
 * Chooses how a command is passed on. Agents know the protocols that tell the end of a channel only in SPDY, so WebSockets are translated to it (as in 1.32).
 */
function commandRelay({ server, context }: ResourceRequest): Relay {
  const text = server.identity.text;
  if (!server.featureEnabled('TranslateStreamCloseWebsocketRequests') || !offersCommandChannels(context.req, text)) return relayRaw;
  return async (client, outgoing, exchange, { stdin = false, stdout = false, stderr = false, tty = false }) => {
    const code = await relayCommand(client, outgoing, exchange, { streams: { stdin, stdout, stderr, tty }, text });
    server.metrics.counter('apiserver_stream_translator_requests_total').inc({ code: String(code) });
  };
}

export function portForward(request: ResourceRequest): Promise<void> {
  return connect(
    request,
    ({ ports = [] }, pod) => {
      const query = new URLSearchParams();
      if (ports.length > 0) query.set('port', ports.join(','));
      return { path: `/portForward/${place(pod)}`, query };
    },
    portRelay(request),
  );
}

function portRelay({ server, context }: ResourceRequest): Relay {
  const tunnel = server.featureEnabled('PortForwardWebsockets') ? tunnelProtocols(context.req, server.identity.text) : [];
  if (tunnel.length === 0) return relayRaw;
  const count = (code: number): void => server.metrics.counter('apiserver_stream_tunnel_requests_total').inc({ code: String(code) });
  return async (client, outgoing, exchange) => {
    let joined: number | undefined;
    try {
      await relayUpgrade(client, unwrapped(outgoing, tunnel), exchange, (taken, answer) => {
        joined = relayInside(taken, answer, tunnel);
      });
    } catch (error) {
      count(error instanceof StatusError ? error.code : 500);
      throw error;
    }
    count(joined ?? answerOf(client).status);
  };
}

function streams(options: ApiObject): URLSearchParams {
  const query = new URLSearchParams();
  for (const [option, parameter] of AGENT_STREAMS) if (options[option] === true) query.set(parameter, '1');
  query.sort();
  return query;
}

function place({ metadata }: ApiObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

interface Location {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Connects the client with the agent. @param options the options of the client */
type Relay = (context: Context, outgoing: Outgoing, exchange: ExchangeOptions, options: ApiObject) => Promise<void>;

async function connect(request: ResourceRequest, locate: (options: ApiObject, pod: ApiObject) => Location, relay: Relay): Promise<void> {
  const { server, kind, info, context } = request;
  const options = decodeQuery(info.query, kind);
  const pod = await storedPod(server, info.namespace, info.name);
  const { path, query } = locate(options, pod);
  const node: string = pod.spec.nodeName ?? '';
  if (node === '') throw newBadRequest(`pod ${info.name} does not have a host assigned`);
  const agent = await nodeAgent(server, node, 'pods');
  // A request that does not say what it wants to switch to goes to the agent as well, which refuses it (as in 1.32).
  if (upgradeProtocol(context.req) === '' && !namesUpgrade(context.req)) throw newBadRequest('Upgrade request required');
  const { dial, bytesPerSecond, nodeAgents } = server.outbound;
  const outgoing = forwarded(context.req, agent, query.size === 0 ? path : `${path}?${query}`);
  const exchange = { dial, bytesPerSecond, connectLimit: nodeAgents.connectLimit, signal: clientSignal(context) };
  return relay(context, outgoing, exchange, options);
}
