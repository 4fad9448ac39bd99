/** Where the thread begins that asks a key management service for those who cannot wait: plain JavaScript, for the same reason as the entry point of the program. */
import module from 'node:module';

module.enableCompileCache();
await import('./key-service-calls.ts');
