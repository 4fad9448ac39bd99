/**
 * Loaded into a server before it starts (`ServerOptions.preload`): connections to the network 10.99.0.0/16, where the pods and services of tests have
 * their addresses, arrive at the same port of this machine. So a test plays a pod without the server believing that it talks to itself.
 */
import net, { type TcpNetConnectOpts } from 'node:net';

const { connect } = net.Socket.prototype;

/** Node calls it with the options, or with a list that begins with them, whether TLS is spoken or not. */
function redirected(this: net.Socket, ...args: unknown[]): net.Socket {
  const [first] = args;
  const options = (Array.isArray(first) ? first[0] : first) as TcpNetConnectOpts | undefined;
  if (typeof options === 'object' && options.host?.startsWith('10.99.') === true) options.host = '127.0.0.1';
  return (connect as (...args: unknown[]) => net.Socket).apply(this, args);
}

net.Socket.prototype.connect = redirected as typeof connect;
