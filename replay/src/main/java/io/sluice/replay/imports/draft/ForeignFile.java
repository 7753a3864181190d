package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.DocumentError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A configuration of another limiter.
 *
 * @param name the file's name in messages
 * @param folder the folder of the files that it may include; empty if it may not include files
 */
public record ForeignFile(String name, String text, Optional<Path> folder) {

    /** The largest file that is read, in bytes. */
    public static final int MOST_BYTES = 8 * 1024 * 1024;

    /** Creates a configuration that may not include files. */
    public static ForeignFile of(String name, String text) {
        return new ForeignFile(name, text, Optional.empty());
    }

    /** Reads a file in UTF-8. The exception has an error without a line if the file cannot be read at all. */
    public static ForeignFile read(Path path) throws ImportRefusedException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(MOST_BYTES + 1);
        } catch (NoSuchFileException e) {
            throw refused(path, "no such file (expected: a configuration to import)");
        } catch (IOException e) {
            throw refused(path, "cannot be read (expected: a readable file)");
        }
        if (bytes.length > MOST_BYTES) {
            throw refused(path, "size: more than " + MOST_BYTES + " bytes (expected: at most that many)");
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return new ForeignFile(path.toString(), text, Optional.of(folderOf(path)));
        } catch (CharacterCodingException e) {
            throw refused(path, "encoding: not UTF-8 (expected: UTF-8)");
        }
    }

    private static Path folderOf(Path path) {
        Path folder = path.toAbsolutePath().normalize().getParent();
        return folder == null ? path.toAbsolutePath() : folder;
    }

    private static ImportRefusedException refused(Path path, String message) {
        return new ImportRefusedException(List.of(DocumentError.of(path.toString(), message)));
    }
}
