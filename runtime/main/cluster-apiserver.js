#!/usr/bin/env node
/**
 * The entry point of the API server: it alone sees both the generated data and the runtime. It is plain JavaScript, for what is loaded
 * before the compile cache is on would have its types removed anew at each start, by a compiler of 15 MB that stays in memory.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { main } = await import('./serve.ts');
await main(process.argv.slice(2));
