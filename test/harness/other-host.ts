/** Is loaded before a server (`preload`), which then takes this machine for another one: the name of its host is that of the environment. */
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

const name = process.env.OTHER_HOST ?? 'other-host';
os.hostname = () => name;
syncBuiltinESMExports();
