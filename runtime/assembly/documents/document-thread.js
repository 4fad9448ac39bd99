/** Where the thread for documents of other servers begins: plain JavaScript, for the same reason as the entry point of the program. */
import module from 'node:module';
import { findOwnModulesDirectly } from '../setup/own-modules.js';

module.enableCompileCache();
findOwnModulesDirectly();
await import('./document-server.ts');
