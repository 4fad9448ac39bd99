/** Where the thread for requests with long bodies begins: plain JavaScript, for the same reason as the entry point of the program. */
import module from 'node:module';
import { findOwnModulesDirectly } from '../setup/own-modules.js';

module.enableCompileCache();
findOwnModulesDirectly();
await import('./long-request-server.ts');
