/** A worker whose start takes a minute: it hears no orders before that. */
setTimeout(() => process.exit(), 60_000);
process.on('disconnect', () => process.exit());
