package io.sluice.replay.imports.draft;

/**
 * Converts the configuration of another limiter to rules. Executes nothing and uses no network; reads only the given file and
 * the files that it includes from its own folder. Stateless and thread-safe.
 */
public interface Importer {

    /**
     * Converts a configuration.
     *
     * @throws ImportRefusedException if the configuration cannot be read
     */
    Imported read(ForeignFile file) throws ImportRefusedException;
}
