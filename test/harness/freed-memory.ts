import { builtinModules } from 'node:module';

/** Whether a server on this machine can have memory that it has freed go back to the system: glibc does that, behind Node's door to libraries. */
export const CAN_GIVE_BACK =
  (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header.glibcVersionRuntime !== undefined &&
  builtinModules.includes('node:ffi');
