/** A socket as a service manager has it, which hears how its services are. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Node has no datagrams of this family; Perl is there wherever systemd is. What comes with a message, such as an open file, is closed at once. */
const LISTENER = String.raw`
use Socket;
$| = 1;
my ($address) = @ARGV;
$address =~ s/^@/\0/;
socket(my $socket, PF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($socket, pack_sockaddr_un($address)) or die $!;
print "bound\n";
while (defined recv($socket, my $message, 65536, 0)) {
  $message =~ s/\n/|/g;
  print "$message\n";
}
`;

/** Why there can be none on this machine; undefined where there can. */
export function lacksServiceManager(): string | undefined {
  for (const [program, ...args] of [
    ['perl', '-MSocket', '-e', '1'],
    ['systemd-notify', '--version'],
  ])
    try {
      execFileSync(program as string, args, { stdio: 'ignore' });
    } catch {
      return `${program} is not here`;
    }
  return undefined;
}

export class NotifySocket {
  /** members of each message */
  readonly messages: string[][] = [];
  readonly #listener: ChildProcess;
  #changed = Promise.withResolvers<void>();

  private constructor(listener: ChildProcess) {
    this.#listener = listener;
    process.once('exit', () => listener.kill('SIGKILL'));
  }

  /** @param address a path, or a name of its own behind `@` */
  static async bind(address: string): Promise<NotifySocket> {
    const listener = spawn('perl', ['-e', LISTENER, address], { stdio: ['ignore', 'pipe', 'inherit'] });
    const socket = new NotifySocket(listener);
    const bound = Promise.withResolvers<void>();
    listener.once('exit', () => bound.reject(new Error('the socket cannot be bound')));
    createInterface(listener.stdout).on('line', (line) => {
      if (line === 'bound') return bound.resolve();
      // the client waits for the end of the file that it has sent with this
      if (line === 'BARRIER=1') return;
      socket.messages.push(line.split('|').filter((member) => member !== ''));
      socket.#changed.resolve();
      socket.#changed = Promise.withResolvers();
    });
    await bound.promise;
    return socket;
  }

  /** Resolves with the first message from `from` on that has this member. @throws Error after a minute */
  async has(member: string, from = 0): Promise<string[]> {
    const late = Promise.withResolvers<never>();
    // it goes with the wait: a rejection that nobody waits for would end the process a minute later
    const timer = setTimeout(() => late.reject(new Error(`no ${member} among ${JSON.stringify(this.messages)}`)), 60_000);
    try {
      for (;;) {
        const found = this.messages.slice(from).find((message) => message.includes(member));
        if (found !== undefined) return found;
        await Promise.race([this.#changed.promise, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#listener.removeAllListeners('exit');
    this.#listener.kill('SIGKILL');
  }
}
