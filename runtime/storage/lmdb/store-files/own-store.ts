/**
 * Holds what the files of a store say of themselves against this program, and against each other, before LMDB opens them. Whatever LMDB opens it notes in its
 * file of locks, so that data which is put back in the place of wrong data would be refused as older than that.
 */
import { readLog } from '../write-ahead-log/log-reader.ts';
import { assertOwnFormat } from './format.ts';
import { mainRowsOf } from './main-rows.ts';
import { dataFile, logFile } from './store-files.ts';

/**
 * To be called where there is data that no process has open. What cannot be read is left to whoever opens the store.
 * @throws IncompatibleStorage, DamagedStorage, Error of the file system
 */
export function assertOwnStore(directory: string, dialect: string): void {
  const { format, state, note } = mainRowsOf(dataFile(directory));
  if (format !== undefined) assertOwnFormat(format, directory, dialect);
  if (state !== undefined && note !== undefined) readLog(logFile(directory), note, state.revision);
}
