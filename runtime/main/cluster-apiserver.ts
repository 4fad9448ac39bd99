#!/usr/bin/env node
/** The entry point of the API server: it alone sees both the generated data and the runtime. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { main } = await import('./serve.ts');
await main(process.argv.slice(2));
