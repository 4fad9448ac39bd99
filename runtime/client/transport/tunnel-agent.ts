/** An agent whose connections go through a tunnel. */
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { limitConnecting } from './connect-limit.ts';
import type { Tunnel } from './tunnel.ts';

/** The most milliseconds until a tunnel is connected to the server. */
const LIMIT = 30_000;

type Created = (error: Error | null, socket?: Duplex) => void;

/**
 * Makes an agent that also ends connections which the tunnel has not established yet when it is destroyed.
 * @param isPlain whether the server speaks http without TLS
 * @param options of the agent, with what TLS needs
 */
export function tunnelAgent(tunnel: Tunnel, isPlain: boolean, options: https.AgentOptions): http.Agent {
  const agent = isPlain ? new http.Agent(options) : new https.Agent(options);
  const ending = new AbortController();
  const destroy = agent.destroy.bind(agent);
  agent.destroy = () => {
    ending.abort();
    destroy();
  };
  const create = (wanted: https.RequestOptions, created: Created): undefined => {
    const { servername, host: named, port: numbered } = wanted;
    const host = String(named);
    const signal = AbortSignal.any([AbortSignal.timeout(LIMIT), ending.signal]);
    const led = (socket: Duplex): void => {
      // the agent was destroyed meanwhile, so nobody else would end the socket
      if (ending.signal.aborted) socket.destroy();
      if (isPlain || socket.destroyed) return created(socket.destroyed ? new Error('the connection has ended') : null, socket);
      const name = servername || (isIP(host) === 0 ? host : undefined);
      created(null, limitConnecting(connectTls({ ...options, ...(name !== undefined && { servername: name }), host, socket })));
    };
    tunnel({ host, port: Number(numbered) }, signal)
      .then(led)
      .catch(created);
    return undefined;
  };
  (agent as unknown as { createConnection: typeof create }).createConnection = create;
  return agent;
}
