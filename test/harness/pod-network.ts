/**
 * Loaded into a server before it starts (`ServerOptions.preload`): connections to the network 10.99.0.0/16, where the pods of tests have their
 * addresses, arrive at the same port of this machine. So a test plays a pod without the server believing that it talks to itself.
 */
import { syncBuiltinESMExports } from 'node:module';
import net, { type NetConnectOpts, type TcpNetConnectOpts } from 'node:net';

const connect = net.connect;

function redirected(options: NetConnectOpts, ...rest: unknown[]): net.Socket {
  const inside = 'host' in options && options.host?.startsWith('10.99.') === true;
  const place: NetConnectOpts = inside ? { ...(options as TcpNetConnectOpts), host: '127.0.0.1' } : options;
  return (connect as (...args: unknown[]) => net.Socket)(place, ...rest);
}

net.connect = redirected as typeof net.connect;
syncBuiltinESMExports();
